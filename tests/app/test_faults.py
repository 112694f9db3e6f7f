"""Whatever breaks: the robot is halted, one clear sentence is read, and the rest lives on."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtGui import QPainter

import main
from app.console_controller import ConsoleController
from app.controls.layout import Painted
from app.episode.session import SessionStage
from core.config import EpisodeComponents, Settings, ignore
from core.episode_state import Phase
from core.errors import RobotError
from core.events import EpisodeResult
from core.log.recorder import Recorder
from core.permit import Permit
from core.planning_model import Step
from core.ports import Frame, ModelCall, StepResult, StepStatus
from core.stop_token import StopToken
from core.supervision import WATCH, SupervisionLevels
from tests.app.conftest import SYMBOLIC, Opened

Notify = Callable[[str], None]
ROOT = Path(__file__).parents[2]


class Wrapped:
    """A real part of which one method breaks."""

    def __init__(self, part: object, name: str, error: Exception) -> None:
        self._part, self._name, self._error = part, name, error
        self.halts = 0

    def __getattr__(self, name: str) -> object:
        return getattr(self._part, name)


class BreakingAnswerer(Wrapped):
    def answer(self, *_: object) -> ModelCall:
        raise self._error


class BreakingRobot(Wrapped):
    def look(self, cancel: StopToken) -> Frame:
        return self._part.look(cancel)  # type: ignore[attr-defined, no-any-return]

    def do(self, step: Step, permit: Permit, cancel: StopToken) -> StepResult:
        raise self._error

    def halt(self) -> int:
        self.halts += 1
        return self._part.halt()  # type: ignore[attr-defined, no-any-return]


@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
def test_that_a_panel_that_breaks_is_told_in_its_place_and_the_rest_lives_on(
    opened: Opened, monkeypatch: pytest.MonkeyPatch
) -> None:
    at = opened(preset="Watch", pace=30.0)
    at.start("Watch")
    at.phase(Phase.ACTING)

    def broken(_: object) -> None:
        raise ValueError("a hole in the floor")

    monkeypatch.setattr(at.window.belief, "display", broken)
    at.controller.refresh()
    at.phase(Phase.STOPPED)
    assert at.state.last_step is not None and at.state.last_step.result.status is StepStatus.HALTED
    assert at.window.belief.has_placeholder
    assert "a hole in the floor" in at.window.belief.empty_state.accessibleName()
    assert not at.window.plan.has_placeholder
    at.do("end")
    assert at.over().ended


def test_that_an_exception_in_a_slot_halts_the_robot_and_is_read_in_one_sentence(again: Opened) -> None:
    at = again(preset="Watch", pace=30.0)
    at.start("Watch")
    at.phase(Phase.ACTING)
    try:
        raise ValueError("a slot broke")
    except ValueError as error:
        sys.excepthook(type(error), error, error.__traceback__)
    at.phase(Phase.STOPPED)
    at.until(lambda: at.state.notices)
    assert "a slot broke" in at.state.notices[-1].text and "\n" not in at.state.notices[-1].text


def test_that_an_exception_in_another_thread_does_the_same(again: Opened) -> None:
    at = again(preset="Watch", pace=30.0)
    at.start("Watch")
    at.phase(Phase.ACTING)
    args = threading.ExceptHookArgs((ValueError, ValueError("a thread broke"), None, None))
    thread = threading.Thread(target=threading.excepthook, args=(args,))
    thread.start()
    at.phase(Phase.STOPPED)
    thread.join()
    at.until(lambda: at.state.notices)
    assert "a thread broke" in at.state.notices[-1].text


def test_that_a_robot_that_breaks_ends_the_episode_in_a_sentence(again: Opened) -> None:
    robots: list[BreakingRobot] = []

    def make(
        settings: Settings, notify: Notify = ignore, supervision: SupervisionLevels = WATCH
    ) -> EpisodeComponents:
        parts = main.make_components(settings, notify)
        robots.append(BreakingRobot(parts.robot, "do", RobotError("The arm fell off: screw it on again.")))
        return replace(parts, robot=robots[0])

    at = again(make=make, preset="Watch")
    at.start("Watch")
    state = at.over()
    assert state.ended is not None and state.ended.result is EpisodeResult.CRASHED
    assert state.ended.reason == "The arm fell off: screw it on again."
    assert robots[0].halts
    assert "The arm fell off" in at.window.decision.views[1].reason.lines[0]


def test_that_an_unexpected_exception_in_the_loop_is_readable_too(again: Opened) -> None:
    def make(
        settings: Settings, notify: Notify = ignore, supervision: SupervisionLevels = WATCH
    ) -> EpisodeComponents:
        parts = main.make_components(settings, notify)
        return replace(parts, robot=BreakingRobot(parts.robot, "do", ZeroDivisionError("by zero")))

    at = again(make=make, preset="Watch")
    at.start("Watch")
    state = at.over()
    assert state.ended is not None and state.ended.result is EpisodeResult.CRASHED
    assert "by zero" in state.ended.reason and "Traceback" not in state.ended.reason


def test_that_an_answerer_that_breaks_ends_the_episode_in_a_sentence(again: Opened) -> None:
    def make(
        settings: Settings, notify: Notify = ignore, supervision: SupervisionLevels = WATCH
    ) -> EpisodeComponents:
        parts = main.make_components(settings, notify)
        return replace(parts, answerer=BreakingAnswerer(parts.answerer, "answer", KeyError("the reply")))

    at = again(make=make, preset="Watch")
    at.start("Watch")
    state = at.over()
    assert state.ended is not None and state.ended.result is EpisodeResult.CRASHED
    assert "the reply" in state.ended.reason


def test_that_what_cannot_be_made_says_why_and_another_set_up_helps(again: Opened) -> None:
    at = again(task="fly_to_the_moon", preset="Watch")
    at.until(lambda: at.controller.session.stage is SessionStage.OVER)
    at.until(lambda: "fly_to_the_moon" in at.window.decision.views[1].reason.lines[0])
    at.controller.prepare(SYMBOLIC)
    at.start("Watch")
    assert at.over().ended


def test_that_a_log_that_cannot_be_opened_says_why_and_nothing_moves(opened: Opened, tmp_path: Path) -> None:
    (tmp_path / "log.db").write_bytes(b"this is no database" * 100)
    at = opened(preset="Watch")
    at.do("start")
    at.until(lambda: at.controller.session.stage is SessionStage.OVER)
    at.until(lambda: at.window.decision.views[1].reason.level == "fault")
    assert "log.db" in at.window.decision.views[1].reason.lines[0]


def test_that_a_log_that_fails_in_the_middle_halts_the_robot(
    opened: Opened, monkeypatch: pytest.MonkeyPatch
) -> None:
    from core.errors import LogError

    at = opened(preset="Approve")
    at.start("Approve")
    at.phase(Phase.WAITING)

    def full(self: Recorder, event: object, wait: bool = True) -> None:
        raise LogError("The disk is full: make room, then start again.")

    monkeypatch.setattr(Recorder, "record", full)
    at.do("approve")
    at.until(lambda: at.controller.session.stage is SessionStage.OVER)
    monkeypatch.undo()
    at.until(lambda: at.state.ended and "The disk is full" in at.state.ended.reason)
    assert at.state.counts.steps == 0, "nothing moves while nothing is recorded"


def test_that_closing_in_mid_step_halts_the_robot_and_closes_the_log(opened: Opened, tmp_path: Path) -> None:
    at = opened(preset="Watch", pace=60.0)
    at.start("Watch")
    at.phase(Phase.ACTING)
    at.window.close()
    assert not at.console.left_behind
    assert at.controller.session.stage is SessionStage.OVER
    with Recorder.open(tmp_path / "log.db") as recorder:
        assert not recorder.repaired, "the episode was closed properly"


def test_that_closing_while_the_robot_is_being_made_leaves_nothing(opened: Opened) -> None:
    released = threading.Event()

    def make(
        settings: Settings, notify: Notify = ignore, supervision: SupervisionLevels = WATCH
    ) -> EpisodeComponents:
        released.wait(5)
        return main.make_components(settings, notify)

    at = opened(make=make)
    threading.Timer(0.2, released.set).start()
    at.window.close()
    assert not at.console.left_behind


def test_that_a_session_of_an_earlier_set_up_goes_away(again: Opened) -> None:
    at = again()
    at.ready()
    first = at.controller.session
    at.controller.prepare(SYMBOLIC)
    at.until(lambda: first.stage is SessionStage.OVER)
    at.until(lambda: first not in at.controller._retired)


@pytest.mark.parametrize("number", [signal.SIGINT, pytest.param(signal.SIGTERM, marks=pytest.mark.long)])
def test_that_ctrl_c_closes_the_window_and_the_process_and_leaves_nothing(
    tmp_path: Path, number: int
) -> None:
    script = (
        f"import sys; sys.path.insert(0, {str(ROOT)!r})\n"
        "from pathlib import Path\n"
        "import main\n"
        "from app.main import run\n"
        "from core.config import Settings\n"
        "from app.console_controller import ConsoleController\n"
        "from robots.registry import ROBOTS\n"
        "begin = ConsoleController.begin\n"
        "def started(controller):\n"
        "    begin(controller); controller.start(); print('open', flush=True)\n"
        "ConsoleController.begin = started\n"
        f"place = Path({str(tmp_path)!r})\n"
        "settings = Settings(robot='symbolic', pace=60.0)\n"
        "sys.exit(run(main.make_components, settings, place / 'log.db', robots=ROBOTS, folder=place))\n"
    )
    left = tmp_path / "temporary"
    left.mkdir()
    env = {**os.environ, "QT_QPA_PLATFORM": "offscreen", "TMPDIR": str(left)}
    process = subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, env=env, text=True)
    assert process.stdout is not None
    assert process.stdout.readline() == "open\n"
    process.send_signal(number)
    assert process.wait(15) == 0
    process.stdout.close()
    assert list(left.iterdir()) == []


def test_that_the_desk_can_be_asked_to_halt_at_any_time(again: Opened) -> None:
    at = again()
    assert isinstance(at.controller, ConsoleController)
    at.controller.halt()


def test_that_a_widget_that_cannot_be_painted_takes_nothing_with_it(
    opened: Opened, monkeypatch: pytest.MonkeyPatch
) -> None:
    at = opened(preset="Watch", pace=30.0)
    at.start("Watch")
    at.phase(Phase.ACTING)
    painted = next(one for one in at.window.findChildren(Painted) if one.isVisible())

    def broken(p: QPainter) -> None:
        raise AttributeError("out of paint")

    with at.qtbot.captureExceptions():
        sys.excepthook = at.console.faults._on_exception  # pytest-qt has put its own in its place
        monkeypatch.setattr(painted, "draw", broken)
        painted.update()  # as the loop paints it: repaint() would keep the exception for its caller
        at.phase(Phase.STOPPED)
        monkeypatch.undo()
        at.window.update()
        at.until(lambda: at.state.notices)
    assert "AttributeError" in at.state.notices[-1].text
