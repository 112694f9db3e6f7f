"""Run one episode in the terminal, logged as it happens."""

from __future__ import annotations

import gc
import signal
import time
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from app.cli.output.printing import interrupt, leave
from app.episode.episode_runner import EpisodeRunner
from app.episode.outside_stops import outside_stops
from app.runtime.os_signals import OsSignalListener, signal_name
from core import events as ev
from core.config import EpisodeComponents
from core.episode_state import EpisodeState
from core.log.recorder import Recorder
from core.operator import Operator, operator_name
from core.state.causes import goal_evidence
from core.state.state_reducer import apply_record
from core.stop.heartbeat import Heartbeat
from core.stop_token import StopToken

ShownEvents = Sequence[tuple[ev.Event, EpisodeState]]  # each event with the state after it
# Where lines are printed, if nobody is asked: a few times a step, as waiting for the log costs time.
_SHOWN_AT = ev.EpisodeStarted, ev.StepStarted, ev.StepFinished, ev.EpisodeEnded


@dataclass(frozen=True)
class RunSummary:
    """What `run --json` prints."""

    result: str
    believed_goal: bool
    true_goal: bool | None
    steps: int
    replans: int
    calls: int
    questions: int
    seconds: float
    episode: str
    reason: str  # why it ended, in a sentence
    unanswered: int  # questions that stayed UNKNOWN
    goal_known_by: dict[str, int]  # literals of the goal: seen, sensed, assumed, predicted, initial, person
    probability: float | None  # of the goal at the end, where the method computes one
    held_up: bool = False  # `EpisodeState.is_held_up`, with nobody at the gate

    @property
    def confirmed(self) -> bool:
        """Return True if some of the goal was seen, sensed or set by a person."""
        return any(self.goal_known_by[name] for name in ("seen", "sensed", "person"))


class TerminalEpisode:
    """Runs one episode in the main thread, shows its records in order and closes the components."""

    def __init__(
        self,
        components: EpisodeComponents,
        operator: Operator,
        show: Callable[[ShownEvents], None],
        fail: Callable[[str], object],
    ) -> None:
        self._show = show
        self._cancel = StopToken()
        self._state = EpisodeState()
        self._unshown: list[tuple[ev.Event, EpisodeState]] = []  # shown once they are on disk
        self._pending: deque[ev.Event] = deque()  # of other threads, recorded after the loop's next event
        self.runner = EpisodeRunner(components, operator, self._cancel, operator_name(), self._note, fail)

    @property
    def state(self) -> EpisodeState:
        return self._state

    def run(self, recorder: Recorder, notify: Callable[[str], None], ask: bool) -> RunSummary:
        """Run to the end. With `ask` a person is at the gate, and a first Ctrl+C does not end the episode."""
        began = time.perf_counter()

        def on_record(record: ev.Record) -> None:
            self._fold(record)
            self._record_pending(recorder)
            if ask or isinstance(record.event, _SHOWN_AT):
                recorder.flush()
                self._show_recorded()

        gc.freeze()  # a collection of garbage in a turn need not traverse what is loaded by now
        try:
            heartbeat = Heartbeat()
            with (
                interrupts(self.runner, self._cancel, ask, heartbeat),
                outside_stops(self.runner, "terminal", heartbeat, notify),
            ):
                self.runner.run(recorder, on_record, notify)
            self._record_pending(recorder)
            self._show_recorded()
        finally:
            self.runner.close()
        seconds = time.perf_counter() - began
        ended = self._state.ended
        held_up = not ask and self._state.is_held_up and ended and ended.result is ev.EpisodeResult.ENDED
        return replace(_summary(self._state, seconds), held_up=bool(held_up))

    def _note(self, event: ev.Event) -> None:
        """Keep an event of another thread to be recorded; a question for the arm is shown at once."""
        self._pending.append(event)
        if isinstance(event, ev.ArmHandover):
            self._show([(event, self._state)])

    def _record_pending(self, recorder: Recorder) -> None:
        while self._pending:
            self._fold(recorder.record(self._pending.popleft()))

    def _fold(self, record: ev.Record) -> None:
        self._state = apply_record(self._state, record)
        if not isinstance(record.event, ev.ArmHandover):  # which was shown when it came
            self._unshown.append((record.event, self._state))

    def _show_recorded(self) -> None:
        self._unshown, shown = [], self._unshown
        self._show(shown)


def _summary(state: EpisodeState, seconds: float) -> RunSummary:
    ended = state.ended or ev.EpisodeEnded(ev.EpisodeResult.INTERRUPTED, "the episode was broken off")
    c = state.counts
    end = ended.result.value, ended.believed_goal, ended.true_goal
    done, took = (c.steps, c.replans, c.calls, c.questions), round(seconds, 3)
    known = goal_evidence(state)
    return RunSummary(*end, *done, took, state.episode, ended.reason, c.unanswered, known, ended.probability)


def interrupts(
    runner: EpisodeRunner, cancel: StopToken, ask: bool, heartbeat: Heartbeat | None = None
) -> OsSignalListener:
    """Listen for signals. Ctrl+C stops the motion at once; a second one, or one with nobody at the gate, ends
    the episode, as SIGTERM and SIGHUP do."""

    def on_signal(number: int) -> bool:
        again, name, is_key = cancel.active_stop, signal_name(number), number == signal.SIGINT
        runner.stop(f"{name} was pressed.") if is_key else runner.stop(name, by="")
        if ends := bool(again) or not ask or not is_key:
            cancel.end(f"Ended with {name}.")
            leave(f"Ended with {name}.")
        return ends

    return OsSignalListener(on_signal, interrupt, heartbeat)
