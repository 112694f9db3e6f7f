"""A setup file with a slip in it is told in one sentence; no bad number reaches an arm."""

from __future__ import annotations

from pathlib import Path

import pytest

from core.errors import BadFile
from robots.ur5e.arm_setup import ArmLimits, read_setup


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("limits = 3", "limits must be a table, not 3"),
        ("[limits]\nlower = [0.1]", "limits.lower number 2 is missing"),
        ("[limits]\nlower = [nan, 0, 0]", "limits.lower number 1 must be a finite number"),
        ("[limits]\nlower = [1, 1, 1]", "limits: the workspace box is empty"),
        ("[limits]\nfresh = 10", "limits.fresh must be at most 0.5, not 10"),
        ("[limits]\ntool_speed = inf", "limits.tool_speed must be a finite number"),
        ("[limits]\ntool_speed = 0", "limits.tool_speed must be above 0, not 0"),
        ("[limits]\njoint_speed = true", "limits.joint_speed must be a number, not True"),
        ("[limits]\nclearance = -1", "limits.clearance must be at least 0, not -1"),
        ("[limits]\nspeed = 1", "limits.speed is not a known key"),
        ("tcp = [0, 0, 0.157]", "tcp number 4 is missing"),
        ("payload = nan", "payload must be a finite number"),
        ('payload = "1 kg"', "payload must be a number, not '1 kg'"),
        ("payload = -1", "payload must be at least 0, not -1"),
        ("centre = [0]", "centre number 2 is missing"),
        ("watchdog = 0", "watchdog must be above 0, not 0"),
        ("watchdog = 0.2", "watchdog must be at least 1, not 0.2"),
        ("gripper_force = 300", "gripper_force must be at most 255, not 300"),
        ("gripper_force = 3.5", "gripper_force must be a whole number, not 3.5"),
        ("viewpoints = [[0, 0]]", "viewpoints number 1 number 3 is missing"),
        ("address = 5", "address must be text, not 5"),
        ("grasp_network = 5", "grasp_network must be text, not 5"),
        ("[camera.overhead]\nsource = [0]", "camera.overhead.source: it must be a device's number"),
        ("[camera.overhead]\nsource = -1", "camera.overhead.source: it must be a device's number"),
        ("[camera.overhead]\nsize = 640", "camera.overhead.size must be a list, not 640"),
        ("[camera.overhead]\nsize = [true, 1]", "camera.overhead.size number 1 must be a whole number"),
        ("[camera.overhead]\ndepth = 1.5", "camera.overhead.depth: it must be a device's number"),
        ('[camera.overhead]\ndepth_unit = "mm"', "camera.overhead.depth_unit must be a number, not 'mm'"),
        ("[camera.overhead]\ncalibration = 3", "camera.overhead.calibration must be text, not 3"),
        ('[camera.overhead]\nmount = "wrist"', "camera.overhead: mount is the table's name"),
        ("address", "Expected '='"),
    ],
)
def test_that_a_slip_in_a_setup_file_is_told_in_one_sentence(tmp_path: Path, text: str, says: str) -> None:
    path = tmp_path / "arm.toml"
    path.write_text(text)
    with pytest.raises(BadFile, match=says) as caught:
        read_setup(path)
    assert str(caught.value).startswith(str(path))


def test_that_an_empty_setup_file_has_the_cautious_limits(tmp_path: Path) -> None:
    path = tmp_path / "arm.toml"
    path.write_text("")
    made = read_setup(path)
    assert made.limits == ArmLimits()
    assert (made.limits.tool_speed, made.limits.fresh) == (0.25, 0.1)
    assert made.tcp is None and made.payload is None
