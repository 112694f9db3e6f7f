"""MuJoCo as the body of the household: an animator that follows the facts, and a thread that draws."""

from __future__ import annotations

from core.ports import BoundingBox, Frame, RgbImage
from core.stop_token import StopToken
from robots.kitchen.household.body import PlaybackResult
from robots.kitchen.household.transition import HouseholdTransition
from robots.kitchen.household.viewpoint import CameraPose
from robots.kitchen.motion.animator import Animator
from robots.kitchen.motion.playback import play
from robots.kitchen.rendering.render_thread import RenderThread


class MujocoBody:
    """Implements HouseholdBody."""

    def __init__(self, animator: Animator, render_thread: RenderThread) -> None:
        self.animator, self.render_thread = animator, render_thread

    @property
    def camera_pose(self) -> CameraPose:
        return self.animator.camera_pose

    def play(self, transition: HouseholdTransition, cancel: StopToken) -> PlaybackResult:
        return play(self.animator, transition, cancel)

    def look(self, cancel: StopToken) -> RgbImage:
        return self.render_thread.render_still(self.animator.snapshot, cancel)

    def boxes(self) -> tuple[BoundingBox, ...]:
        return self.animator.boxes()

    def live(self, camera: str) -> Frame | None:
        return self.render_thread.latest_frame(camera)

    def close(self) -> None:
        self.render_thread.close()
