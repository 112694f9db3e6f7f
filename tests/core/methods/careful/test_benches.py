"""What the method does on benches that are unlike the kitchen, and where their folders or the answers mislead."""

from __future__ import annotations

from core.config import Settings
from core.methods.careful.options import CarefulOptions
from core.methods.careful.policy import Careful
from core.planning.domain_library import load_domain_spec
from core.planning.planner import make_planner
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
