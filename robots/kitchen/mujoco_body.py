"""MuJoCo as the body of the household: an animator that follows the facts, and a thread that draws."""

from __future__ import annotations

from core.errors import Cancelled
from core.ports import Frame, RgbImage
from core.stop_token import StopToken
from robots.kitchen.household.body import LookHalted, PlaybackResult, SideLook
from robots.kitchen.household.objects import HouseholdObjects
from robots.kitchen.household.state import HouseholdState, HouseholdTransition
from robots.kitchen.motion.animator import Animator
from robots.kitchen.motion.skill_motions import play_skill
from robots.kitchen.rendering.render_thread import RenderThread
from robots.kitchen.scene.builder import CompiledScene
from robots.kitchen.simulation.motion_clock import MotionHalted
from robots.kitchen.simulation.settling import settle_all
from robots.stop_latch import Latch


class MujocoBody(Animator):
    """Implements HouseholdBody."""

    def __init__(self, built: CompiledScene, things: HouseholdObjects, latch: Latch, pace: float) -> None:
        super().__init__(built, things, latch, pace)
        self.render_thread = RenderThread(built.model, lambda: self.snapshot)

    def play(self, transition: HouseholdTransition, cancel: StopToken) -> PlaybackResult:
        return play(self, transition, cancel)

    def look(self, cancel: StopToken) -> RgbImage:
        return self.render_thread.render_still(self.snapshot, cancel)

    def look_aside(self, state: HouseholdState, degrees: float, name: str, cancel: StopToken) -> SideLook:
        joints = self.sim.joints
        try:
            self.drive_aside(state, degrees, name, cancel)
            seen = SideLook(self.camera_pose, self.look(cancel), self.boxes())
            self.drive_back(joints)
        except (MotionHalted, Cancelled):
            raise LookHalted(self.settle_after_halt(state)) from None
        return seen

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
