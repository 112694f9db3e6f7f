"""The scenes of robots elsewhere: what counts as REAL, a simulator at an address, OmniGibson as it starts."""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from threading import Thread
from unittest.mock import patch

from app.episode.session import SessionStage
from core.config import Settings
from core.episode_state import Phase
from core.install_paths import ROOT
from robots.registry import ROBOTS
from robots.remote.handshake import make_token
from robots.remote.serving import make_server
from scripts.screenshot_session import ScreenshotSession

FAKES = ROOT / "tests" / "robots" / "omnigibson" / "fakes"
FAKE = {"PYTHONPATH": f"{FAKES / 'a'}:{FAKES / 'common'}", "FAKE_FAULT": "slow"}  # a start without an end


def elsewhere(s: ScreenshotSession) -> None:
    """The symbolic robot at an address, and OmniGibson's contract fake."""
    with (
        tempfile.TemporaryDirectory() as place,
        _serving(Path(place)) as options,
        patch.dict(os.environ, FAKE),
    ):
        real = Settings(task="boil_water", robot="remote", answerer="perfect", options=options)
        with s.window(real):
            s.save_screenshots("elsewhere_real")
            _set_up(s, "setup_elsewhere_real")
            simulator = replace(real, options={**options, "robot.simulator": "true"})
            s.at.controller.prepare(simulator)
            s.wait_until(lambda: s.at.controller.session.stage is SessionStage.READY)
            s.wait(0.6)
            s.save_screenshots("elsewhere_ready")
            _set_up(s, "setup_elsewhere")
            s.do("start")
            s.pass_until(lambda: s.state.phase is Phase.WAITING and s.state.turn >= 2)
            s.wait(0.5)
            s.save_screenshots("elsewhere_waiting")
            s.do("end")
            s.wait_until(lambda: s.state.ended)
            ours = {"robot.python": sys.executable, "robot.scene": "any"}
            s.at.controller.prepare(replace(real, robot="omnigibson", options=ours))
            s.wait_until(lambda: "shaders" in s.at.controller.session.making)
            s.wait(1.0)
            s.save_screenshots("omnigibson_starting")
            _set_up(s, "setup_omnigibson")
            s.do("cancel_start")
            s.wait_until(lambda: s.at.controller.session.stage is SessionStage.OVER)
            s.wait(0.6)
            s.save_screenshots("omnigibson_cancelled")


def _set_up(s: ScreenshotSession, name: str) -> None:
    s.do("setup")
    dialog = s.at.controller.dialog
    s.wait_until(lambda: getattr(dialog, "_report", None) is not None)
    s.wait(0.5)
    s.save_screenshots(name)
    dialog.reject()  # type: ignore[union-attr]


@contextmanager
def _serving(folder: Path) -> Iterator[Mapping[str, str]]:
    """Serve the symbolic robot, and yield the options that find it."""
    server = make_server("symbolic", {}, ROBOTS, make_token(folder / "token"))
    thread = Thread(target=server.serve)
    thread.start()
    try:
        yield {"robot.at": f"{server.host}:{server.port}", "robot.token_file": str(folder / "token")}
    finally:
        server.close()
        thread.join(10)
