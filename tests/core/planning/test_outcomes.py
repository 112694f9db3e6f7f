"""What may come of a step, whoever asks: a simulated world or a method."""

from __future__ import annotations

from dataclasses import replace

import pytest

from core.belief import Atom
from core.domains import DEFAULT_SITUATIONS, NOTHING_HAPPENS
from core.planning import domain_library, semantics
from core.planning.outcomes import OutcomeModel, effects_hold
from core.planning_model import Step
from tests.core.planning.walks import random_walk

A, ROOM, MUG, CABINET, SINK = "agent-n-01_1", "kitchen_1", "mug-n-04_1", "cabinet-n-01_1", "sink-n-01_1"
FETCH = (
    Step("find", (A, CABINET, ROOM)),
    Step("openit", (A, CABINET, ROOM)),
    Step("find", (A, MUG, ROOM)),
    Step("graspin", (A, MUG, CABINET)),
)


@pytest.fixture(scope="module")
def boil():
    folder, task = domain_library.load_task("boil_water")
    state = task.problem.state
    for step in FETCH[:3]:
        state = semantics.apply(task.problem, state, step)
    return folder, task.problem, state


def test_that_a_grasp_works_fails_or_drops(boil) -> None:
    folder, problem, state = boil
    works, fails, drops = OutcomeModel.for_agent(folder, problem).outcomes(state, FETCH[3])
    assert (works.probability, works.situation) == (0.5, "")
    assert works.state == semantics.apply(problem, state, FETCH[3])
    assert (fails.probability, fails.state) == (0.25, state)
    assert drops.situation == "the object drops nearby"
    assert Atom("onfloor", (MUG, "floor-n-01_1")) in drops.state
    assert Atom("inhand", (A, MUG)) not in drops.state


def test_that_probabilities_add_up_to_1_on_every_step_of_a_walk(boil) -> None:
    folder, problem, state = boil
    model = OutcomeModel.for_agent(folder, problem, 1.75)
    for step in random_walk(problem.with_state(state), 60, seed=3):
        found = model.outcomes(state, step)
        assert sum(o.probability for o in found) == pytest.approx(1)
        state = found[-1].state if len(found) % 2 else found[0].state


def test_that_nothing_is_expected_to_go_wrong_at_openness_0(boil) -> None:
    folder, problem, state = boil
    assert [o.situation for o in OutcomeModel.for_agent(folder, problem, 0).outcomes(state, FETCH[3])] == [""]


def test_that_what_cannot_happen_adds_to_what_works(boil) -> None:
    folder, problem, state = boil
    to_sink = Step("find", (A, SINK, ROOM))
    empty = OutcomeModel.for_agent(folder, problem).outcomes(state, to_sink)
    assert "the held object drops" not in [o.situation for o in empty]
    assert empty[0].probability == pytest.approx(0.9)
    held = semantics.apply(problem, state, FETCH[3])
    full = OutcomeModel.for_agent(folder, problem).outcomes(held, to_sink)
    assert full[0].probability == pytest.approx(0.8)
    assert "the held object drops" in [o.situation for o in full]


def test_that_a_step_that_cannot_be_done_changes_nothing(boil) -> None:
    folder, problem, _ = boil
    (only,) = OutcomeModel.for_agent(folder, problem).outcomes(problem.state, FETCH[3])
    assert (only.probability, only.state) == (1, problem.state)


def test_that_a_folder_that_says_nothing_leaves_something_to_expect() -> None:
    folder = domain_library.load_domain_spec("tests/fixtures/domains/ferry")
    problem = next(iter(folder.tasks.values())).problem
    step = semantics.applicable_steps(problem, problem.state)[0]
    works, nothing = OutcomeModel.for_agent(folder, problem).outcomes(problem.state, step)
    assert (nothing.probability, nothing.situation, nothing.state) == (
        0.15,
        NOTHING_HAPPENS.name,
        problem.state,
    )
    assert works.probability == 0.85


def test_that_what_is_held_may_drop_where_no_situation_is_named(boil) -> None:
    """Without this a robot that feels its empty hand would be sure that it put something down well."""
    folder, problem, state = boil
    bare = replace(folder, skills={}, default_situations=DEFAULT_SITUATIONS)
    held = semantics.apply(problem, state, FETCH[3])
    (*_, drops) = OutcomeModel.for_agent(bare, problem).outcomes(held, Step("find", (A, SINK, ROOM)))
    assert drops.probability == 0.1
    assert Atom("onfloor", (MUG, "floor-n-01_1")) in drops.state


def test_that_a_world_and_an_agent_may_know_different_laws(boil) -> None:
    folder, problem, state = boil
    nowhere = replace(folder, rules=())
    (*_, drops) = OutcomeModel.for_agent(nowhere, problem).outcomes(state, FETCH[3])
    assert not any(MUG in atom.args and atom.predicate in ("onfloor", "ontop") for atom in drops.state)
    truly = OutcomeModel(problem, nowhere.world_rules, {"graspin": folder.situations_of("graspin")})
    assert Atom("onfloor", (MUG, "floor-n-01_1")) in truly.outcomes(state, FETCH[3])[-1].state


def test_that_a_promise_is_kept_where_all_that_should_change_has_changed(boil) -> None:
    _, problem, state = boil
    worked = semantics.apply(problem, state, FETCH[3])
    assert effects_hold(problem, state, worked, FETCH[3])
    assert not effects_hold(problem, state, state, FETCH[3])
    assert not effects_hold(problem, state, worked | {Atom("handempty", (A,))}, FETCH[3])
    assert not effects_hold(problem, state, state, Step("fly", (A,)))


def test_that_what_does_not_concern_the_step_does_not_matter(boil) -> None:
    _, problem, state = boil
    worked = semantics.apply(problem, state, FETCH[3]) | {Atom("closed", (CABINET,))}
    assert effects_hold(problem, state, worked, FETCH[3])
