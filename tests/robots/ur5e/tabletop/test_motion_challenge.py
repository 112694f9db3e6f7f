"""What the hand has taken is gone from a true picture."""

from __future__ import annotations

import numpy as np

from robots.ur5e.tabletop.motion_challenge import MotionChallenge
from robots.ur5e.tabletop.rgbd_image import RgbdImage


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
