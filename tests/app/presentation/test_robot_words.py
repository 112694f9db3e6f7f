"""What is said of the robot comes from its own data, whatever this window's episode does."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest

from app.presentation.decision_section import DecisionSection, DecisionSummary
from app.presentation.robot_words import RobotWatch, RobotWords, arm_words, with_robot
from core.arm.arm_capabilities import ArmStatus
from core.arm.handover import ArmConsole, SharedArm

STILL = ArmStatus("running", "normal", "playing", (0.0,) * 6, (0.0,) * 6, 1, 1, 0, False, True)
ANNA = ArmConsole("Anna", "window", "here", 1, 0.0)


@pytest.mark.parametrize(
    ("status", "shared", "said", "level"),
    [
        (STILL, None, "stands still", ""),
        (replace(STILL, moving=True), None, "moves", ""),
        (replace(STILL, moving=True, activity="jogging"), None, "jogged by hand", ""),
        (replace(STILL, moving=True), SharedArm(ANNA, False, still=False), "is moved by Anna", "doubt"),
        (replace(STILL, safe=False, safety="protective stop"), None, "protective stop, 17 s", "fault"),
        (replace(STILL, age=3.0), None, "no data for 3 s", "fault"),
        (replace(STILL, age=math.inf), None, "no data yet", "fault"),
        (replace(STILL, mode="power off"), None, "power off", "doubt"),
    ],
)
def test_that_the_arm_says_what_it_does(
    status: ArmStatus, shared: SharedArm | None, said: str, level: str
) -> None:
    words = arm_words(status, shared, 17.0)
    assert (words.text, words.level) == (said, level)


class Arm:
    """A robot that reports a status."""

    def __init__(self) -> None:
        self.status = replace(STILL, safe=False, safety="protective stop")


def test_that_a_safety_stops_age_counts_from_that_stop() -> None:
    watch, arm = RobotWatch(), Arm()

    def look(now: float) -> str:
        found = watch.look(arm, False, now)  # type: ignore[arg-type]
        assert found is not None
        return found.text

    assert look(100.0) == "protective stop, 0 s" and look(105.0) == "protective stop, 5 s"
    arm.status = STILL
    assert look(110.0) == "stands still"
    arm.status = replace(STILL, safe=False, safety="protective stop")
    assert look(160.0) == "protective stop, 0 s"


def test_that_a_safety_stop_comes_first_in_the_strip_while_a_plan_is_on_offer() -> None:
    plain = DecisionSection("REVIEW", "Plan 2 is on offer")
    summary = DecisionSummary(plain, plain, DecisionSection("DOUBT", "No doubts about this step"))
    shown = with_robot(summary, RobotWords("protective stop, 17 s", "fault", "Recover."))
    assert shown.next.word.startswith("ROBOT: PROTECTIVE STOP, 17 S")
    assert (shown.doubt.head, shown.doubt.level) == ("Protective stop, 17 s", "fault")
    assert with_robot(summary, RobotWords("moves")) is summary
