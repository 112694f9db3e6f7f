from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from itertools import product

import pytest

from core.belief import Atom
from core.planning import semantics
from core.planning.pddl.reader import parse_domain, parse_problem
from core.planning_model import Literal, Plan, PlanStatus, Problem, Step
from tests.core.planning.walks import random_walk

RULES = parse_domain("""(define (domain rules) (:types t)
  (:constants k - t)
  (:predicates (p ?x - t) (q ?x - t) (r))
  (:action both :parameters (?x - t) :effect (and (p ?x) (not (p ?x))))
  (:action old :parameters (?x - t)
    :effect (and (not (p ?x)) (when (p ?x) (q ?x)) (when (q ?x) (not (q ?x)))))
  (:action all :precondition (not (r)) :effect (and (r) (forall (?x - t) (when (not (p ?x)) (p ?x)))))
  (:action other :parameters (?x ?y - t)
    :precondition (and (not (= ?x ?y)) (not (= ?x k)) (p ?x)) :effect (q ?y)))
""")
ONE = parse_problem(
    "(define (problem o) (:domain rules) (:objects a b - t) (:init (p a)) (:goal (r)))", RULES
)


def p(name: str) -> Atom:
    return Atom("p", (name,))


def q(name: str) -> Atom:
    return Atom("q", (name,))


def test_that_an_axiom_may_build_on_what_it_says_of_a_constant() -> None:
    rules = parse_domain("""(define (domain power) (:constants hub)
      (:predicates (switched ?x) (wired ?x) (live ?x))
      (:derived (live ?x) (or (switched ?x) (and (wired ?x) (live hub)))))""")

    def live(switched: str) -> bool:
        problem = f"""(define (problem o) (:domain power) (:objects lamp plug)
          (:init (wired lamp) (switched {switched})) (:goal (live lamp)))"""
        one = parse_problem(problem, rules)
        return semantics.goal_holds(one, one.state)

    assert (live("hub"), live("plug")) == (True, False)


def test_that_a_step_is_applicable_where_its_formula_holds() -> None:
    rules = parse_domain(
        "(define (domain d) (:predicates (on ?x) (red ?x)) (:action press :parameters (?x)"
        " :precondition (or (on ?x) (red ?x)) :effect (on ?x)))"
    )
    text = "(define (problem o) (:domain d) (:objects a b c) (:init (on a) (red b)) (:goal (on c)))"
    one = parse_problem(text, rules)
    assert [str(step) for step in semantics.applicable_steps(one, one.state)] == ["(press a)", "(press b)"]


@pytest.mark.parametrize(("on", "every"), [("(on a) (on b)", True), ("(on a)", False)])
def test_that_an_axiom_may_speak_of_every_object(on: str, every: bool) -> None:
    rules = parse_domain("""(define (domain lamps) (:predicates (on ?x) (bright))
      (:derived (bright) (forall (?x) (on ?x))))""")
    problem = f"(define (problem o) (:domain lamps) (:objects a b) (:init {on}) (:goal (bright)))"
    one = parse_problem(problem, rules)
    assert semantics.goal_holds(one, one.state) is every


def test_that_adds_come_after_deletes() -> None:
    assert p("b") in semantics.apply(ONE, ONE.state, Step("both", ("b",)))


def test_that_conditions_look_at_the_old_state() -> None:
    assert semantics.apply(ONE, ONE.state, Step("old", ("a",))) == {q("a")}
    assert semantics.apply(ONE, frozenset({q("a")}), Step("old", ("a",))) == frozenset()
    assert semantics.apply(ONE, frozenset({p("a"), q("a")}), Step("old", ("a",))) == {q("a")}


def test_that_forall_reaches_constants_too() -> None:
    assert semantics.apply(ONE, ONE.state, Step("all")) == {Atom("r"), p("a"), p("b"), p("k")}


def test_that_reasons_name_what_is_in_the_way() -> None:
    why = lambda *step: semantics.inapplicable_reasons(ONE, ONE.state, Step(step[0], step[1:]))  # noqa: E731
    assert why("other", "a", "b") == ()
    assert why("other", "a", "a") == ("a and a are the same",)
    assert why("other", "k", "b") == ("k and k are the same", "(p k) does not hold")
    assert semantics.inapplicable_reasons(ONE, frozenset({Atom("r")}), Step("all")) == (
        "(r) holds, but must not",
    )
    assert why("fly") == ("there is no action named 'fly'",)
    assert why("both") == ("both takes 1 object, not 0",)
    assert why("both", "nobody") == ("there is no object named 'nobody'",)


def test_that_an_object_of_the_wrong_type_is_a_reason(household: Callable[..., Problem]) -> None:
    problem = household("boil_water")
    step = Step("openit", ("agent-n-01_1", "mug-n-04_1", "kitchen_1"))
    assert semantics.inapplicable_reasons(problem, problem.state, step) == (
        "mug-n-04_1 is of type 'mug-n-04', not 'container'",
    )
    with pytest.raises(KeyError):
        semantics.apply(problem, problem.state, step)


def test_that_the_same_step_in_other_problems_is_bound_anew() -> None:
    more = parse_problem(
        "(define (problem o) (:domain rules) (:objects a b c - t) (:init) (:goal (r)))", RULES
    )
    assert p("c") not in semantics.apply(ONE, ONE.state, Step("all"))
    assert p("c") in semantics.apply(more, more.state, Step("all"))


def test_that_the_applicable_steps_are_all_that_have_no_reason_against_them(problem: Problem) -> None:
    state = problem.state
    for step in (None, *random_walk(problem, 8, seed=3)):
        state = semantics.apply(problem, state, step) if step else state
        names = [o.name for o in problem.all_objects]
        every = [
            Step(action.name, args)
            for action in problem.domain.actions
            for args in product(names, repeat=len(action.parameters))
        ]
        expected = {str(s) for s in every if not semantics.inapplicable_reasons(problem, state, s)}
        assert expected == {str(s) for s in every if semantics.is_applicable(problem, state, s)}
        assert {str(s) for s in semantics.applicable_steps(problem, state)} == expected


def test_that_a_walk_can_be_walked_and_depends_on_its_seed_only(problem: Problem) -> None:
    walk = random_walk(problem, 12, seed=7)
    assert walk == random_walk(replace(problem), 12, seed=7)
    assert len(walk) == 12
    state = problem.state
    for step in walk:
        assert semantics.inapplicable_reasons(problem, state, step) == ()
        state = semantics.apply(problem, state, step)
    assert any(walk != random_walk(problem, 12, seed=other) for other in range(5))


def test_that_a_walk_ends_at_a_dead_end() -> None:
    domain = parse_domain(
        "(define (domain d) (:predicates (r)) (:action once :precondition (not (r)) :effect (r)))"
    )
    problem = parse_problem("(define (problem o) (:domain d) (:init) (:goal (r)))", domain)
    assert random_walk(problem, 9, seed=0) == (Step("once"),)


def test_that_a_plan_is_followed_through() -> None:
    assert semantics.plan_faults(ONE, (Step("all"),)) == ()
    assert semantics.plan_faults(ONE, Plan(PlanStatus.FOUND, (Step("all"), Step("all")))) == (
        "step 2 (all): (r) holds, but must not",
    )
    assert semantics.plan_faults(ONE, ()) == ("at the end (r) does not hold",)


def test_that_literals_hold_or_not() -> None:
    state = frozenset({p("a")})
    assert semantics.holds(state, Literal("p", ("a",)))
    assert semantics.holds(state, Literal("p", ("b",), False))
    assert semantics.holds(state, Literal("=", ("a", "a")))
    assert not semantics.holds(state, Literal("=", ("a", "a"), False))
