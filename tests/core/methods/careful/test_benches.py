"""What the method does on benches unlike the kitchen, and where their folders or the answers mislead."""

from __future__ import annotations

import pytest

from core.belief import Atom
from core.config import Settings
from core.methods.careful.options import CarefulOptions
from core.methods.careful.policy import Careful
from core.methods.careful.world_model import UNTOLD_FALL
from core.planning.domain_library import load_domain_spec
from core.planning.planner import make_planner
from core.planning_model import Step
from tests.episodes import Outcome, episode


def careful_of(bench: str, task: str) -> Careful:
    spec = load_domain_spec(bench)
    return Careful(spec, spec.tasks[task].problem, make_planner(), None, CarefulOptions())


def played(bench: str, task: str, answerer: str, seed: int, truth: str = "") -> Outcome:
    return episode(
        Settings(
            task=task,
            domain=bench,
            robot="symbolic",
            method="careful",
            answerer=answerer,
            seed=seed,
            pictures=False,
            options={"robot.truth": truth} if truth else {},
        )
    )


def test_that_a_step_which_changes_more_than_the_view_is_no_look() -> None:
    rack, lids = careful_of("rack", "two").world, careful_of("lids", "pack").world
    start = rack.number(rack.problem.state)
    assert not list(rack.looking_steps(start, {"t1", "t2"}))  # the camera is at the wrist: to look is to take
    start = lids.number(lids.problem.state)
    assert {str(s) for s in lids.looking_steps(start, {"red"})} == {"(look_at hand red bowl)"}


def test_that_a_person_is_asked_about_what_a_wrist_camera_shows() -> None:
    assert "at" in careful_of("rack", "two").world.askable


def test_that_a_reached_goal_is_not_undone_to_look() -> None:
    run = played("rack", "two", "perfect", 5000)
    assert run.true and run.steps <= 16  # 50 where the tube in the rack was taken out to look at it


def test_that_answers_which_only_agree_are_found_out_and_said() -> None:
    run = played("rack", "two", "agrees-with-the-plan", 5014)
    assert run.true and "The answers tell nothing: they seem to say whatever is expected" in run.ended.reason


def test_that_what_is_never_answered_is_asked_no_more() -> None:
    run = played("rack", "one", "silent", 5003)
    assert run.steps <= 10 and len(run.asked) <= 8  # 50 steps and 70 questions otherwise
    assert "none was answered" in run.ended.reason


def test_that_a_step_may_lose_what_the_folder_does_not_say_it_loses() -> None:
    method = careful_of("rack", "two")
    world, full = method.world, Atom("filled", ("t1",))
    held = frozenset({Atom("holding", ("wrist", "t1")), Atom("at", ("t2", "table")), full})
    ways = world.transitions(world.number(held), Step("put_in", ("wrist", "t1", "stand")))
    spilt = {way.situation: way.probability for way in ways if full not in world.states[way.state]}
    falls = next(s.rate for s in method.domain_spec.situations_of("put_in") if s.name == "the tube falls")
    assert sum(way.probability for way in ways) == pytest.approx(1)
    assert spilt["the tube falls"] == pytest.approx(falls * UNTOLD_FALL) and spilt[""] < 0.01


def test_that_a_side_effect_which_the_folder_leaves_out_is_noticed() -> None:
    run = played("rack", "two", "symmetric-10", 5001, "spills")
    assert run.true  # it claimed at 98 % what was not so
