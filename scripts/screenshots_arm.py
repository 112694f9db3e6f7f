"""The scenes of an arm, on the emulator with the real ur_rtde: ready, a grasp to choose, a stop."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from core.arms import Recovery, Way
from core.config import Settings
from core.story import Phase
from robots.ur5e.emulator.client import OwnClient
from robots.ur5e.tabletop.robot import TabletopRobot

if TYPE_CHECKING:
    from scripts.screenshots import Studio

TABLE = Settings(task="collect_toys", robot="ur5e", seed=3, openness=0.0)
PANEL = "robot"


def arm(s: Studio) -> None:
    with s.window(TABLE):
        parts = s.at.desk.session.parts
        assert parts is not None, "no emulated arm: see what the window says"
        robot = cast(TabletopRobot, parts.robot)
        own = OwnClient(robot.arm.setup.address)
        s.until(lambda: not s.at.window.decision.wrong, 10)
        s.shoot("ur5e-ready")
        s.extra = PANEL
        s.shoot("ur5e-panel")
        s.do("start")
        s.pass_until(lambda: s.story.proposal and s.story.proposal.options)
        s.until(lambda: s.story.phase is Phase.WAITING and s.at.window.camera.picture._options, 20)
        s.shoot("ur5e-robot")
        s.pass_until(lambda: s.story.acting and robot.status.moving)
        own.fault("protective")
        s.until(lambda: s.story.phase is Phase.STOPPED and robot.recovery.next is Way.ACKNOWLEDGE, 30)
        s.wait(0.7)
        s.shoot("ur5e-protective")
        recover(s, robot, Way.ACKNOWLEDGE)
        s.shoot("ur5e-looked")
        recover(s, robot, Way.UNLOCK)
        s.until(lambda: robot.status.safe and not robot.recovery.busy, 15)
        s.wait(0.7)
        s.shoot("ur5e-unlocked")
        own.close()
        s.do("end")
        s.until(lambda: s.story.ended)
    s.extra = ""


def recover(s: Studio, robot: Recovery, way: Way) -> None:
    """This step, as soon as the controller allows it."""
    s.until(lambda: robot.recovery.next is way and not robot.recovery.wait, 15)
    why = robot.recover(way, s.at.desk.by)
    assert not why, why
    s.wait(0.5)
