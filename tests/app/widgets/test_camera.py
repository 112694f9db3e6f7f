"""See: how old the picture is, and why there is none."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import replace

import numpy as np

import main
from app.widgets.camera.camera_panel import CameraPanel
from core.config import EpisodeComponents, Settings, ignore
from core.ports import Frame
from core.supervision import WATCH, SupervisionLevels
from tests.app.conftest import Opened

WHY = "There is no OpenGL here: install libegl1, then start again."


class Blind:
    """A real robot that cannot draw, and says why."""

    blank_frames_reason = WHY

    def __init__(self, robot: object) -> None:
        self._robot = robot

    def __getattr__(self, name: str) -> object:
        return getattr(self._robot, name)


class Lens:
    """A robot's cameras whose latest frame is as old as the test wants it."""

    name, embodiment, cameras = "lens", None, ("front",)

    def __init__(self) -> None:
        self.frame: Frame | None = None

    def live(self, camera: str) -> Frame | None:
        return self.frame

    def take(self, ago: float) -> None:
        pixels = np.zeros((30, 40, 3), np.uint8)
        self.frame = Frame(str(ago), "front", time.monotonic() - ago, rgb=pixels)


def test_that_the_camera_says_why_there_are_no_pictures(again: Opened) -> None:
    def make(
        settings: Settings, notify: Callable[[str], None] = ignore, supervision: SupervisionLevels = WATCH
    ) -> EpisodeComponents:
        parts = main.make_components(settings, notify)
        return replace(parts, robot=Blind(parts.robot))  # type: ignore[arg-type]

    at = again(make=make, preset="Watch")
    at.start("Watch")
    at.until(lambda: at.state.counts.steps >= 2)
    picture = at.window.camera.picture
    assert picture.image is None
    assert picture.accessibleDescription() == WHY
    at.over()
    assert at.window.camera.picture.accessibleDescription() == WHY


def test_that_a_late_picture_says_so_on_it_and_in_the_bar(again: Opened) -> None:
    at = again()
    at.ready()
    at.controller.refresh()  # else the window may still turn to its own robot
    camera: CameraPanel = at.window.camera
    told: list[tuple[str, str]] = []
    camera.frame_age_changed.connect(lambda *words: told.append(words))
    lens = Lens()
    camera.watch(lens)  # type: ignore[arg-type]
    camera._timer.stop()
    for ago, level, word in (
        (0.0, "", "frame"),
        (0.3, "doubt", "late"),
        (0.9, "fault", "STALE"),
        (90.0, "fault", "STALE"),  # not taken for new because it has just come
        (math.inf, "fault", "age unknown"),
        (-5.0, "fault", "age unknown"),  # of a clock that is not ours
    ):
        lens.take(ago)
        camera._poll()
        assert told[-1][1] == level
        tag = camera.picture._right
        assert tag.level == level and word in tag.text
    camera.watch(None)


def test_that_a_camera_that_breaks_is_told_once_and_is_not_looked_at_again(again: Opened) -> None:
    at = again()
    at.ready()
    at.controller.refresh()  # else the window may still turn to its own robot
    lens = Lens()
    appearance: list[str] = []

    def live(camera: str) -> Frame | None:
        appearance.append(camera)
        raise ValueError("the lens fell out")

    lens.live = live  # type: ignore[method-assign]
    with at.qtbot.captureExceptions() as broken:
        at.window.camera.watch(lens)  # type: ignore[arg-type]
        at.until(lambda: broken)
        at.qtbot.wait(100)
    assert len(appearance) == len(broken) == 1
    assert at.window.camera.header.note.text() != "live"
