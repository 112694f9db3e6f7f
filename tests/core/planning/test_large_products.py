"""A few lines of PDDL stand for billions of facts: they are refused, or planned with, and never hang."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import closing, suppress
from dataclasses import replace
from itertools import pairwise

import pytest

from core.belief import Atom
from core.domains import DefaultRule, WorldRules
from core.errors import BadDomain, Cancelled, ConsoleError
from core.planning import semantics
from core.planning.compiled import ground_task
from core.planning.default_rules import RuleSet
from core.planning.elimination import eliminate_redundant
from core.planning.engines.engine import SearchLimits
from core.planning.join import FactIndex, Join
from core.planning.pddl.reader import parse_domain, parse_problem
from core.planning.planner import make_planner
from core.planning.search import PlanSearch, restrict_to_relevant
from core.planning_model import Literal, Problem, Step, Typed
from core.stop_token import StopToken
from core.work import TooMuchWork, Work
from tests.core.planning.shared import latency
from tests.patience import AT_ONCE
from tests.sampling import some

EIGHT = "?a ?b ?c ?d ?e ?f ?g ?h"
BARE = "(:action a :parameters () :precondition {} :effect (done))"
UNUSED = BARE.format(f"(forall ({EIGHT}) (p o1))")
REFUSED = {
    "precondition": BARE.format(f"(forall ({EIGHT}) (q {EIGHT}))"),
    "exists": BARE.format(f"(exists ({EIGHT}) (q {EIGHT}))"),
    "nested": BARE.format(
        "(forall (?a ?b ?c) (exists (?d ?e ?f) (forall (?g ?h) (q ?a ?b ?c ?d ?e ?f ?g ?h))))"
    ),
    "effect": f"(:action a :parameters () :effect (and (done) (forall ({EIGHT}) (q {EIGHT}))))",
    "condition": f"(:action a :parameters () :effect (when (forall ({EIGHT}) (q {EIGHT})) (done)))",
    "derived": f"(:derived (d) (forall ({EIGHT}) (q {EIGHT})))",
}
LARGE = {
    "parameters": f"(:action a :parameters ({EIGHT}) :effect (and (done) (q {EIGHT})))",
    "dead ends": f"(:action a :parameters ({EIGHT}) :precondition (and (p ?a) (r ?h ?h)) :effect (done))",
    "derived": "(:derived (q ?a ?b ?c ?d ?e ?f ?g ?h) (or (p ?a) (done)))"
    + BARE.format("(q o1 o1 o1 o1 o1 o1 o1 o1)"),
    "effects": "(:action a :parameters (?a ?b ?c) :effect (and (done) (forall (?d ?e ?f)"
    " (when (not (q ?a ?b ?c ?d ?e ?f ?a ?a)) (q ?a ?b ?c ?d ?e ?f ?a ?a)))))",
}


def problem(action: str, goal: str = "(done)", objects: int = 40) -> Problem:
    words = f"(:predicates (p ?x) (r ?x ?y) (q {EIGHT}) (d) (done))"
    names = [f"o{n}" for n in range(1, objects + 1)]
    start = " ".join(f"(p {name})" for name in names)
    return parse_problem(
        f"(define (problem y) (:domain x) (:objects {' '.join(names[3:])}) (:init {start}) (:goal {goal}))",
        parse_domain(f"(define (domain x) (:constants o1 o2 o3) {words} {action})"),
    )


@pytest.fixture
def bounded() -> Iterator[None]:
    """Far more processor time than is needed, and far less than for ever."""
    began = time.thread_time()
    yield
    assert time.thread_time() - began < 20


@pytest.mark.parametrize("name", REFUSED)
def test_that_a_formula_is_counted_before_it_is_expanded(name: str) -> None:
    with pytest.raises(BadDomain, match=r"stands for [\d,]{13,} facts with these objects, and the most"):
        problem(REFUSED[name])


def test_that_the_refusal_names_the_formula_and_the_number() -> None:
    with pytest.raises(BadDomain, match="the action 'a' stands for 6,553,600,000,000 facts with"):
        problem(REFUSED["precondition"])
    with pytest.raises(BadDomain, match="the goal stands for 6,553,600,000,000 facts"):
        problem(BARE.format("()"), f"(forall ({EIGHT}) (q {EIGHT}))")


def test_that_a_variable_that_nothing_uses_costs_nothing(bounded: None) -> None:
    unused = problem(UNUSED)
    with closing(make_planner()) as planner:
        assert planner.plan(unused, StopToken()).steps == (Step("a"),)


@pytest.mark.parametrize(("quantifier", "holds"), [("forall", True), ("exists", False)])
def test_that_an_unused_variable_still_needs_an_object(quantifier: str, holds: bool) -> None:
    action = f"(:action a :parameters () :precondition ({quantifier} (?a - t) (p)) :effect (p))"
    domain = parse_domain(f"(define (domain x) (:types t) (:predicates (p)) {action})")
    empty = parse_problem("(define (problem y) (:domain x) (:init) (:goal (p)))", domain)
    assert semantics.is_applicable(empty, frozenset(), Step("a")) is holds
    assert len(ground_task(empty, 10, StopToken()).operators) == holds


@pytest.mark.parametrize("name", some(LARGE, 4))
def test_that_what_grounds_to_too_much_leaves_the_callers_process(name: str, bounded: None) -> None:
    assert PlanSearch("pyperplan").quick(problem(LARGE[name]), SearchLimits(), StopToken()) is None


@pytest.mark.parametrize("name", LARGE)
def test_that_a_cancel_ends_grounding_at_once(name: str) -> None:
    large = problem(LARGE[name])

    def ground(cancel: StopToken) -> None:
        with pytest.raises(Cancelled):
            while True:  # what is refused is begun again
                with suppress(TooMuchWork):
                    ground_task(large, 10**9, cancel)

    assert latency(ground) < AT_ONCE


@pytest.mark.long
def test_that_all_that_follows_is_counted(bounded: None) -> None:
    large = problem(LARGE["derived"])
    with Work(100_000), pytest.raises(ConsoleError, match="bindings of variables to objects"):
        semantics.goal_holds(large, large.state)
    with Work(100_000), pytest.raises(ConsoleError), closing(make_planner()) as planner:
        planner.plan(large, StopToken())


def test_that_listing_steps_is_counted(bounded: None) -> None:
    for name in ("parameters", "dead ends"):
        large = problem(LARGE[name])
        with pytest.raises(TooMuchWork), Work(100_000):
            semantics.applicable_steps(large, large.state)


def test_that_a_branch_of_two_is_counted(bounded: None) -> None:
    variables = tuple(Typed(f"?{n}") for n in "abcdefghijklmno")
    literals = [Literal("p", (v.name,)) for v in variables]
    facts = [Atom("p", ("o1",)), Atom("p", ("o2",))]
    with pytest.raises(TooMuchWork), Work(10_000):
        list(Join(variables, literals, lambda type: ("o1", "o2")).run(FactIndex(facts)))


def test_that_a_plan_is_left_as_it_is_where_shortening_it_would_take_long() -> None:
    switch = problem("(:action a :effect (done)) (:action b :effect (d))")
    plan = (*[Step("b", ())] * 200, Step("a", ()))
    with Work(1):
        assert eliminate_redundant(switch, plan) == plan
    assert eliminate_redundant(switch, plan) == plan[-1:]


def test_that_rules_are_counted_before_they_are_bound() -> None:
    variables = tuple(Typed(f"?{n}") for n in "abcdefgh")
    rule = DefaultRule("all", variables, then=(Literal("q", tuple(v.name for v in variables)),))
    with pytest.raises(TooMuchWork, match="6,553,600,000,000"):
        RuleSet(WorldRules((rule,)), problem(BARE.format("()")))


def test_that_deeply_nested_choices_are_read_at_once(bounded: None) -> None:
    condition = "(p o1)"
    for _ in range(40):
        condition = f"(or (and (or (p o1) (done)) (or (p o2) (done)) {condition}) (p o3))"
    problem(f"(:action a :parameters () :effect (when {condition} (done)))")


def test_that_a_long_chain_of_holders_is_followed_once() -> None:
    names = [Typed(f"o{n:05}") for n in range(20_000)]
    small = problem(BARE.format("()"), "(p o1)")

    chain = frozenset(Atom("r", (a.name, b.name)) for a, b in pairwise(names))
    long = replace(small, objects=tuple(names), state=chain, goal=(Literal("p", ("o00000",)),))
    began = time.thread_time()
    assert len(restrict_to_relevant(long, ()).objects) == len(names)
    assert time.thread_time() - began < 5
