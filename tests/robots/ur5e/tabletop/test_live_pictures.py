"""Live pictures: each camera by itself, only while somebody looks, and their age known."""

from __future__ import annotations

import math
from collections.abc import Iterator
from time import monotonic

import numpy as np
import pytest

from core.errors import RobotError
from core.ports import Frame
from robots.ur5e.emulator.scene import VIEW
from robots.ur5e.tabletop import live_pictures
from robots.ur5e.tabletop.live_pictures import LivePictures, LiveView
from robots.ur5e.tabletop.rgbd_image import RgbdImage
from tests.robots.ur5e.conftest import until


class Eyes:
    """Two cameras, of which some are missing."""

    def __init__(self) -> None:
        self.missing: set[str] = set()
        self.connected = 0

    def connect(self):
        self.connected += 1
        return self.see

    def see(self, camera: str) -> RgbdImage:
        if camera in self.missing:
            raise RobotError(f"The {camera} camera is missing: plug it in.")
        rgb, depth = np.zeros((4, 6, 3), np.uint8), np.zeros((4, 6), np.float32)
        return RgbdImage(camera, monotonic(), rgb, depth, 1.0, np.eye(4))


@pytest.fixture
def eyes() -> Eyes:
    return Eyes()


@pytest.fixture
def live(eyes: Eyes) -> Iterator[LivePictures]:
    made = LivePictures(eyes.connect)
    yield made
    made.close()


@pytest.mark.parametrize(("missing", "there"), [("overhead", "wrist"), ("wrist", "overhead")])
def test_that_a_missing_camera_holds_up_no_other(
    eyes: Eyes, live: LivePictures, missing: str, there: str
) -> None:
    eyes.missing.add(missing)
    until(lambda: (live.latest(missing), live.latest(there))[1] is not None)
    first = live.latest(there)
    until(lambda: (live.latest(missing), live.latest(there))[1] is not first)
    assert live.latest(missing) is None
    eyes.missing.clear()
    until(lambda: live.latest(missing) is not None)


def test_that_the_age_is_that_of_the_camera_that_is_looked_at(eyes: Eyes, live: LivePictures) -> None:
    assert live.age() is None, "nobody looks"
    assert eyes.connected == 0
    eyes.missing.add("wrist")
    until(lambda: live.latest("overhead") is not None)
    age = live.age()
    assert age is not None and age < 5
    assert live.latest("wrist") is None
    assert live.age() == math.inf


def test_that_a_view_that_rests_is_as_new_as_ever_and_hardly_drawn(
    eyes: Eyes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(live_pictures, "_SETTLED_S", 0.05)
    scene = [1.0]
    view = LiveView(eyes.connect, lambda: tuple(scene))
    first = newer(view, 0.3)
    resting = newer(view, first.timestamp + 0.2)
    assert resting.rgb is newer(view, resting.timestamp).rgb
    scene[0] = 2.0
    until(lambda: newer(view, 0.0).rgb is not resting.rgb)
    eyes.missing.add(VIEW)
    scene[0] = 3.0
    until(lambda: eyes.connected > 3)  # and never rests on a picture of before
    assert newer(view, 0.0).timestamp < monotonic() - 0.1
    view.close()


def newer(live: LivePictures, than: float) -> Frame:
    until(lambda: (frame := live.latest(VIEW)) is not None and frame.timestamp > than)
    frame = live.latest(VIEW)
    assert frame is not None
    return frame
