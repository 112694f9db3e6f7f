"""What the hand has taken is gone from a true picture."""

from __future__ import annotations

from math import inf
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from core.errors import NoPicture
from core.stop_token import StopToken
from robots.ur5e import preflight
from robots.ur5e.tabletop.rgbd_image import RgbdImage
from robots.ur5e.tabletop.robot import MotionChallenge, TabletopRobot


def picture(thing: bool, seed: int) -> RgbdImage:
    """A noisy table, with a bright thing on it or without."""
    rgb = np.random.default_rng(seed).integers(90, 100, (48, 64, 3), np.uint8)
    if thing:
        rgb[10:20, 30:40] += 100
    return RgbdImage("overhead", 0.0, rgb, np.zeros((48, 64), np.float32), 60.0, np.eye(4))


def test_that_a_picture_that_still_shows_what_was_taken_is_from_before() -> None:
    before = picture(True, 1)
    before.boxes["toy"] = (30.0, 10.0, 40.0, 20.0)
    challenge = MotionChallenge("toy", before)
    assert "still shows it where it was" in challenge.fault(picture(True, 2))
    assert challenge.fault(picture(False, 3)) == ""
    assert MotionChallenge("other", before).fault(picture(True, 2)) == "", "it was not seen before"


def test_that_an_episode_waits_once_for_a_person_to_look() -> None:
    before = picture(True, 1)
    before.boxes["toy"] = (30.0, 10.0, 40.0, 20.0)
    robot: Any = SimpleNamespace(
        _check_open=lambda: None,
        _stepped=True,
        capture=lambda: picture(True, 2),
        skills=SimpleNamespace(holding=lambda: True),
        _challenge=MotionChallenge("toy", before),
        _pictures=False,
    )
    with pytest.raises(NoPicture, match="repeats itself or is late"):
        TabletopRobot.look(robot, StopToken())
    TabletopRobot.look(robot, StopToken())


def test_that_a_picture_that_nobody_sees_has_no_age_to_jog_by() -> None:
    unwatched: Any = SimpleNamespace(_live=SimpleNamespace(age=lambda: None))
    age: Any = TabletopRobot.picture_age
    assert age.fget(unwatched) == inf
    assert "no live picture whose age is known" in preflight.camera_check(inf).refusal
