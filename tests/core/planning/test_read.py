from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.belief import Atom
from core.errors import BadDomain, BadFile, ConsoleError
from core.planning.pddl.reader import parse_domain, parse_problem, read_domain, read_problem
from core.planning_model import Literal, Typed
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


def test_that_a_variable_that_hides_another_is_another() -> None:
    (effect,) = parse_domain(domain(eff="(forall (?c - cup) (in ?c ?b))")).action("put").effects
    assert effect.literal == Literal("in", ("?c_2", "?b")) and effect.variables == (Typed("?c_2", "cup"),)


def test_that_a_parent_that_is_not_declared_is_a_type() -> None:
    read = parse_domain(domain().replace("- thing thing", "- thing"))
    assert read.types == (Typed("box", "thing"), Typed("cup", "thing"), Typed("thing", "object"))


def test_that_a_type_may_stand_below_two_others() -> None:
    types = "- thing thing - object lid - cup lid - box cup - object"
    read = parse_domain(domain().replace("- thing thing", types))
    assert read.is_a("lid", "cup") and read.is_a("lid", "box") and not read.is_a("box", "cup")
    assert Typed("cup", "object") not in read.types


def test_that_either_stands_for_several_types() -> None:
    read = parse_domain(domain().replace("?c - cup ?b - box", "?c - (either cup box) ?b - box"))
    assert read.action("put").parameters[0] == Typed("?c", "(either box cup)")
    assert read.is_a("cup", "(either box cup)") and not read.is_a("thing", "(either box cup)")
    assert read.is_a("(either box cup)", "thing") and not read.is_a("(either box cup)", "cup")


def test_that_a_predicate_used_more_widely_than_declared_is_that_wide() -> None:
    read = parse_domain(domain().replace("?c - cup", "?c - thing").replace("?a ?b -", "?a - cup ?b -"))
    assert read.predicates[0].parameters[0].type == "(either cup thing)"


def test_that_a_condition_is_literals_and_what_they_cannot_say() -> None:
    pre = "(and (done) (imply (shut ?b) (not (and (done) (in ?c ?b)))) (forall (?o - cup) (in ?o ?b)))"
    put = parse_domain(domain(pre=pre)).action("put")
    assert put.precondition == (Literal("done"),)
    assert [str(formula) for formula in put.formulas] == [
        "(or (not (shut ?b)) (not (done)) (not (in ?c ?b)))",
        "(forall (?o - cup) (in ?o ?b))",
    ]


def test_that_an_effect_that_can_come_in_two_ways_is_two_effects() -> None:
    one, other = (
        parse_domain(domain(eff="(when (or (done) (exists (?o - cup) (in ?o ?b))) (not (shut ?b)))"))
        .action("put")
        .effects
    )
    assert one.condition == (Literal("done"),) and one.variables == ()
    assert other.condition == (Literal("in", ("?o", "?b")),) and other.variables == (Typed("?o", "cup"),)
    assert not one.formulas and not other.formulas


def test_that_a_quantified_goal_speaks_of_every_object() -> None:
    read = parse_domain(domain())
    found = parse_problem(problem(goal="(forall (?t - thing) (imply (not (= ?t b)) (in ?t b)))"), read)
    assert sorted(map(str, found.goal)) == ["(in c b)", "(in lid b)"] and not found.goal_formulas


def test_that_costs_and_a_metric_are_read() -> None:
    text = domain(eff="(and (done) (increase (total-cost) (weight ?c)) (increase (total-cost) 2))")
    text = text.replace("(:action", "(:functions (total-cost) - number (weight ?c - cup) - number)\n(:action")
    read = parse_domain(text)
    assert read.action("put").costs == (Atom("weight", ("?c",)), 2.0)
    found = parse_problem(problem("(= (weight c) 3)")[:-1] + "(:metric minimize (total-cost)))", read)
    assert found.cost_of == {Atom("weight", ("c",)): 3.0} and found.metric == "minimize (total-cost)"


def test_that_derived_predicates_are_axioms() -> None:
    more = "(:derived (ready ?b) (or (done) (exists (?c - cup) (in ?c ?b))))"
    text = domain().replace("(done))", "(done) (ready ?b - box))").replace("(:action", more + "(:action")
    one, other = parse_domain(text).axioms
    assert one.head == other.head == Literal("ready", ("?b",))
    assert one.variables == (Typed("?b", "box"),) and one.condition == (Literal("done"),)
    assert other.variables == (Typed("?b", "box"), Typed("?c", "cup"))
    loop = text.replace("(or (done)", "(or (not (ready ?b))")
    with pytest.raises(BadDomain, match="depends on its own negation"):
        parse_domain(loop)
    with pytest.raises(BadDomain, match="is derived, so no effect can change it"):
        parse_domain(text.replace(":effect (in ?c ?b)", ":effect (ready ?b)"))


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
        ("(define (domain d)\n (:foo))", 2, "expected one of :types, :constants, :predicates, :functions"),
        ("(define (domain d)\n (:predicates (a{b)))", 2, "'{' is not allowed"),
        (domain() + "\n)", 8, "expected the end of the file, found ')'"),
        (domain()[:-1], 7, "expected ')' before the end of the file: '(define' of line 1 is not closed"),
        (
            domain().replace("(done))", "(done)"),
            5,
            "expected ')' before '(:action': '(:predicates' of line 4",
        ),
        (domain(pre="(done) (done)"), 6, "expected :parameters, :precondition or :effect"),
        (domain(pre="done"), 6, "expected '(' after :precondition"),
        (domain(pre="(and (done) 3)"), 6, "expected '(', found '3'"),
        (domain(eff="(not (not (done)))"), 7, "expected an effect such as (p ?x) or (not (p ?x))"),
        (domain(eff="(or (done) (shut ?b))"), 7, "expected an effect such as (p ?x) or (not (p ?x))"),
        (domain(pre="(when (done) (done))"), 6, "'when' stands in a precondition, but belongs"),
        (domain(pre="(imply (done))"), 6, "'imply' takes 2 parts, as in (imply (p) (q))"),
        (domain(pre="(exists (?c box) (done))"), 6, "expected a variable, found 'box'"),
        (domain(eff="(forall (?o) (done) (done))"), 7, "'forall' takes 2 parts"),
        (domain(pre="(full ?b)"), 6, "the predicate 'full' is not declared"),
        (domain(pre="(in ?b)"), 6, "(in ...) takes 2 terms, found 1"),
        (domain(pre="(shut ?c)"), 6, "?c is of type 'cup', expected 'box'"),
        (domain(pre="(shut ?x)"), 6, "the variable ?x is not among the :parameters"),
        (domain(pre="(shut b)"), 6, "there is no object or constant named 'b'"),
        (domain(eff="(forall (?o ?o - cup) (done))"), 7, "the variable ?o is declared twice"),
        (domain().replace("?c - cup", "?c - mug"), 5, "the type 'mug' of ?c is not declared"),
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
        (domain(eff="(increase (fuel ?b) 1)"), 7, "Numeric fluents ('increase' of anything but total-cost)"),
        (domain(eff="(when (done) (increase (total-cost) 1))"), 7, "Action costs under a condition"),
        (domain(eff="(increase (total-cost) (* 2 3))"), 7, "Costs that are worked out ('(* 2 3)')"),
        (domain(eff="(decrease (fuel) 1)"), 7, "Numeric fluents ('decrease')"),
        (domain(eff="(assign (fuel) 1)"), 7, "Numeric fluents ('assign')"),
        (domain(eff="(oneof (done) (shut ?b))"), 7, "Nondeterministic effects and facts ('oneof')"),
        (domain(eff="(probabilistic 0.5 (done))"), 7, "Probabilistic effects and facts ('probabilistic')"),
        (domain(pre="(> (level ?b) 3)"), 6, "Numeric comparisons ('>' in a precondition)"),
        (domain(pre="(= (level ?b) 3)"), 6, "Numeric comparisons ('=' in a precondition)"),
        (domain(pre="(in (lid-of ?b) ?b)"), 6, "Functions as terms ('(lid-of ?b)')"),
        (domain(pre="(preference p (done))"), 6, "Preferences"),
        (domain(pre="(done)\n    :observe (done)"), 7, "Observations (':observe')"),
        (domain().replace("(:action", "(:functions (f ?b) - cup)\n(:action"), 5, "Functions to anything"),
        (domain().replace(":action", ":durative-action"), 5, "Durative actions"),
        (domain().replace("(:action", "(:axiom (x) (done))\n(:action"), 5, "Axioms in the form of PDDL 1.2"),
        (domain().replace("(:action", "(:tasks (deliver))\n(:action"), 5, "Hierarchical tasks (':tasks')"),
        (domain().replace("(:action", "(:event (x))\n(:action"), 5, "Events"),
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
        (problem("(= (weight c) 3)"), 4, "the function 'weight' is not declared under :functions"),
        (problem("(at 5 (shut b))"), 4, "Timed initial literals are not supported"),
        (problem("(oneof (shut b) (done))"), 4, "Nondeterministic effects and facts ('oneof') are not"),
        (problem("(unknown (shut b))"), 4, "Unknown facts ('unknown') are not supported"),
        (problem("(or (shut b) (done))"), 4, "Uncertain or quantified initial facts ('or') are not"),
        (problem("(= b c)"), 4, "'b' and 'c' are two objects"),
        (problem(goal="(preference p (done))"), 5, "Preferences are not supported"),
        (problem(goal="(< (weight c) 3)"), 5, "Numeric comparisons ('<' in the goal)"),
        (problem(goal="(done) (shut b)"), 5, "expected '(:goal condition)', found 2 conditions"),
        (problem()[:-1] + "(:constraints (always (done))))", 5, "Constraints on the states between"),
        (problem().replace("c - cup", "c - mug"), 3, "the type 'mug' of c is not declared"),
        (problem().replace("c - cup", "c b - cup"), 3, "'b' is declared twice"),
        (problem().replace("(:goal (in c b))", ""), 5, "expected '(:goal ...)'"),
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
    with pytest.raises(BadDomain, match="more than 100 parentheses"):
        parse_domain(domain(pre="(and " * 5000 + ")" * 5000))
