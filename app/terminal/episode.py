"""The verb `run`: one whole episode, logged as it happens."""

from __future__ import annotations

import signal
import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from types import FrameType

from core import events as ev
from core.cancel import Cancel
from core.config import Parts
from core.deciding import Operator
from core.gate import stop_motion
from core.log.recorder import Recorder
from core.loop import run_episode
from core.story import Story
from core.telling import after

Show = Callable[[ev.Event, Story], None]


@dataclass(frozen=True)
class Summary:
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


def run(parts: Parts, operator: Operator, recorder: Recorder, show: Show, ask: bool) -> Summary:
    """Run to the end in this thread. The parts are closed, whatever happens."""
    cancel = Cancel()
    events = run_episode(
        parts.task.name,
        parts.task.problem,
        parts.robot,
        parts.answerer,
        parts.planner,
        parts.method,
        operator,
        cancel,
        parts.settings.max_steps,
        parts.settings.words(),
    )
    began = time.perf_counter()
    story = Story()
    try:
        with _interrupts(parts, cancel, ask) as stops:
            for record in recorder.record_events(events):
                story = after(story, record)
                show(record.event, story)
                while stops:
                    story = after(story, recorder.record(stops.popleft()))
    finally:
        parts.close()
    return _summary(story, time.perf_counter() - began)


def _summary(story: Story, seconds: float) -> Summary:
    ended = story.ended or ev.Ended(ev.Result.BROKEN_OFF, "the episode was broken off")
    c = story.counts
    return Summary(
        ended.result.value,
        ended.believed_goal,
        ended.true_goal,
        c.steps,
        c.replans,
        c.calls,
        c.questions,
        round(seconds, 3),
        story.episode,
    )


@contextmanager
def _interrupts(parts: Parts, cancel: Cancel, ask: bool) -> Iterator[deque[ev.StopRequested]]:
    """Ctrl+C stops the motion at once; where nobody is at the gate, or the second time, it ends.

    A signal handler may come between any two instructions of this thread, so it takes no lock of the
    recorder: the stops that it yields are logged by the loop.
    """
    stops: deque[ev.StopRequested] = deque()

    def interrupted(number: int, frame: FrameType | None) -> None:
        again = cancel.stopped
        stop = stop_motion(parts.robot, cancel, None, "Ctrl+C was pressed.")
        stops.append(ev.StopRequested(stop, "Ctrl+C", "operator"))
        if again or not ask:
            cancel.end("Ended with Ctrl+C.")

    old = signal.signal(signal.SIGINT, interrupted)
    try:
        yield stops
    finally:
        signal.signal(signal.SIGINT, old)
