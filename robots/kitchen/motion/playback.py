"""Play how the facts changed: the motions of a skill, and what holds when they end or are halted."""

from __future__ import annotations

from dataclasses import dataclass

from core.cancel import Cancel
from robots.kitchen.household.state import HouseholdState
from robots.kitchen.household.transition import HouseholdTransition
from robots.kitchen.motion.animator import Animator
from robots.kitchen.motion.skill_motions import play_skill
from robots.kitchen.simulation.motion_clock import MotionHalted
from robots.kitchen.simulation.settling import settle_all


@dataclass(frozen=True)
class PlaybackResult:
    """The result of playing a transition.

    `committed` is True if the moment was reached at which the facts change; otherwise nothing has changed.
    `remark` is what a person should know about the playback, with the task's names of things, or "".
    """

    halted: bool
    committed: bool
    state: HouseholdState
    remark: str = ""


def play(animator: Animator, transition: HouseholdTransition, cancel: Cancel) -> PlaybackResult:
    """Play the change from one state to the next; at pace 0 show only its end."""
    try:
        animator.begin(cancel)
        play_skill(animator, transition)
        animator.commit()
        animator.enforce_facts(transition.after)
        if not animator.view_satisfied(transition.after):
            animator.drive_to(animator.find_base_pose(transition.after))
        animator.sim.publish_snapshot()
        return PlaybackResult(False, True, transition.after, animator.last_remark)
    except MotionHalted:
        state = transition.after if animator.committed else transition.before
        settle_all(animator.sim, animator.player.carried, animator.player.move_carried)
        return PlaybackResult(True, animator.committed, animator.settle_after_halt(state))
