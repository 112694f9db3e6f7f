"""Scenes of an arm, of robots elsewhere and from plug-ins, and the steps before their pictures."""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from threading import Thread
from unittest.mock import patch

from app.episode.session import SessionStage
from core.arm.arm_capabilities import RecoveryStep
from core.config import Settings
from core.episode_state import Phase
from core.install_paths import ROOT
from core.permit import PermitKind
from core.plugins import PLUGINS_VARIABLE
from robots.registry import ROBOTS
from robots.remote.handshake import make_token
from robots.remote.serving import make_server
from robots.ur5e.emulator.admin_client import AdminClient
from scripts.driver import (
    KITCHEN,
    Driver,
    Scene,
    Step,
    close,
    end,
    list_episodes,
    opened,
    panel,
    passes,
    prepare,
    replay,
    to,
    waits,
)

EXAMPLES, TESTS = ROOT / "docs" / "examples", ROOT / "tests"
SET_UP = (opened("setup"), waits(lambda s: getattr(s.dialog, "_report", None) is not None), 0.5)


@contextmanager
def plugins() -> Iterator[Settings]:
    """A robot, an answerer, a method and a panel from folders."""
    folders = (EXAMPLES / "plugins", TESTS / "fixtures" / "plugins")
    with patch.dict(os.environ, {PLUGINS_VARIABLE: os.pathsep.join(map(str, folders))}):
        yield Settings(
            task="", domain=str(EXAMPLES / "grid"), robot="grid", answerer="grid-eye", method="ask-twice",
            seed=3, pace=0.5, options={"robot.slip": "0.5"},
        )  # fmt: skip


@contextmanager
def served() -> Iterator[Settings]:
    """The symbolic robot at an address, and OmniGibson's contract fake, whose start has no end."""
    fakes, place = TESTS / "robots" / "omnigibson" / "fakes", tempfile.TemporaryDirectory()
    fake = {"PYTHONPATH": f"{fakes / 'a'}:{fakes / 'common'}", "FAKE_FAULT": "slow"}
    with place as folder, patch.dict(os.environ, fake):
        token = Path(folder) / "token"
        server = make_server("symbolic", {}, ROBOTS, make_token(token))
        thread = Thread(target=server.serve)
        thread.start()
        options = {"robot.at": f"{server.host}:{server.port}", "robot.token_file": str(token)}
        try:
            yield Settings(task="boil_water", robot="remote", answerer="perfect", options=options)
        finally:
            server.close()
            thread.join(10)


def inject_stop(s: Driver) -> None:
    robot = s.parts.robot
    s.pass_until(lambda: s.state.acting and robot.status.moving)
    own = AdminClient(robot.arm.setup.address)
    own.inject_fault("protective")
    own.close()
    s.wait_until(lambda: s.state.phase is Phase.STOPPED, 30)


def recover(step: RecoveryStep) -> Step:
    def press(s: Driver) -> None:
        robot, by_hand = s.parts.robot, s.parts.permits.manual_actuation(s.at.controller.by)
        s.wait_until(lambda: robot.recovery.next_step is step and not robot.recovery.wait_seconds, 15)
        refused = by_hand(PermitKind.RECOVERY, step, lambda permit: robot.recover(step, permit))
        assert not refused, refused
        s.do(0.5)

    return press


def omnigibson(s: Driver) -> None:
    options = {"robot.python": sys.executable, "robot.scene": "any"}
    s.at.controller.prepare(replace(s.at.controller.session.settings, robot="omnigibson", options=options))
    s.wait_until(lambda: "shaders" in s.at.controller.session.making)


def simulator(s: Driver) -> None:
    remote = s.at.controller.session.settings
    prepare(s, replace(remote, options={**remote.options, "robot.simulator": "true"}))


def play_half(s: Driver) -> None:
    shown = s.at.review.replay
    shown.player.go(len(shown.player.replay) // 2)
    shown.questions.calls.views[0].summary.click()


SCENES_OF_ROBOTS = (
    Scene("plugged", plugins, "Assist", (
        ("plugin_setup", opened("setup"), 2.0),
        ("plugin_robot", close, to(Phase.REVIEWING, 3), 0.5),
        ("plugin_panel", panel("rate")),
        ("plugin_method", panel(""), end, lambda s: prepare(
            s, replace(KITCHEN, answerer="tiny-model", method="asks-model")), to(Phase.WAITING, 3)),
        ("plugin_prompt", lambda s: s.at.window.questions.calls.views[0].summary.click()),
        ("plugin_review", end, list_episodes, replay, play_half),
    )),
    Scene("arm", Settings(task="collect_toys", robot="ur5e", seed=3, openness=0.0), "Approve", (
        ("ur5e-ready", waits(lambda s: not s.at.window.decision.failed_checks, 10)),
        ("ur5e-panel", panel("robot")),
        ("ur5e-robot", passes(lambda state: state.proposal and state.proposal.candidates),
         waits(lambda s: s.state.phase is Phase.WAITING and s.at.window.camera.picture._options, 20),
         lambda s: s.at.window.camera._choose("3-D view"), 3.0),  # with the ghost of the grasp
        ("ur5e-protective", inject_stop,
         waits(lambda s: s.parts.robot.recovery.next_step is RecoveryStep.ACKNOWLEDGE, 30), 0.7),
        ("ur5e-looked", recover(RecoveryStep.ACKNOWLEDGE)),
        ("ur5e-unlocked", recover(RecoveryStep.UNLOCK),
         waits(lambda s: s.parts.robot.status.safe and not s.parts.robot.recovery.busy, 15), 0.7),
    )),
    Scene("elsewhere", served, "Approve", (
        ("elsewhere_real",),
        ("setup_elsewhere_real", *SET_UP),
        ("elsewhere_ready", close, simulator, 0.6),
        ("setup_elsewhere", *SET_UP),
        ("elsewhere_waiting", close, to(Phase.WAITING, 2), 0.5),
        ("omnigibson_starting", end, omnigibson, 1.0),
        ("setup_omnigibson", *SET_UP),
        ("omnigibson_cancelled", close, "cancel_start",
         waits(lambda s: s.at.controller.session.stage is SessionStage.OVER), 0.6),
    )),
)  # fmt: skip
