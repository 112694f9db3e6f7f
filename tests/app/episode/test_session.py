"""What the screen shows is on disk, except a stop; and it ends, whatever robot and log do."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from threading import Event

import pytest
from pytestqt.qtbot import QtBot

import main
from app.episode.session import START_CANCELLED, EpisodeSession, SessionStage
from core.config import EpisodeComponents, Settings
from core.episode_state import EpisodeState, Phase
from core.events import EpisodeEnded, EpisodeResult, StopRequested
from core.log.importing import import_episode
from core.log.recorder import Recorder
from core.log.store import Store
from core.operator import Approve
from core.permit import Permit
from core.planning_model import Step
from core.ports import StepResult, StepStatus
from core.stop_token import StopToken
from core.supervision import SUPERVISION_PRESETS
from robots.symbolic.robot import SymbolicRobot
from tests.core.log import made
from tests.core.log.disks import Disk

PATIENCE = 20_000  # ms
SYMBOLIC = Settings(robot="symbolic", seed=3, openness=0.0)


class Watched:
    """A session on a disk that does as it is told, and eyes that wait for what they want to see."""

    def __init__(self, qtbot: QtBot, path: Path) -> None:
        self.qtbot, self.path, self.disk = qtbot, path, Disk()
        self.recorder = Recorder.open(path, connect=self.disk.connect)
        self.faults: list[str] = []
        self.on_changed: Callable[[], object] = lambda: None
        self.session: EpisodeSession

    def start(self, preset: str, **changes: object) -> EpisodeSession:
        settings = replace(SYMBOLIC, **changes)  # type: ignore[arg-type]
        self.session = EpisodeSession(
            main.make_components, settings, lambda: self.recorder, SUPERVISION_PRESETS[preset], "ada",
            on_changed=lambda: self.on_changed(), on_failed=self.faults.append,
        )  # fmt: skip
        self.session.prepare()
        self.session.start()
        return self.session

    def until(self, seen: object) -> EpisodeState:
        self.qtbot.waitUntil(lambda: bool(seen(self.session.state)), timeout=PATIENCE)  # type: ignore[operator]
        return self.session.state

    def close(self) -> None:
        self.disk.free.set()
        self.disk.full = False
        if hasattr(self, "session"):
            self.session.close("the test is over")
            assert self.session.join(10)
        self.recorder.close()


@pytest.fixture
def at(qtbot: QtBot, tmp_path: Path) -> Iterator[Watched]:
    watched = Watched(qtbot, tmp_path / "log.db")
    yield watched
    watched.close()


def on_disk(at: Watched, episode: str) -> list[object]:
    with Store.open(at.path, read_only=True) as store:
        return [r.event for r in store.records(episode)]


def test_that_nothing_is_shown_before_it_is_on_disk(at: Watched) -> None:
    session = at.start("Approve")
    shown: list[tuple[int, int]] = []

    def look() -> None:
        state = session.state
        if state.episode:
            last = session.records  # read first: the disk may only have more
            shown.append((last, len(on_disk(at, state.episode))))

    at.on_changed = look
    at.until(lambda s: s.phase is Phase.WAITING)
    look()
    assert shown and all(0 < told <= written for told, written in shown)


def test_that_a_hung_disk_shows_nothing_new_and_the_screen_says_so(at: Watched) -> None:
    session = at.start("Approve")
    state = at.until(lambda s: s.phase is Phase.WAITING)
    at.disk.free.clear()
    session.bookmark("never seen")
    said = at.until(lambda s: s.notices and "disk is slow" in s.notices[-1].text)
    assert said.notices[-1].level == "fault"
    assert said.marks == state.marks
    at.disk.free.set()
    assert at.until(lambda s: len(s.marks) > len(state.marks)).notices == ()


def test_that_an_approval_does_not_count_before_a_hung_disk_has_it(at: Watched) -> None:
    session = at.start("Approve")
    state = at.until(lambda s: s.phase is Phase.WAITING)
    at.disk.free.clear()
    session.reply(state, Approve("ada"))
    at.until(lambda s: s.notices)  # a second later
    assert session.runner is not None
    assert session.state.proposal == state.proposal
    assert not session.runner.moving
    at.disk.free.set()
    at.until(lambda s: s.counts.steps)


def test_that_a_stop_is_shown_at_once_on_a_hung_disk_and_written_after(at: Watched) -> None:
    session = at.start("Watch", pace=30.0)
    state = at.until(lambda s: s.phase is Phase.ACTING)
    at.disk.free.clear()
    session.bookmark("in the way")
    number = session.stop("You stopped it.")
    shown = session.state  # at once: nobody waits
    assert number and shown.stop is not None and shown.stop.number == number
    assert shown.counts.stops == 1
    at.until(lambda s: s.stop and s.stop.seconds is not None)  # measured, still nothing written
    assert not any(isinstance(e, StopRequested) for e in on_disk(at, state.episode))
    at.disk.free.set()
    released = at.until(lambda s: s.phase is Phase.STOPPED)
    assert released.counts.stops == 1 and released.last_step.result.status is StepStatus.HALTED  # type: ignore[union-attr]
    assert sum(isinstance(e, StopRequested) for e in on_disk(at, state.episode)) == 1


def test_that_the_screen_says_when_the_log_cannot_be_written_and_the_episode_ends(at: Watched) -> None:
    session = at.start("Approve")
    at.until(lambda s: s.phase is Phase.WAITING)
    at.disk.full = True
    session.bookmark("lost?")
    said = at.until(lambda s: s.notices)
    assert said.notices[-1].level == "fault" and "cannot be" in said.notices[-1].text
    session.reply(said, Approve("ada"))
    over = at.until(lambda s: s.ended)
    assert over.ended is not None and over.ended.result is EpisodeResult.CRASHED
    assert over.counts.steps == 0 and "log.db" in over.ended.reason
    at.qtbot.waitUntil(lambda: session.stage is SessionStage.OVER, timeout=PATIENCE)
    assert at.faults
    at.disk.full = False
    at.recorder.close()
    kept = on_disk(at, over.episode)
    assert isinstance(kept[-1], EpisodeEnded) and kept[-1].result is EpisodeResult.INTERRUPTED


def test_that_nothing_moves_when_not_even_the_beginning_can_be_written(at: Watched) -> None:
    at.disk.full = True
    session = at.start("Watch")
    at.qtbot.waitUntil(lambda: session.stage is SessionStage.OVER, timeout=PATIENCE)
    at.qtbot.waitUntil(lambda: bool(at.faults), timeout=PATIENCE)
    assert session.state.started is None and "log.db" in at.faults[0]


def test_that_a_repaired_episode_is_told_from_the_start(qtbot: QtBot, tmp_path: Path) -> None:
    path = tmp_path / "log.db"
    (begun,) = Recorder.without_log().record_events(iter([made.started()]))
    with Store.open(path) as store:
        import_episode(store, [begun], {}.get)  # without an end
    at = Watched(qtbot, path)
    try:
        assert at.recorder.repaired == (begun.episode,)
        at.start("Approve")
        note = at.until(lambda s: s.notices).notices[0]
        assert begun.episode in note.text and "kept" in note.text
    finally:
        at.close()


# --- what the robot does ----------------------------------------------------------------------------------


def test_that_a_stop_in_the_last_moment_of_a_step_is_measured_at_its_end(
    at: Watched, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The step is done by then, not halted; its end is not that of the episode, minutes later."""
    do = SymbolicRobot.do

    def late(self: SymbolicRobot, step: Step, permit: Permit, cancel: StopToken) -> StepResult:
        outcome = do(self, step, permit, cancel)
        at.session.stop("You stopped it.")
        return outcome

    monkeypatch.setattr(SymbolicRobot, "do", late)
    at.start("Watch")
    state = at.until(lambda s: s.phase is Phase.STOPPED)
    assert state.last_step is not None and state.last_step.result.status is StepStatus.DONE
    at.until(lambda s: s.stop.seconds is not None)


def test_that_a_robot_that_cannot_be_halted_keeps_no_session_from_ending(
    at: Watched, monkeypatch: pytest.MonkeyPatch
) -> None:
    session = at.start("Approve")
    at.until(lambda s: s.phase is Phase.WAITING)

    def broken(self: SymbolicRobot) -> int:
        raise OSError("it does not answer")

    monkeypatch.setattr(SymbolicRobot, "halt", broken)
    session.close("the window was closed")
    assert session.join(10)
    assert session.stage is SessionStage.OVER
    at.qtbot.waitUntil(lambda: bool(at.faults), timeout=PATIENCE)
    assert "it does not answer" in at.faults[0] and "emergency stop" in at.faults[0]


def test_that_a_closed_session_waits_for_no_slow_start(tmp_path: Path) -> None:
    """A simulator elsewhere may take minutes; what it says of its start is where the waiting ends."""
    shown = Event()

    def make(settings: Settings, notify: Callable[[str], None], supervision: object) -> EpisodeComponents:
        while not shown.wait(0.01) or True:
            notify("loading the stage")

    session = EpisodeSession(
        make,  # type: ignore[arg-type]
        SYMBOLIC,
        lambda: Recorder.open(tmp_path / "log.db"),
        SUPERVISION_PRESETS["Assist"],
        "ada",
        on_changed=lambda: shown.set() if session.making == "loading the stage" else None,
    )
    session.prepare()
    assert shown.wait(10)
    session.close("the window was closed")
    assert session.join(10)


@pytest.mark.parametrize("pressed", ["Cancel", "Stop", "Cancel in the last moment"])
def test_that_a_slow_start_can_be_cancelled_and_says_so(pressed: str, tmp_path: Path) -> None:
    shown, faults = Event(), list[str]()

    def make(settings: Settings, notify: Callable[[str], None], supervision: object) -> EpisodeComponents:
        notify("loading the stage")
        assert shown.wait(10)
        if "last" not in pressed:
            notify("loading the stage")
        return main.make_components(settings)

    def press() -> None:
        if session.making and not shown.is_set():
            session.stop("You stopped it.") if pressed == "Stop" else session.cancel_start()
            shown.set()

    session = EpisodeSession(
        make,  # type: ignore[arg-type]
        SYMBOLIC,
        lambda: Recorder.open(tmp_path / "log.db"),
        SUPERVISION_PRESETS["Assist"],
        "ada",
        on_changed=press,
        on_failed=faults.append,
    )
    session.start()
    session.prepare()
    assert session.join(10)
    assert (session.stage, faults) == (SessionStage.OVER, [START_CANCELLED])
    assert session.state.started is None
