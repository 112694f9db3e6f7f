"""MuJoCo as the body of the household: an animator that follows the facts, and a thread that draws."""

from __future__ import annotations

from core.ports import BoundingBox, Frame, RgbImage
from core.stop_token import StopToken
from robots.kitchen.household.body import CameraPose, PlaybackResult
from robots.kitchen.household.state import HouseholdTransition
from robots.kitchen.motion.animator import Animator
from robots.kitchen.motion.skill_motions import play_skill
from robots.kitchen.rendering.render_thread import RenderThread
from robots.kitchen.simulation.motion_clock import MotionHalted
from robots.kitchen.simulation.settling import settle_all


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


def play(animator: Animator, transition: HouseholdTransition, cancel: StopToken) -> PlaybackResult:
    """Play the change from one state to the next; at pace 0 show only its end."""
    try:
        animator.begin(cancel)
        play_skill(animator, transition)
        animator.commit()
        animator.enforce_facts(transition.after)
        if not animator.view_satisfied(transition.after):
            animator.drive_to(animator.find_base_pose(transition.after))
        animator.sim.publish_snapshot()
        shown = _visible_share_text(animator, transition)
        return PlaybackResult(False, True, transition.after, animator.last_remark, shown)
    except MotionHalted:
        state = transition.after if animator.committed else transition.before
        settle_all(animator.sim, animator.player.carried, animator.player.move_carried)
        return PlaybackResult(True, animator.committed, animator.settle_after_halt(state))


def _visible_share_text(animator: Animator, transition: HouseholdTransition) -> str:
    """Return how much of a thing is visible after the robot looked for it, as text."""
    if transition.skill != "find" or transition.reason:
        return ""
    percent = round(100 * animator.visibility.visible_share(transition.after.near))
    return "fully visible" if percent >= 100 else f"{percent} % visible"
