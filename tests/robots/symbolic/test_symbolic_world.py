"""Any domain's own semantics as a true world, with the situations of its folder."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import pytest

from core.belief import Atom
from core.domains import DefaultRule, Situation, Skill, WorldRules
from core.errors import BadValue
from core.planning import domain_library, semantics
from core.planning_model import Literal, Step
from robots.symbolic.world import SymbolicWorld
from tests.core.planning.walks import random_walk

AGENT, ROOM = "agent-n-01_1", "kitchen_1"
MUG, CABINET, SINK, FLOOR = "mug-n-04_1", "cabinet-n-01_1", "sink-n-01_1", "floor-n-01_1"

FETCH = (
    Step("find", (AGENT, CABINET, ROOM)),
    Step("openit", (AGENT, CABINET, ROOM)),
    Step("find", (AGENT, MUG, ROOM)),
    Step("graspin", (AGENT, MUG, CABINET)),
)
TO_SINK = Step("find", (AGENT, SINK, ROOM))


@pytest.fixture(scope="module")
def boil():
    return domain_library.load_task("boil_water")


def after(boil, steps, **options) -> SymbolicWorld:
    """A world with these options, after steps in which nothing went wrong."""
    calm, world = SymbolicWorld(*boil, openness=0), SymbolicWorld(*boil, **options)
    for step in steps:
        assert calm.do(step).failure == ""
    world.state = calm.state
    return world


def first(boil, steps, step: Step, name: str) -> SymbolicWorld:
    """The world after the first seed whose luck brings the situation."""
    for seed in range(500):
        world = after(boil, steps, seed=seed)
        if name in world.do(step).situation:
            return world
    raise AssertionError(f"no seed brings {name!r}")


@pytest.mark.parametrize("name", ["blocks", "gripper"])
def test_that_a_domain_nobody_planned_for_runs_as_its_own_semantics_say(pair, name: str) -> None:
    folder, task = pair(name)
    world, state = SymbolicWorld(folder, task), task.problem.state
    for step in random_walk(task.problem, 40, seed=2):
        happening = world.do(step)
        state = semantics.apply(task.problem, state, step)
        assert (happening.after, happening.situation, happening.failure) == (state, "", "")


def test_that_an_inapplicable_step_fails_with_the_reason_and_changes_nothing(pair) -> None:
    world = SymbolicWorld(*pair("blocks"))
    before = world.state
    happening = world.do(Step("pick_up", ("a",)))
    assert happening.failure == "(clear a) does not hold"
    assert world.state == before


def test_that_a_grasp_takes_a_thing_from_where_it_is_whatever_the_planner_believes(boil) -> None:
    world = after(boil, FETCH[:3], openness=0)
    elsewhere = Step("graspon", (AGENT, MUG, FLOOR))  # the folder's `arguments` leave out where it stands
    assert world.unmet_preconditions(elsewhere) == ()
    assert world.do(elsewhere).failure == ""
    assert Atom("inhand", (AGENT, MUG)) in world.state
    assert Atom("inside", (MUG, CABINET)) not in world.state
    assert "handempty" in world.do(elsewhere).failure


def test_that_a_thing_that_falls_ends_where_the_worlds_laws_say(boil) -> None:
    world = first(boil, FETCH, TO_SINK, "drops")
    assert {
        Atom("onfloor", (MUG, FLOOR)),
        Atom("ontop", (MUG, FLOOR)),
        Atom("handempty", (AGENT,)),
    } <= world.state
    assert Atom("inhand", (AGENT, MUG)) not in world.state
    assert Atom("inview", (AGENT, SINK)) in world.state  # it got there all the same


def test_that_a_filled_thing_that_falls_is_empty(boil) -> None:
    water = "water-n-06_1"
    fill = (TO_SINK, Step("fillsink", (AGENT, SINK, water)), Step("fill", (AGENT, MUG, SINK, water)))
    world = first(boil, (*FETCH, *fill), Step("find", (AGENT, CABINET, ROOM)), "drops")
    assert not any(a.predicate == "filled" for a in world.state)


def test_that_a_situation_instead_of_the_effects_leaves_things_as_they_were(boil) -> None:
    world = first(boil, FETCH[:3], FETCH[3], "grasp fails")
    assert Atom("inside", (MUG, CABINET)) in world.state


def test_that_a_situation_besides_the_effects_has_the_last_word(boil) -> None:
    world = first(boil, (), FETCH[0], "not in view")
    assert Atom("found", (AGENT, CABINET)) in world.state
    assert Atom("inview", (AGENT, CABINET)) not in world.state


def test_that_situations_come_as_often_as_the_folder_says(boil) -> None:
    seen = Counter(after(boil, FETCH[:3], seed=seed).do(FETCH[3]).situation for seed in range(600))
    assert seen["the grasp fails"] / 600 == pytest.approx(0.25, abs=0.07)
    assert seen["the object drops nearby"] / 600 == pytest.approx(0.25, abs=0.07)
    assert seen[""] / 600 == pytest.approx(0.5, abs=0.082)


def test_that_nothing_falls_from_an_empty_hand(boil) -> None:
    names = {after(boil, (), seed=seed, openness=1.75).do(FETCH[0]).situation for seed in range(200)}
    assert "the held object drops" not in names
    assert len(names) == 3


def test_that_luck_owes_nothing_to_what_was_done_before(boil) -> None:
    def grasps(detour: bool) -> list[str]:
        found = []
        for seed in range(60):
            world = after(boil, FETCH[:3], seed=seed)
            if detour:
                state = world.state
                world.do(TO_SINK)
                world.state = state
            found.append(world.do(FETCH[3]).situation)
        return found

    assert grasps(detour=False) == grasps(detour=True)


def test_that_situations_of_a_plain_domain_are_data_too(pair) -> None:
    folder, task = pair("blocks")
    effects = Literal("ontable", ("?0",)), Literal("on", ("?0", "a"), False), Literal("clear", ("a",))
    slips = Situation("it slips", 1.0, effects=effects)
    folder = replace(folder, skills={"unstack": Skill("unstack", "unstack", (slips,))})
    world = SymbolicWorld(folder, task)
    assert world.do(Step("unstack", ("c", "a"))).situation == "it slips"
    assert {Atom("ontable", ("c",)), Atom("clear", ("a",)), Atom("handempty", ())} <= world.state


def test_that_openness_outside_its_range_is_refused(boil) -> None:
    with pytest.raises(BadValue, match="outside its range"):
        SymbolicWorld(*boil, openness=3)


def test_that_nothing_of_what_the_agent_assumes_is_true_of_the_world(boil) -> None:
    folder, task = boil
    wrong = DefaultRule("every hand is empty", (), then=(Literal("handempty", (AGENT,)),))
    other = replace(folder, rules=(wrong,), mutexes=())
    for seed in range(20):
        one, two = (after((f, task), FETCH, seed=seed) for f in (folder, other))
        assert one.do(TO_SINK) == two.do(TO_SINK)


def test_that_what_drops_stays_where_it_was_in_a_world_without_laws(boil) -> None:
    folder, task = boil
    lawless = replace(folder, world_rules=WorldRules())
    world = first((lawless, task), FETCH[:3], FETCH[3], "drops")
    assert world.state == after(boil, FETCH[:3]).state
