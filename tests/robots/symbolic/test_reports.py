"""What the symbolic robot reports of a step."""

from __future__ import annotations

from dataclasses import replace

import pytest

from core.ports import StepStatus
from robots.symbolic.robot import SymbolicRobot
from tests.core import tiny
from tests.permitted import do


@pytest.mark.parametrize(("feels", "status"), [(("stays closed",), StepStatus.FAILED), ((), StepStatus.DONE)])
def test_that_it_reports_failed_of_what_the_folder_says_that_it_feels(feels, status) -> None:
    folder = tiny.folder(open_fails=1.0)
    opening = replace(folder.skills["open"], detects=feels)
    robot = SymbolicRobot(replace(folder, skills={"open": opening}), tiny.TASK, pictures=False)
    assert do(robot, tiny.OPEN).status is status
    robot.close()
