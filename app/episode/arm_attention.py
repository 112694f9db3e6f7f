"""Ask for a person where an arm needs one: failed checks, another console that asks for it."""

from __future__ import annotations

from core.arm.arm_capabilities import PreflightCheck, SupportsPreflight
from core.arm.handover import SharesArm
from core.config import EpisodeComponents
from core.episode_state import EpisodeState, Phase


def failed_checks(components: EpisodeComponents | None, state: EpisodeState) -> tuple[PreflightCheck, ...]:
    """Return the failed preflight checks of an arm that a person is about to start or release."""
    about = state.started is None or state.phase is Phase.STOPPED
    if not about or components is None or not isinstance(components.robot, SupportsPreflight):
        return ()
    return tuple(c for c in components.robot.preflight() if not c.ok)


def arm_request(components: EpisodeComponents | None) -> str:
    """Return who asks for the arm that this window moves, and where to answer; "" if nobody does."""
    robot = components.robot if components is not None else None
    shared = robot.shared if isinstance(robot, SharesArm) else None
    if shared is None or not shared.moves or not shared.asker:
        return ""
    return f"{shared.asker} asks for the arm: give it up in the Robot panel"
