"""Define a body for the household: a simulator that plays what happened, and cameras in it.

The poses of its eye have names: measured in a simulation, or derived from steps without one.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Collection
from dataclasses import dataclass
from typing import Protocol

from core.ports import BoundingBox, Frame, RgbImage
from core.stop_token import StopToken
from robots.kitchen.household.state import HouseholdState, HouseholdTransition

SAME_POSITION = 0.001  # metres, for x and y; two poses are the same if no number differs by more
SAME_ANGLE = math.radians(0.05)  # for yaw and the head's pitch

CameraPose = tuple[float, float, float, float]  # x, y (metres), yaw, pitch (radians): all that varies


class PoseNames:
    """Names measured camera poses, with the same name exactly where the pose is the same."""

    def __init__(self) -> None:
        self._known: dict[str, CameraPose] = {}

    def name(self, pose: CameraPose, word: str) -> str:
        """Return the name of this pose; for a new one `word`, with a number if another pose is called so."""
        for name, known in self._known.items():
            if same_pose(known, pose):
                return name
        name, count = word, 0
        while name in self._known:  # the robot has stepped aside to get a clear view
            count += 1
            name = f"{word}, aside" if count == 1 else f"{word}, aside {count}"
        self._known[name] = pose
        return name


def same_pose(one: CameraPose, other: CameraPose) -> bool:
    """Return True if two poses count as the same."""
    far = max(abs(a - b) for a, b in zip(one[:2], other[:2], strict=True))
    turned = max(abs(math.remainder(a - b, math.tau)) for a, b in zip(one[2:], other[2:], strict=True))
    return far < SAME_POSITION and turned < SAME_ANGLE


class ViewpointTracker:
    """Derives viewpoint names from transitions, for a household without a simulation.

    A robot that comes back to a thing stands elsewhere than before, so every arrival gets a new name. Putting
    a thing on a floor moves the robot too; other skills do not. `PoseNames` uses these names for new poses,
    so that random draws are the same with pictures and without, except where the robot steps aside.
    """

    def __init__(self, display: Callable[[str], str], floors: Collection[str]) -> None:
        self._display, self._floors = display, floors
        self._visits: Counter[str] = Counter()
        self.viewpoint = "at the start"

    def update(self, transition: HouseholdTransition) -> None:
        state = transition.after
        if transition.reached_target:
            aim = "at" if state.focus == state.near else "past"
            self._move_to(f"{aim} {self._display(state.near)}")
        elif (
            transition.skill == "placeon"
            and transition.attempt_key
            and transition.attempt_key[2] in self._floors
        ):
            self._move_to(f"over {self._display(transition.attempt_key[2])}")

    def on_halt(self) -> None:
        """Record an arrival at an unknown pose."""
        self._move_to("halted")

    def _move_to(self, where: str) -> None:
        self._visits[where] += 1
        self.viewpoint = where if self._visits[where] == 1 else f"{where}, time {self._visits[where]}"


@dataclass(frozen=True)
class PlaybackResult:
    """The result of playing a transition, in which `state` holds afterwards.

    `committed` is True if the moment was reached at which the facts change; otherwise nothing has changed.
    `detail` is what the robot says of a step that went well; `remark` is what a person should know about the
    playback. `disagreement` says what the simulator could not make so: the step has failed, and `state` is
    what the simulator has. All three are sentences with the task's names of things, or "".
    """

    halted: bool
    committed: bool
    state: HouseholdState
    remark: str = ""
    detail: str = ""
    disagreement: str = ""


@dataclass(frozen=True)
class SideLook:
    """What the eye saw from elsewhere, and from which pose; `rgb` is None if nothing is drawn."""

    pose: CameraPose
    rgb: RgbImage | None
    boxes: tuple[BoundingBox, ...]


class LookHalted(Exception):
    """A halt or a cancel ended a look from elsewhere on its way; `state` holds then, None for as before."""

    def __init__(self, state: HouseholdState | None) -> None:
        super().__init__("halted")
        self.state = state


class HouseholdBody(Protocol):
    """A household's body. All methods but `live` are called from the loop's thread."""

    @property
    def camera_pose(self) -> CameraPose:
        """Return the pose of the robot's eye."""

    def play(self, transition: HouseholdTransition, cancel: StopToken) -> PlaybackResult:
        """Move everything as the transition says. Raises RobotError if the simulator broke."""

    def look(self, cancel: StopToken) -> RgbImage | None:
        """Return what the eye sees, 256 x 256 x 3, or None if it draws nothing. Raises Cancelled."""

    def look_aside(self, state: HouseholdState, degrees: float, name: str, cancel: StopToken) -> SideLook:
        """Look from so far around what the eye looks at, for the same name from the same place; come back.

        Raises LookHalted, and RobotError if there is no such place.
        """

    def boxes(self) -> tuple[BoundingBox, ...]:
        """Return the box of everything that the last look at least partly showed."""

    def live(self, camera: str) -> Frame | None:
        """Return the latest live frame of a camera, if there is one. Any thread; never blocks."""

    def close(self) -> None:
        """Release what it holds. Idempotent."""
