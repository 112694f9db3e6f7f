"""Run an episode and stop its motion. The window and the terminal both use this; it knows no Qt."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Iterator

from core import events as ev
from core.arm.arm_capabilities import ReportsStandstill, ReportsStatus, halt_if_in_control
from core.arm.handover import HandoverNews
from core.config import EpisodeComponents
from core.episode import run_components
from core.log.recorder import Recorder
from core.log.video.live_video import start_live_video
from core.loop.gate import Gate, stop_motion
from core.operator import Approve, Operator
from core.stop_token import StopToken

log = logging.getLogger(__name__)
EpisodeLoop = Callable[[EpisodeComponents, Operator, StopToken], Iterator[ev.Event]]


class EpisodeRunner:
    """Runs the loop of one episode in the thread that calls `run`; everything else is for any thread.

    `record` records an event that the loop does not emit itself, from any thread. `fail` receives a sentence
    for a person when the robot does not obey.
    """

    def __init__(
        self,
        components: EpisodeComponents,
        operator: Operator,
        cancel: StopToken,
        by: str,
        record: Callable[[ev.Event], object],
        fail: Callable[[str], object],
        loop: EpisodeLoop = run_components,
    ) -> None:
        self.components, self.operator, self._cancel, self._by = components, operator, cancel, by
        self._record, self._fail, self._loop = record, fail, loop
        self._lock = threading.Lock()
        self._stops: list[tuple[int, float]] = []  # pressed at this time, standstill not yet measured
        self.moving = False
        self._stands_since = 0  # the last halt after which the robot itself reported a standstill
        self._reports_standstill = isinstance(components.robot, ReportsStandstill)
        if isinstance(components.robot, ReportsStandstill):
            components.robot.on_standstill(self._on_standstill)

    def run(
        self, recorder: Recorder, on_record: Callable[[ev.Record], object], notify: Callable[[str], None]
    ) -> None:
        """Run the episode to its end; `on_record` receives each record before the loop goes on.

        `notify` receives what happens to the live video, also from its thread. Raises LogError, and what the
        loop raises.
        """
        video = None
        try:
            events = self._loop(self.components, self.operator, self._cancel)
            for record in recorder.record_events(events):
                match record.event:
                    case ev.EpisodeStarted():
                        recorder.flush()  # nothing moves before the episode's beginning is on disk
                        on_record(record)
                        wanted = self.components.settings.live_video
                        video = start_live_video(wanted, self.components.robot, recorder, notify)
                        continue
                self.moving = moves_after(self.moving, record.event)
                if not self.moving:
                    self._motion_ended()
                on_record(record)
        finally:
            self._motion_ended()
            if video is not None:
                video.stop()

    def stop(self, reason: str, by: str | None = None) -> int:
        """Stop the motion, at once and before anything else. Return the stop's number, 0 if this failed.

        `by` requested it: by default the person at this program, "" if nobody knows.
        """
        pressed = time.monotonic()
        gate = self.operator if isinstance(self.operator, Gate) else None
        try:
            number = stop_motion(self.components.robot, self._cancel, gate, reason)
        except Exception as error:  # the episode has ended by now; the person must be told at once
            log.exception("the robot did not take the stop")
            self._fail(f"The robot did not take the stop ({error}): if it moves, use its emergency stop.")
            return 0
        self._await_standstill(ev.StopRequested(number, reason, self._by if by is None else by), pressed)
        return number

    def _await_standstill(self, stop: ev.StopRequested, pressed: float) -> None:
        """Record a stop of the robot, and its time to standstill as soon as that is known."""
        self._record(stop)
        with self._lock:
            stands = self._stands_since >= stop.number if self._reports_standstill else not self.moving
            self._stops.append((stop.number, pressed))
        if stands:
            self._measure_stops(stop.number)

    def on_handover(self, news: HandoverNews) -> None:
        """Take what another console at the arm caused. A halt that came with it is in force already."""
        if news.halt:
            self._cancel.stop(news.halt, news.reason)
            if isinstance(self.operator, Gate):
                self.operator.stop(news.halt, news.reason)
        if news.stopped_by:
            self._await_standstill(
                ev.StopRequested(news.halt, news.reason, news.stopped_by), time.monotonic()
            )
        if news.event is not None:
            self._record(news.event)

    def halt_if_in_control(self) -> None:
        """Halt although nobody asked for a stop. Never raises, because what comes next must happen anyway."""
        try:
            halt_if_in_control(self.components.robot)
        except Exception as error:
            log.exception("the robot cannot be halted")
            self._fail(f"The robot cannot be halted ({error}): if it moves, use its emergency stop.")

    def close(self) -> None:
        """Halt, then close the components."""
        self.halt_if_in_control()
        self.components.close()

    def stands_since(self, halt: int) -> bool:
        """Return True if the robot has stood still since this halt, by its own data if it reports any."""
        with self._lock:
            return all(number > halt for number, _ in self._stops)

    def _motion_ended(self) -> None:
        """The loop moves nothing; whether an arm stands still, only its own data show."""
        self.moving = False
        if not self._reports_standstill:
            self._measure_stops()

    def _on_standstill(self, halt: int, seconds: float | None) -> None:
        """Take the robot's report of how long it moved on after a halt. Called from a thread of the robot."""
        with self._lock:
            pressed = any(number == halt for number, _ in self._stops)
            if seconds is not None:
                self._stands_since = max(self._stands_since, halt)
        if seconds is not None:
            self._measure_stops(halt)
        elif pressed:
            text = "It is unknown whether the arm stands still, because no data come from it: look at it."
            self._record(ev.Notice("fault", text))

    def _measure_stops(self, up_to: int | None = None) -> None:
        """Record the time to standstill of every pressed stop, or of those up to number `up_to`."""
        with self._lock:
            stops = [s for s in self._stops if up_to is None or s[0] <= up_to]
            self._stops = [s for s in self._stops if s not in stops]
        robot = self.components.robot
        speed = robot.status.tool_speed if stops and isinstance(robot, ReportsStatus) else None
        for number, pressed in stops:
            self._record(ev.StandstillMeasured(number, time.monotonic() - pressed, speed))


def moves_after(moving: bool, event: ev.Event) -> bool:
    """Fold the loop's events into whether the robot may be moving.

    What is approved may be a viewpoint, which has no event of its own when it begins.
    """
    match event:
        case ev.StepStarted() | ev.DecisionMade(decision=Approve()):
            return True
        case (
            ev.StepFinished()
            | ev.FrameCaptured()
            | ev.ActionProposed()
            | ev.DomainChanged()
            | ev.EpisodeEnded()
        ):
            return False
    return moving
