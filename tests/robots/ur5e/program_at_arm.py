"""The program itself, in a window or a terminal, where every step turns the first joint of an emulated arm.

Loop, gate, permits, heartbeat, log, driver and control process are the program's own; only the world around
the arm is the symbolic one. Run: `python -m tests.robots.ur5e.program_at_arm window|terminal ADDRESS FOLDER`.
A window takes a person's deeds from stdin, one a line, and prints each phase that it shows.
"""

from __future__ import annotations

import fcntl
import math
import os
import resource
import signal
import sys
import termios
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from threading import Thread
from typing import Any

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

import main
import robots.registry
from app.commands import just_appeared
from app.main import SWITCH, Console
from app.preferences import Preferences
from app.runtime.os_signals import OsSignalListener
from core.arm.handover import HandoverChoice, HandoverNews, SharedArm, SharesArm
from core.config import Settings
from core.episode_state import Phase
from core.errors import AnswererError, RobotNotReady
from core.permit import Permit, PermitKind
from core.planning_model import Step
from core.ports import ChatMessage, Embodiment, StepResult, StepStatus
from core.stop.heartbeat import Heartbeat
from core.stop_token import StopToken
from core.supervision import WATCH, SupervisionLevel
from robots.registry import ROBOTS
from robots.symbolic.robot import SymbolicRobot
from robots.ur5e.arm import Arm
from robots.ur5e.arm_setup import EMULATED_SETUP

EACH_STEP = replace(WATCH, move=SupervisionLevel.APPROVE)
TURN, SCALE = 1.0, 0.4  # rad, share of the allowed speed: a step takes longer than any fault waits


class ArmRobot(SymbolicRobot):
    """Every step turns the arm, there by one move, back by a path of two legs.

    Nothing of the world changes, so the same step is proposed again.
    """

    embodiment = Embodiment.EMULATED

    def __init__(self, address: str, **needs: Any) -> None:
        super().__init__(**needs)
        self.arm = Arm(replace(EMULATED_SETUP, address=address))
        self.permits = self.arm.permits
        self.arm.connect(30)

    def do(self, step: Step, permit: Permit, cancel: StopToken) -> StepResult:
        self.permits.redeem(permit, step, PermitKind.STEP)
        if not self.arm.enabled:
            try:
                self.arm.release_stop(0)
            except RobotNotReady as error:  # old data, on a busy machine
                return StepResult(StepStatus.HALTED, str(error))
        assert self.arm.state is not None
        a, *rest = self.arm.state.q
        turn = math.copysign(TURN, math.pi - a)
        way = [(a + turn / 2, *rest[:4], rest[4] + 0.2), (a + turn, *rest)]
        with self.arm.control.permitted(permit) as refused:
            if refused:
                return StepResult(StepStatus.HALTED, refused)
            if turn > 0:
                return self.arm.move_joints(way[-1], cancel, SCALE)  # type: ignore[arg-type]
            return self.arm.move_path(way, cancel, SCALE)  # type: ignore[arg-type]

    def release_stop(self, up_to: int) -> None:
        self.arm.release_stop(up_to)

    def halt(self) -> int:
        return self.arm.halt()

    def halt_if_in_control(self) -> int:
        return self.arm.halt_if_in_control()

    @property
    def shared(self) -> SharedArm | None:
        return self.arm.handover.shared

    def choose(self, choice: HandoverChoice) -> str:
        return self.arm.handover.choose(choice)

    def attend(self, kind: str, listener: Callable[[HandoverNews], None]) -> None:
        self.arm.handover.attend(kind, listener)

    def follow_heartbeat(self, heartbeat: Heartbeat, notify: Callable[[str], object]) -> None:
        self.arm.control.follow_heartbeat(heartbeat, notify)

    def close(self) -> None:
        self.arm.close()


class Person(QObject):
    """Does in the window what is said on stdin."""

    said = Signal(str)

    def __init__(self, console: Console) -> None:
        super().__init__()
        self._console, self._asking = console, False
        self._phase: Phase | None = None  # that was told last
        self.said.connect(self._do, Qt.ConnectionType.QueuedConnection)
        console.controller.shown.connect(self._tell)
        Thread(target=self._listen, daemon=True).start()

    def _listen(self) -> None:
        for line in sys.stdin:
            self.said.emit(line.strip())
        os.kill(os.getpid(), signal.SIGTERM)  # whoever tested it is gone

    def _tell(self) -> None:
        state = self._console.controller.state
        phase = Phase.LOOKING if state.phase is Phase.WAITING and just_appeared(state) else state.phase
        if phase is not self._phase:
            self._phase = phase
            print(phase.name, flush=True)

    def _do(self, line: str) -> None:
        word, _, value = line.rpartition(" ") if " " in line else (line, "", "")
        match word:
            case "start" | "approve":
                self._console.window.actions_[word].trigger()
            case "release":
                self._console.bindings.release_stop()
            case "key":
                QTest.keyClick(self._console.window.windowHandle(), Qt.Key.Key_Escape)
            case "freeze":
                time.sleep(float(value))
            case "full" | "room":  # on the disk, as far as this program can see
                most = 0 if word == "full" else resource.RLIM_INFINITY
                resource.setrlimit(resource.RLIMIT_FSIZE, (most, resource.RLIM_INFINITY))
            case "hand over":
                components = self._console.controller.session.components
                assert components is not None and isinstance(components.robot, SharesArm)
                components.robot.choose(HandoverChoice[value])
            case "ask":
                self._asking = bool(value)
                Thread(target=self._ask, args=(value,), daemon=True).start()

    def _ask(self, url: str) -> None:
        """Read whatever this server replies, again and again, and show what is made of it."""
        from core.vqa.endpoint.api_keys import Secret
        from core.vqa.endpoint.chat_model import ChatModel
        from core.vqa.endpoint.presets import load_preset

        model = ChatModel(load_preset("custom", "m", url), Secret("key"))
        while self._asking:
            with suppress(AnswererError):
                model.ask((ChatMessage("user", "Is it?"),), [], StopToken())
        model.close()


def window(place: Path) -> None:
    sys.setswitchinterval(SWITCH)
    app = QApplication(sys.argv[:1])
    settings = Settings(
        robot="symbolic", task="halve_egg", openness=0.0, pictures=False, max_steps=100_000, failure_limit=0
    )
    preferences = Preferences(place, supervision=EACH_STEP)
    console = Console(app, main.make_components, settings, place / "log.db", preferences, ROBOTS)
    console.person = Person(console)
    with OsSignalListener(console.signalled):
        console.show()
        app.exec()
        console.close()


def terminal(place: Path) -> None:
    fcntl.ioctl(0, termios.TIOCSCTTY, 0)  # so that it is told when the terminal hangs up
    sys.argv[1:] = [
        *("run", "halve_egg", "--robot", "symbolic", "--no-pictures", "--openness", "0", "--ask"),
        *("--max-steps", "100000", "--database", str(place / "log.db")),
    ]
    main.run_main()


if __name__ == "__main__":
    kind, address, folder = sys.argv[1:]
    robots.registry.make_robot = lambda name, *, options=None, is_chosen=True, notify=None, **needs: ArmRobot(
        address, **needs
    )
    (window if kind == "window" else terminal)(Path(folder))
