"""The verb `run`: one whole episode, logged as it happens."""

from __future__ import annotations

import signal
import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from app.cli.printing import interrupt
from app.runtime.os_signals import OsSignalListener
from core import events as ev
from core.cancel import Cancel
from core.config import EpisodeComponents
from core.episode import run_components
from core.episode_state import EpisodeState
from core.log.recorder import Recorder
from core.loop.gate import stop_motion
from core.operator import Operator
from core.review.episode_summary import count_unanswered, goal_evidence
from core.state_reducer import apply_record

NAMES = {int(signal.SIGINT): "Ctrl+C"}
Show = Callable[[ev.Event, EpisodeState], None]


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
    why: str  # it ended, in a sentence
    unanswered: int  # questions that stayed UNKNOWN
    goal_known_by: dict[str, int]  # literals of the goal: seen, sensed, assumed, predicted, given, person


def run(
    parts: EpisodeComponents, operator: Operator, recorder: Recorder, show: Show, ask: bool
) -> RunSummary:
    """Run to the end in this thread. The parts are closed, whatever happens."""
    cancel = Cancel()
    events = run_components(parts, operator, cancel)
    began = time.perf_counter()
    story, unanswered = EpisodeState(), 0
    try:
        with _interrupts(parts, cancel, ask) as stops:
            for record in recorder.record_events(events):
                older, story = story, apply_record(story, record)
                unanswered += count_unanswered(older, story)
                show(record.event, story)
                while stops:
                    story = apply_record(story, recorder.record(stops.popleft()))
    finally:
        parts.close()
    return _summary(story, unanswered, time.perf_counter() - began)


def _summary(story: EpisodeState, unanswered: int, seconds: float) -> RunSummary:
    ended = story.ended or ev.EpisodeEnded(ev.EpisodeResult.INTERRUPTED, "the episode was broken off")
    c = story.counts
    return RunSummary(
        ended.result.value,
        ended.believed_goal,
        ended.true_goal,
        c.steps,
        c.replans,
        c.calls,
        c.questions,
        round(seconds, 3),
        story.episode,
        ended.reason,
        unanswered,
        goal_evidence(story),
    )


@contextmanager
def _interrupts(parts: EpisodeComponents, cancel: Cancel, ask: bool) -> Iterator[deque[ev.StopRequested]]:
    """Ctrl+C stops the motion at once; where nobody is at the gate, or the second time, it ends. So does the
    end of the terminal, or of the machine, at its first word.

    The stops that it yields are logged by the loop: the recorder belongs to its thread.
    """
    stops: deque[ev.StopRequested] = deque()

    def interrupted(number: int) -> None:
        again, what = cancel.active_stop, NAMES.get(number, signal.Signals(number).name)
        stop = stop_motion(parts.robot, cancel, None, f"{what} was pressed." if number in NAMES else what)
        stops.append(ev.StopRequested(stop, what, "operator"))
        if again or not ask or number not in NAMES:
            cancel.end(f"Ended with {what}.")

    with OsSignalListener(interrupted, interrupt):
        yield stops
