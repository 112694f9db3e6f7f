"""A camera that is moved a little, for measuring how an eye bears it."""

import mujoco
import numpy as np
import pytest

from robots.labelled_still import shift_camera

XML = """<mujoco><worldbody><camera name="other" pos="0 0 1"/>
<camera name="eye" pos="0 1 2" xyaxes="0 -1 0 1 0 0"/></worldbody></mujoco>"""


def test_that_a_camera_moves_by_20_mm_and_turns_by_3_degrees_and_no_other_does() -> None:
    model, before = (mujoco.MjModel.from_xml_string(XML) for _ in range(2))
    shift_camera(model, "eye", 7)
    moved = np.linalg.norm(model.cam_pos - before.cam_pos, axis=1)
    turned = 2 * np.arccos(np.clip(np.abs((model.cam_quat * before.cam_quat).sum(1)), 0, 1))
    assert moved == pytest.approx([0, 0.02])
    assert np.degrees(turned) == pytest.approx([0, 3.0], abs=1e-3)
