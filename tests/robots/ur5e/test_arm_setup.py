"""A setup file with a slip in it is told in one sentence; no bad number reaches an arm."""

from __future__ import annotations

from pathlib import Path

import pytest

from core.errors import BadFile
from robots.ur5e.arm_setup import ArmLimits, read_setup


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("limits = 3", "limits are a table"),
        ("[limits]\nlower = [0.1]", "lower .* 3 numbers"),
        ("[limits]\nlower = [nan, 0, 0]", "lower .* 3 numbers"),
        ("[limits]\nlower = [1, 1, 1]", "box is empty"),
        ("[limits]\nfresh = 10", "fresh is 10"),
        ("[limits]\ntool_speed = inf", "tool_speed is inf"),
        ("[limits]\njoint_speed = true", "joint_speed is True"),
        ("[limits]\nclearance = -1", "clearance is -1"),
        ("[limits]\nspeed = 1", "'speed' is no setting"),
        ("tcp = [0, 0, 0.157]", "tcp .* 6 numbers"),
        ("payload = nan", "payload is nan"),
        ('payload = "1 kg"', "payload is '1 kg'"),
        ("centre = [0]", "centre .* 3 numbers"),
        ("watchdog = 0", "watchdog is 0"),
        ("watchdog = 0.2", "watchdog is 0.2"),
        ("gripper_force = 300", "gripper_force is 300"),
        ("viewpoints = [[0, 0]]", "viewpoint .* 6 numbers"),
        ("address = 5", "address is 5"),
        ("grasp_network = 5", "grasp_network is 5"),
        ("[camera.overhead]\nsource = [0]", r"\[camera.overhead\].*source"),
        ("[camera.overhead]\nsize = 640", "size is 640"),
        ("[camera.overhead]\ndepth = 1.5", "depth is 1.5"),
        ('[camera.overhead]\ndepth_unit = "mm"', "depth unit is 'mm'"),
        ("[camera.overhead]\ncalibration = 3", "calibration is 3"),
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
