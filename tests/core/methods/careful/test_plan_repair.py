"""Plans of known steps, where no earlier plan leads on."""

from __future__ import annotations

from dataclasses import replace

import pytest

from core.methods.careful import plan_repair
from core.methods.careful.plan_repair import PlanRepair
from core.methods.careful.policy import Careful
from core.methods.careful.world_model import WorldModel
from core.planning.planner import make_planner
from core.planning_model import Effect, Exists, Literal
from tests.core import tiny
from tests.core.methods.careful.conftest import Stated
from tests.core.tiny import CLOSED, EMPTY, OPEN, TAKE

SHUT = tiny.PROBLEM.state


@pytest.fixture
def world(careful) -> WorldModel:
    return careful().world


@pytest.fixture
def repair(world) -> PlanRepair:
    made = PlanRepair(world)
    made.learn((OPEN, TAKE))
    return made


@pytest.mark.parametrize(("state", "steps"), [(SHUT, (OPEN, TAKE)), (SHUT - {CLOSED}, (TAKE,))])
def test_that_known_steps_are_put_together_anew(repair, world, state, steps) -> None:
    assert repair.plan(world.number(state)) == steps


def test_that_there_is_none_where_the_known_steps_do_not_suffice(repair, world) -> None:
    assert repair.plan(world.number(frozenset({EMPTY}))) is None
    assert PlanRepair(world).plan(world.number(SHUT)) is None


def test_that_the_search_is_bounded_by_the_states_that_it_evaluates(repair, world, monkeypatch) -> None:
    monkeypatch.setattr(plan_repair, "EVALUATIONS", 1)
    assert repair.plan(world.number(SHUT)) is None


@pytest.mark.parametrize("kept", [True, False])
def test_that_what_a_step_does_only_sometimes_is_done_then(kept) -> None:
    """`open` also puts the key into the hand where the key is behind the door, or takes the hand away."""
    problem, (opening, *others) = tiny.PROBLEM, tiny.DOMAIN.actions
    behind = Literal("inside", ("key", "?d"))
    given = Effect(Literal("holding", ("key",)), condition=(behind,))
    shaken = Effect(Literal("handempty", (), False), condition=(replace(behind, positive=False),))
    opening = replace(opening, effects=(*opening.effects, given if kept else shaken))
    problem = replace(problem, domain=replace(tiny.DOMAIN, actions=(opening, *others)))
    world = Careful(tiny.folder(), problem, make_planner(), Stated()).world
    repair, shut = PlanRepair(world), world.number(SHUT)
    repair.learn((OPEN, TAKE))
    assert repair.plan(shut) == ((OPEN,) if kept else (OPEN, TAKE))
    assert repair.first_leading(shut, [(1.0, (OPEN,)), (2.0, (OPEN, TAKE))])[0] == (1.0 if kept else 2.0)


def test_that_a_plan_for_one_of_two_goals_leads_there_or_not() -> None:
    either = Exists((), (Literal("holding", ("key",)), Literal("inside", ("key", "door"), False)))
    problem = replace(tiny.PROBLEM, goal=(), goal_formulas=(either,))
    world = Careful(tiny.folder(), problem, make_planner(), Stated()).world
    shut = world.number(SHUT)
    assert (
        PlanRepair(world).first_leading(shut, [(1.0, (TAKE,)), (2.0, (OPEN,)), (3.0, (OPEN, TAKE))])[0] == 3.0
    )
