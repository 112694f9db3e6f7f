from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.errors import BadDomain, BadFile, ConsoleError
from core.facts import Atom
from core.planning.read import parse_domain, parse_problem, read_domain, read_problem
from core.problem import Literal, Typed
from tests.core.planning.shared import FIXTURES

DOMAIN = """(define (domain d)
  (:types cup box - thing thing)
  (:constants lid - thing)
  (:predicates (in ?a ?b - thing) (shut ?b - box) (done))
  (:action put :parameters (?c - cup ?b - box)
    :precondition PRE
    :effect EFF))"""
PROBLEM = """(define (problem p)
  (:domain d)
  (:objects c - cup b - box)
  (:init INIT)
  (:goal GOAL))"""


def domain(pre: str = "(not (shut ?b))", eff: str = "(in ?c ?b)") -> str:
    return DOMAIN.replace("PRE", pre).replace("EFF", eff)


def problem(init: str = "(shut b)", goal: str = "(in c b)") -> str:
    return PROBLEM.replace("INIT", init).replace("GOAL", goal)


def test_that_types_may_come_before_their_parents_and_in_any_case() -> None:
    read = parse_domain(domain().upper())
    assert read.types == (Typed("box", "thing"), Typed("cup", "thing"), Typed("thing", "object"))
    assert read.constants == (Typed("lid", "thing"),)


def test_that_parts_may_be_left_out_and_come_in_any_order() -> None:
    read = parse_domain("(define (domain d) (:action a :effect (p)) (:predicates (p)))  ; the end")
    assert read.action("a").parameters == () and read.action("a").precondition == ()
    assert read.action("a").effects[0].literal == Literal("p")


def test_that_nested_effects_come_out_flat() -> None:
    nested = """(and (and (done)) (when (done) (and (not (in ?c ?b))
      (forall (?o - cup) (when (shut ?b) (in ?o ?b))))))"""
    done, out, all_in = parse_domain(domain(eff=nested)).action("put").effects
    assert done.literal == Literal("done") and not done.condition
    assert out.literal == Literal("in", ("?c", "?b"), False) and out.condition == (Literal("done"),)
    assert all_in.variables == (Typed("?o", "cup"),)
    assert all_in.condition == (Literal("done"), Literal("shut", ("?b",)))


def test_that_not_not_is_plain() -> None:
    assert parse_domain(domain(pre="(not (not (done)))")).action("put").precondition == (Literal("done"),)


def test_that_reserved_words_of_the_grammar_are_plain_names_here() -> None:
    read = parse_domain("(define (domain max) (:predicates (within ?at-end)) (:action sin :effect ()))")
    assert (read.name, read.predicates[0].name, read.actions[0].name) == ("max", "within", "sin")


def test_that_what_is_not_in_init_does_not_hold() -> None:
    read = parse_problem(problem("(shut b) (not (done))"), parse_domain(domain()))
    assert read.state == {Atom("shut", ("b",))}
    assert read.objects == (Typed("c", "cup"), Typed("b", "box"))


def test_that_a_goal_may_be_negative_or_empty() -> None:
    read = parse_domain(domain())
    assert parse_problem(problem(goal="(not (shut b))"), read).goal == (Literal("shut", ("b",), False),)
    assert parse_problem(problem(goal="()"), read).goal == ()


@pytest.mark.parametrize(
    ("text", "line", "said"),
    [
        ("", None, "the file is empty, but a PDDL domain was expected"),
        ("; nothing but a comment", None, "the file is empty"),
        ("hello", 1, "expected '(', found 'hello'"),
        ("(define (thing d))", 1, "expected '(define (domain NAME) ...)'"),
        ("(define (problem p) (:domain d))", 1, "expected a domain, found a problem"),
        ("(define (domain d)\n (:foo))", 2, "expected one of :types, :constants, :predicates, :action"),
        ("(define (domain d)\n (:predicates (a.b)))", 2, "'.' is not allowed"),
        (domain() + "\n)", 8, "expected the end of the file, found ')'"),
        (domain()[:-1], 7, "expected ')' before the end of the file: '(define' of line 1 is not closed"),
        (
            domain().replace("(done))", "(done)"),
            5,
            "expected ')' before '(:action': '(:predicates' of line 4",
        ),
        (domain(pre="(done) (done)"), 6, "expected :parameters, :precondition or :effect"),
        (domain(pre="done"), 6, "expected '(' after :precondition"),
        (domain(pre="(and (done) 3)"), 6, "expected '(' or ')', found '3'"),
        (domain(eff="(not (not (done)))"), 7, "expected a name, found 'not'"),
        (domain(pre="(full ?b)"), 6, "the predicate 'full' is not declared"),
        (domain(pre="(in ?b)"), 6, "(in ...) takes 2 terms, found 1"),
        (domain(pre="(shut ?c)"), 6, "?c is of type 'cup', expected 'box'"),
        (domain(pre="(shut ?x)"), 6, "the variable ?x is not among the :parameters"),
        (domain(pre="(shut b)"), 6, "there is no object or constant named 'b'"),
        (domain(eff="(forall (?c - cup) (done))"), 7, "the variable ?c is declared twice"),
        (domain().replace("?c - cup", "?c - mug"), 5, "the type 'mug' of ?c is not declared"),
        (domain().replace("- thing thing", "- thing"), 2, "the type 'thing', above 'cup', is not declared"),
        (domain().replace("- thing thing", "- thing thing - cup"), 2, "is below itself"),
        (domain().replace("(done))", "(done) (shut))"), 4, "the predicate 'shut' is declared twice"),
    ],
)
def test_that_a_broken_domain_is_told_with_its_line(text: str, line: int | None, said: str) -> None:
    with pytest.raises(BadDomain) as caught:
        parse_domain(text, "some.pddl")
    assert said in str(caught.value)
    assert str(caught.value).startswith(f"some.pddl, line {line}: " if line else "some.pddl: ")
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("text", "line", "feature"),
    [
        (domain(pre="(or (done) (shut ?b))"), 6, "Disjunctions ('or' in a precondition)"),
        (domain(pre="(imply (done) (shut ?b))"), 6, "Disjunctions ('imply' in a precondition)"),
        (domain(pre="(not (and (done) (shut ?b)))"), 6, "Disjunctions"),
        (domain(pre="(exists (?o - cup) (in ?o ?b))"), 6, "Quantified preconditions and goals ('exists'"),
        (domain(pre="(forall (?o - cup) (in ?o ?b))"), 6, "Quantified preconditions and goals ('forall'"),
        (domain(eff="(when (or (done) (shut ?b)) (done))"), 7, "Disjunctions ('or' in a condition)"),
        (domain(eff="(increase (total-cost) 1)"), 7, "Action costs"),
        (domain(pre="(> (level ?b) 3)"), 6, "Numeric comparisons ('>')"),
        (domain().replace("(:action", "(:functions (total-cost))\n(:action"), 5, "action costs"),
        (domain().replace(":action", ":durative-action"), 5, "Durative actions"),
        (domain().replace("(:action", "(:derived (x) (done))\n(:action"), 5, "Derived predicates"),
        (domain().replace("(:action", "(:axiom (x) (done))\n(:action"), 5, "Derived predicates"),
        (domain().replace("?c - cup", "?c - (either cup box)"), 5, "Types with 'either'"),
    ],
)
def test_that_a_feature_we_lack_is_refused_by_name_and_line(text: str, line: int, feature: str) -> None:
    with pytest.raises(BadDomain) as caught:
        parse_domain(text, "some.pddl")
    assert str(caught.value).startswith(f"some.pddl, line {line}: ")
    assert feature.lower() in str(caught.value).lower() and "not supported" in str(caught.value)


@pytest.mark.parametrize(
    ("text", "line", "said"),
    [
        ("", None, "the file is empty, but a PDDL problem was expected"),
        (domain(), 1, "expected a problem, found a domain"),
        (problem().replace("(:domain d)", "(:domain e)"), 2, "is for the domain 'e', but the domain is 'd'"),
        (problem("(shut lamp)"), 4, "there is no object or constant named 'lamp'"),
        (problem("(shut c)"), 4, "c is of type 'cup', expected 'box'"),
        (problem("(open b)"), 4, "the predicate 'open' is not declared"),
        (problem("(= (weight c) 3)"), 4, "Numeric fluents and action costs are not supported"),
        (problem(goal="(exists (?c - cup) (in ?c b))"), 5, "Quantified"),
        (problem().replace("c - cup", "c - mug"), 3, "the type 'mug' of c is not declared"),
        (problem().replace("c - cup", "c b - cup"), 3, "'b' is declared twice"),
        (problem().replace("(:goal (in c b))", ""), 5, "expected '(:goal ...)'"),
        (problem()[:-1] + "(:metric minimize (total-cost)))", 5, "metrics are not supported"),
    ],
)
def test_that_a_broken_problem_is_told_with_its_line(text: str, line: int | None, said: str) -> None:
    with pytest.raises(BadDomain) as caught:
        parse_problem(text, parse_domain(domain()), "some.pddl")
    assert said in str(caught.value)
    assert str(caught.value).startswith(f"some.pddl, line {line}: " if line else "some.pddl: ")


def test_that_a_file_that_is_no_text_is_told(tmp_path: Path) -> None:
    with pytest.raises(BadFile, match="there is no such file"):
        read_domain(tmp_path / "none.pddl")
    with pytest.raises(BadFile, match="is a folder"):
        read_domain(tmp_path)
    (tmp_path / "picture.pddl").write_bytes(b"\x89PNG\xff\xfe")
    with pytest.raises(BadFile, match="is not UTF-8"):
        read_problem(tmp_path / "picture.pddl", parse_domain(domain()))


WORDS = ("(", ")", "-", "?x", "forall", "when", "not", "and", "=", ":action", "object", "3", "@x", "\0", "é")


@settings(max_examples=150, deadline=None)
@given(st.data())
def test_that_no_slip_of_the_pen_is_more_than_one_sentence(data: st.DataObject) -> None:
    which = data.draw(st.sampled_from(("switches/domain", "ferry/domain", "switches/problem")))
    parts = re.findall(r"\s+|[()]|[^\s()]+", (FIXTURES / f"{which}.pddl").read_text())
    for _ in range(data.draw(st.integers(1, 3))):
        place = data.draw(st.integers(0, len(parts) - 1))
        parts[place : place + data.draw(st.integers(0, 1))] = data.draw(
            st.lists(st.sampled_from((*WORDS, *parts)), max_size=1)
        )
    known = read_domain(FIXTURES / "switches" / "domain.pddl")
    try:
        if which.endswith("domain"):
            parse_domain("".join(parts), "f")
        else:
            parse_problem("".join(parts), known, "f")
    except ConsoleError as error:
        assert re.match(r"f(, line \d+)?: .+\.$", str(error))


def test_that_endless_nesting_is_told() -> None:
    with pytest.raises(BadDomain, match="more than 50 parentheses"):
        parse_domain(domain(pre="(and " * 5000 + ")" * 5000))
