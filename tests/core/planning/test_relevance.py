"""Large problems are planned over the few objects that matter."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace

import pytest

from core.planning import semantics
from core.planning.engines.downward import translate_problem
from core.planning.engines.engine import SearchLimits
from core.planning.engines.fast_downward import FastDownward
from core.planning.pddl.reader import parse_domain, parse_problem
from core.planning.planner import make_planner
from core.planning.search import PlanSearch, restrict_to_relevant
from core.planning_model import Action, Effect, Literal, PlanStatus, Problem, Step
from core.stop_token import StopToken
from tests.core.planning.shared import (
    crowded,
    needs_fast_downward,
    without,
)


def test_that_a_crowd_does_not_hide_the_plan(cancel: StopToken) -> None:
    problem = crowded(60)
    plan = make_planner().plan(problem, cancel)
    assert plan.status is PlanStatus.FOUND and semantics.plan_faults(problem, plan) == ()


def test_that_without_the_crowd_a_plan_takes_few_expansions(cancel: StopToken) -> None:
    plan = PlanSearch("pyperplan").run(crowded(20), SearchLimits(expansions=20), cancel).plan  # 100 with it
    assert plan.status is PlanStatus.FOUND


def test_that_a_crowd_does_not_make_the_impossible_a_timeout(cancel: StopToken) -> None:
    dry = without(crowded(60), "insource sink-n-01_1 water-n-06_1")
    plan = make_planner().plan(dry, cancel)
    assert plan.status is PlanStatus.IMPOSSIBLE and "even if nothing were ever undone" in plan.reason


def test_that_fewer_objects_are_those_of_the_relaxed_plan_with_their_holders(
    household: Callable[..., Problem],
) -> None:
    problem = crowded(40)
    step = Step("graspin", ("agent-n-01_1", "mug-n-04_1", "cabinet-n-01_1"))
    small = restrict_to_relevant(problem, [step])
    assert {o.name for o in small.objects} == {
        "agent-n-01_1", "mug-n-04_1", "cabinet-n-01_1", "kitchen_1", "water-n-06_1"
    }  # fmt: skip
    assert all(set(atom.args) <= {o.name for o in small.objects} for atom in small.state)


HAND = """(define (domain hand) (:types thing mark)
  (:predicates (in ?o ?c - thing) (held ?o - thing) (free) (near ?a ?b - thing) (done ?n - mark))
  (:action pick :parameters (?o - thing) :precondition (free)
    :effect (and (held ?o) (not (free)) (forall (?c - thing) (when (in ?o ?c) (not (in ?o ?c))))
      (forall (?x - thing) (when (near ?x ?o) (not (near ?x ?o))))))
  (:action put :parameters (?o ?c - thing) :precondition (and (held ?o) (not (= ?o ?c)))
    :effect (and (in ?o ?c) (free) (not (held ?o)))))"""


def labelled(things: int, constants: bool) -> Problem:
    """Copies of actions with bound parameters beside the originals, for four steps in a given order."""
    others = " ".join(f"t{n}" for n in range(things))
    text = f"(define (problem p) (:domain hand) (:objects fork mug box {others} - thing n0 n1 n2 n3 - mark)"
    problem = parse_problem(
        f"{text} (:init (free) (in fork mug)) (:goal (and (free) (done n3))))", parse_domain(HAND)
    )
    actions = list(problem.domain.actions)
    steps = (("pick", "mug"), ("put", "mug", "box"), ("pick", "fork"), ("put", "fork", "box"))
    for number, (name, *args) in enumerate(steps):
        action = problem.domain.action(name)
        bound = dict(zip((p.name for p in action.parameters), args, strict=True))
        before = (Literal("done", (f"n{number - 1}",)),) if number else ()
        effects = [
            replace(e, literal=e.literal.bind(bound), condition=tuple(c.bind(bound) for c in e.condition))
            for e in action.effects
        ]
        actions.append(
            Action(
                f"{name}__{number}",
                precondition=(*(p.bind(bound) for p in action.precondition), *before),
                effects=(*effects, Effect(Literal("done", (f"n{number}",)))),
            )
        )
    known = problem.objects if constants else ()
    domain = replace(problem.domain, actions=tuple(actions), constants=known)
    return replace(problem, domain=domain, objects=() if constants else problem.objects)


@pytest.mark.parametrize("constants", [True, False])
def test_that_of_labelled_actions_only_those_of_the_relaxed_plan_and_what_they_name_are_kept(
    constants: bool, cancel: StopToken
) -> None:
    problem = labelled(20, constants)
    small = restrict_to_relevant(problem, (Step("pick__2"), Step("put", ("fork", "mug"))))
    assert {o.name for o in small.all_objects} == {"fork", "mug", "n1", "n2", "n3"}
    assert {action.name for action in small.domain.actions} == {"pick", "put", "pick__2"}
    plan = PlanSearch("pyperplan").run(problem, SearchLimits(expansions=10), cancel).plan
    assert [step.name for step in plan.steps] == ["pick__0", "put__1", "pick__2", "put__3"]
    assert semantics.plan_faults(problem, plan) == ()


@needs_fast_downward
def test_that_an_object_that_an_action_names_is_a_constant_to_fast_downward(cancel: StopToken) -> None:
    task = translate_problem(labelled(2, constants=False), 60, cancel)
    assert task is not None
    plan = FastDownward().first(task, SearchLimits(), cancel)
    assert [step.name for step in plan.steps] == ["pick__0", "put__1", "pick__2", "put__3"]


def test_that_what_few_objects_cannot_do_is_tried_with_all(
    cancel: StopToken, monkeypatch: pytest.MonkeyPatch
) -> None:
    problem = crowded(20)
    useless = replace(problem, objects=problem.objects[:2], state=frozenset())
    monkeypatch.setattr("core.planning.search.restrict_to_relevant", lambda problem, relaxed: useless)
    plan = PlanSearch("pyperplan").run(problem, SearchLimits(), cancel).plan
    assert plan.status is PlanStatus.FOUND and semantics.plan_faults(problem, plan) == ()


def test_that_a_plan_over_few_objects_that_fails_over_all_of_them_is_not_taken(
    cancel: StopToken, monkeypatch: pytest.MonkeyPatch
) -> None:
    problem = crowded(20)

    def opened(problem: Problem, relaxed: Iterable[Step]) -> Problem:
        small = restrict_to_relevant(problem, relaxed)
        return small.with_state(atom for atom in small.state if atom.predicate != "closed")

    monkeypatch.setattr("core.planning.search.restrict_to_relevant", opened)
    plan = PlanSearch("pyperplan").run(problem, SearchLimits(), cancel).plan
    assert plan.status is PlanStatus.FOUND and semantics.plan_faults(problem, plan) == ()
