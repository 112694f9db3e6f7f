"""Define a body for the household: a simulator that plays what happened, and cameras in it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from core.ports import BoundingBox, Frame, RgbImage
from core.stop_token import StopToken
from robots.kitchen.household.state import HouseholdState
from robots.kitchen.household.transition import HouseholdTransition
from robots.kitchen.household.viewpoint import CameraPose


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


class HouseholdBody(Protocol):
    """A household's body. All methods but `live` are called from the loop's thread."""

    @property
    def camera_pose(self) -> CameraPose:
        """Return the pose of the robot's eye."""
        ...

    def play(self, transition: HouseholdTransition, cancel: StopToken) -> PlaybackResult:
        """Move everything as the transition says. Raises RobotError if the simulator broke."""
        ...

    def look(self, cancel: StopToken) -> RgbImage | None:
        """Return what the eye sees, 256 x 256 x 3, or None if it draws nothing. Raises Cancelled."""
        ...

    def boxes(self) -> tuple[BoundingBox, ...]:
        """Return the box of everything that the last look at least partly showed."""
        ...

    def live(self, camera: str) -> Frame | None:
        """Return the latest live frame of a camera, if there is one. Any thread; never blocks."""
        ...

    def close(self) -> None:
        """Release what it holds. Idempotent."""
