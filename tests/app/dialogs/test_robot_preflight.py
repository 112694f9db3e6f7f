"""The preflight of the chosen robot in the set-up: what it is, and a line for each thing that it lacks."""

from __future__ import annotations

from dataclasses import replace

import pytest

from app.dialogs.setup.settings_checker import LINES, check_robot, check_truth
from core.arm.arm_capabilities import PreflightCheck
from core.config import Settings
from core.errors import RobotError
from core.ports import Embodiment
from core.robots import PreflightReport
from robots.registry import ROBOTS
from tests.robots.ur5e.conftest import fresh_address

ARM = Settings(task="collect_eggplant", robot="ur5e", answerer="perfect")
OFF = PreflightCheck("power", False, "the arm is off", "start it")


def found(report: PreflightReport) -> tuple[Embodiment | None, list[tuple[str, str]]]:
    entry = replace(ROBOTS["ur5e"], missing=lambda: None, preflight=lambda options: report)
    embodiment, lines = check_robot(entry, ARM)
    return embodiment, [(line.state, line.text) for line in lines]


def test_that_each_failed_check_is_a_line_with_its_way_out() -> None:
    report = PreflightReport(Embodiment.REAL, (PreflightCheck("data", True), OFF))
    assert found(report) == (Embodiment.REAL, [("doubt", "UR5e, power: the arm is off: start it")])


def test_that_a_ready_arm_is_one_line_that_says_what_it_is() -> None:
    embodiment, [(state, words)] = found(PreflightReport(Embodiment.REAL, (PreflightCheck("data", True),)))
    assert (embodiment, state) == (Embodiment.REAL, "ready")
    assert words == "UR5e (REAL) is ready: data. It was only listened to"


def test_that_a_preflight_that_breaks_is_a_line_and_no_end() -> None:
    def broken(options: object) -> PreflightReport:
        raise RobotError("The setup file is for another arm.")

    entry = replace(ROBOTS["ur5e"], missing=lambda: None, preflight=broken)
    [line] = check_robot(entry, ARM)[1]
    assert (line.state, line.text) == ("fault", "The setup file is for another arm.")


def test_that_an_emulator_of_its_own_needs_no_preflight(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("DKPROMPT_UR5E", raising=False)
    assert check_robot(ROBOTS["ur5e"], ARM)[1] == ()


@pytest.mark.arm
def test_that_an_arm_that_does_not_answer_is_not_started(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("robots.ur5e.unmade_preflight._DATA_S", 0.1)
    embodiment, [line] = check_robot(ROBOTS["ur5e"], replace(ARM, options={"robot.arm": fresh_address()}))
    assert (embodiment, line.state) == (None, "fault")
    assert line.text.startswith("UR5e, data: no data from")


@pytest.mark.parametrize(
    ("robot", "answerer", "expected"),
    [
        ("remote", "perfect", [("fault", "or say that it is a simulator")]),
        ("ur5e", "symmetric-20", [("fault", "what counts as REAL tells none: choose a model")]),
        ("remote", "", [("doubt", "unless an eye of your own knows the task, choose a model, or say")]),
        ("remote", "openai", []),
        ("remote", "eye", []),
    ],
)
def test_that_a_robot_that_counts_as_real_meets_no_simulated_answerer(
    robot: str, answerer: str, expected: list[tuple[str, str]]
) -> None:
    lines = check_truth(ROBOTS[robot], replace(ARM, robot=robot, answerer=answerer))
    assert [line.state for line in lines] == [state for state, _ in expected]
    assert all(words in line.text for line, (_, words) in zip(lines, expected, strict=True))


def test_that_of_many_failed_checks_some_are_shown_and_the_others_counted() -> None:
    _, lines = found(PreflightReport(Embodiment.SIM, (OFF,) * 9))
    assert len(lines) == LINES + 1
    assert lines[-1] == ("doubt", "And 5 more, which doctor --robot ur5e lists in a terminal")
    assert len(found(PreflightReport(Embodiment.SIM, (OFF,) * 5))[1]) == 5
