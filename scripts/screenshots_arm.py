"""The scenes of an arm, on the emulator with the real ur_rtde: ready, a grasp to choose, a stop."""

from __future__ import annotations

from typing import cast

from core.arm.arm_capabilities import RecoveryStep, SupportsRecovery
from core.config import Settings
from core.episode_state import Phase
from core.permit import PermitKind
from robots.ur5e.emulator.admin_client import AdminClient
from robots.ur5e.tabletop.robot import TabletopRobot
from scripts.screenshot_session import ScreenshotSession

TABLE = Settings(task="collect_toys", robot="ur5e", seed=3, openness=0.0)
PANEL = "robot"


def arm(s: ScreenshotSession) -> None:
    with s.window(TABLE):
        parts = s.at.controller.session.components
        assert parts is not None, "no emulated arm: see what the window says"
        robot = cast(TabletopRobot, parts.robot)
        own = AdminClient(robot.arm.setup.address)
        s.wait_until(lambda: not s.at.window.decision.failed_checks, 10)
        s.save_screenshots("ur5e-ready")
        s.extra = PANEL
        s.save_screenshots("ur5e-panel")
        s.do("start")
        s.pass_until(lambda: s.state.proposal and s.state.proposal.candidates)
        s.wait_until(lambda: s.state.phase is Phase.WAITING and s.at.window.camera.picture._options, 20)
        s.save_screenshots("ur5e-robot")
        s.pass_until(lambda: s.state.acting and robot.status.moving)
        own.inject_fault("protective")
        s.wait_until(
            lambda: s.state.phase is Phase.STOPPED and robot.recovery.next_step is RecoveryStep.ACKNOWLEDGE,
            30,
        )
        s.wait(0.7)
        s.save_screenshots("ur5e-protective")
        recover(s, robot, RecoveryStep.ACKNOWLEDGE)
        s.save_screenshots("ur5e-looked")
        recover(s, robot, RecoveryStep.UNLOCK)
        s.wait_until(lambda: robot.status.safe and not robot.recovery.busy, 15)
        s.wait(0.7)
        s.save_screenshots("ur5e-unlocked")
        own.close()
        s.do("end")
        s.wait_until(lambda: s.state.ended)
    s.extra = ""


def recover(s: ScreenshotSession, robot: SupportsRecovery, way: RecoveryStep) -> None:
    """Execute this recovery step as soon as the controller allows it."""
    s.wait_until(lambda: robot.recovery.next_step is way and not robot.recovery.wait_seconds, 15)
    parts = s.at.controller.session.components
    assert parts is not None
    hand = parts.permits.manual_actuation(s.at.controller.by)
    reason = hand(PermitKind.RECOVERY, way, lambda permit: robot.recover(way, permit))
    assert not reason, reason
    s.wait(0.5)
