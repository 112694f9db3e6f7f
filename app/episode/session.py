"""One episode on a thread of its own. The only file where the loop meets Qt."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable
from enum import Enum
from functools import partial

from PySide6.QtCore import QObject, Signal

from app.episode.budget_prompt import BudgetPrompt
from app.episode.goal_override import EpisodeLoop, with_goal
from app.episode.live_projection import LiveProjection
from core import events as ev
from core.arm.arm_capabilities import ReportsStandstill, release_control
from core.belief import Answer
from core.cancel import Cancel
from core.config import ComponentFactory, EpisodeComponents, Settings
from core.episode import run_components
from core.episode_state import EpisodeState
from core.errors import ConsoleError, LogError
from core.log.recorder import Recorder
from core.log.video.live_video import LiveVideo, start_live_video
from core.loop.gate import Gate, stop_motion
from core.operator import Choose, Correct, Decision, Proceed, Replan, Undo
from core.planning_model import Literal, Step
from core.supervision import SupervisionLevels
from core.vqa.budget import BudgetExceeded, ModelBudget

log = logging.getLogger(__name__)


class SessionStage(Enum):
    MAKING = "making"  # the parts are being made
    READY = "ready"  # they wait for Start
    RUNNING = "running"
    OVER = "over"


class EpisodeSession(QObject):
    """Makes the parts, runs the loop and has it recorded, on a thread of its own.

    The story is of what is on disk, so that a slow disk costs the loop nothing; only a stop is shown before
    it is written. The signals arrive on the screen's thread, and `changed` at most once between two looks at
    `story`. Every method may be called from any thread and returns at once, but `join`.
    """

    changed = Signal()  # the story or the stage is another: look at them
    failed = Signal(str)  # one sentence for a person

    def __init__(
        self,
        make: ComponentFactory,
        settings: Settings,
        recorder: Callable[[], Recorder],
        dials: SupervisionLevels,
        by: str,
        goal: tuple[Literal, ...] | None = None,
        loop: EpisodeLoop = run_components,
    ) -> None:
        super().__init__()
        self.settings, self.by = settings, by
        self._make, self._open_recorder, self._loop = make, recorder, loop
        self._supervision, self._goal = dials, goal
        self._lock = threading.RLock()
        self._notified = False  # `changed` was emitted and nobody has looked since
        self._projection, self._stage = LiveProjection(self._changed), SessionStage.MAKING
        self._started = self._moving = False  # as the loop has it, however slow the disk is
        self._start_requested, self._cancel = threading.Event(), Cancel()
        self._closing = False
        self._breakpoints: frozenset[str] = frozenset()
        self._stops: list[tuple[int, float]] = []  # pressed, and not yet seen to stand still
        self._standstill = (
            -1
        )  # the last halt after which the robot itself saw that it stands; -1: it has no eye
        self.components: EpisodeComponents | None = None
        self.gate: Gate | None = None
        self._video: LiveVideo | None = None
        self._budget_prompt = BudgetPrompt(self._on_budget_exhausted)
        self._thread = threading.Thread(target=self._run_thread, name="episode", daemon=True)

    # --- what the screen looks at ------------------------------------------------------------------------

    @property
    def story(self) -> EpisodeState:
        """The story of now; the next change will be told again."""
        with self._lock:
            self._notified = False
        return self._projection.story

    @property
    def stage(self) -> SessionStage:
        return self._stage

    def now(self) -> float:
        """Seconds since the episode began."""
        story = self._projection.story
        return max(story.now, time.monotonic() - story.started_monotonic) if story.is_running else story.now

    @property
    def records(self) -> int:
        """How many are on disk."""
        return self._projection.last_record

    # --- its life ----------------------------------------------------------------------------------------

    def prepare(self) -> None:
        """Begin to make the parts. Nothing moves before `start`."""
        self._thread.start()

    def start(self) -> None:
        """Run the loop as soon as the parts are there."""
        self._start_requested.set()

    def close(self, why: str) -> None:
        """Halt the robot and end the episode, or what is being made."""
        self._closing = True
        self._release_control()
        self._cancel.end(why)
        if self.gate is not None:
            self.gate.end(why, self.by)
        self._start_requested.set()
        if self._stage is SessionStage.OVER:
            self._projection.detach()

    def join(self, seconds: float) -> bool:
        """Whether the thread is gone by then."""
        if self._thread.ident is not None:
            self._thread.join(seconds)
        return not self._thread.is_alive()

    # --- what a person does ------------------------------------------------------------------------------

    def stop(self, why: str) -> int:
        """Stop the motion, at once and before anything else. Returns the stop's number, 0 without a robot."""
        components, pressed = self.components, time.monotonic()
        if components is None or self._stage is SessionStage.OVER:
            return 0
        try:
            number = stop_motion(components.robot, self._cancel, self.gate, why)
        except Exception as error:  # the episode is ended by now; the person has to hear of it at once
            log.exception("the robot did not take the stop")
            why = f"The robot did not take the stop ({error})"
            self.failed.emit(f"{why}: if it moves, use its emergency stop.")
            return 0
        self._record_event(ev.StopRequested(number, why, self.by))
        with self._lock:
            stands = self._standstill >= number if self._standstill >= 0 else not self._moving
            self._stops.append((number, pressed))
        if stands:
            self._measure_stops(number)
        return number

    # `seen` is the story that was on the screen: what came after it is not answered.

    def reply(self, seen: EpisodeState, decision: Decision) -> None:
        """To the proposal that was seen."""
        if self.gate is not None and seen.proposal is not None:
            self.gate.submit_decision(seen.proposal.number, decision)

    def release_stop(self, seen: EpisodeState) -> None:
        """Release the stop that was seen; a later one stays."""
        if seen.proposal is not None:
            self.reply(seen, Proceed(seen.proposal.stop_number, self.by))

    def submit_answers(self, seen: EpisodeState, answers: tuple[Answer, ...]) -> None:
        """These answers count in the review that was seen."""
        if self.gate is not None:
            self.gate.submit_review(seen.review_count, answers)

    def accept_plan(self, seen: EpisodeState, accepted: bool) -> None:
        """Take or leave the plan that was seen."""
        if self.gate is not None:
            self.gate.submit_plan_acceptance(seen.offer_count, accepted)

    def correct(self, answers: tuple[Answer, ...]) -> None:
        self._submit(Correct(answers, self.by))

    def undo(self) -> None:
        self._submit(Undo(self.by))

    def replan(self) -> None:
        self._submit(Replan(self.by))

    def choose(self, seen: EpisodeState, step: Step) -> None:
        """Another step instead of the one that was proposed."""
        self.reply(seen, Choose(step, self.by))

    def _submit(self, decision: Correct | Undo | Replan) -> None:
        if self.gate is not None and self._projection.story.is_running:
            self.gate.submit_correction(decision)

    def pause(self) -> None:
        if self.gate is not None and not self.gate.paused:
            self.gate.pause()
            self._record_event(ev.Paused(self.by))

    def resume(self) -> None:
        if self.gate is not None and self.gate.paused:
            self.gate.resume()
            self._record_event(ev.Resumed(self.by))

    def step_once(self) -> None:
        """One step, then a pause."""
        if self.gate is not None:
            paused = self.gate.paused
            self.gate.step_once()
            if not paused:
                self._record_event(ev.Paused(self.by))

    def end(self) -> None:
        if self.gate is not None:
            self.gate.end("Ended by you.", self.by)
            self._budget_prompt.reply(None)

    def set_supervision(self, dials: SupervisionLevels) -> SupervisionLevels:
        """Returns what is in force."""
        self._supervision = dials
        if self.gate is None:
            return dials
        self._supervision = self.gate.set_supervision(dials)
        self._record_event(_supervision_changed(self._supervision, self.by))
        return self._supervision

    def set_breakpoints(self, actions: frozenset[str]) -> None:
        self._breakpoints = actions
        if self.gate is not None:
            self.gate.set_breakpoints(actions)

    @property
    def exhausted_budget(self) -> BudgetExceeded | None:
        """The budget that is used up while the loop waits for a person's word about it."""
        return self._budget_prompt.waiting

    def set_budget(self, budget: ModelBudget | None) -> None:
        """Another budget for the model; None: these questions are answered by a person."""
        if self.exhausted_budget is not None:
            more = f"The model's budget was raised to {budget}" if budget else "These questions are answered"
            self.note("info", f"{more} by {self.by}.")
            self._budget_prompt.reply(budget)

    def bookmark(self, note: str = "") -> None:
        self._record_event(ev.Bookmarked(note, self.by))

    def _note_info(self, words: str) -> None:
        self.note("info", words)

    def _on_budget_exhausted(self, spent: BudgetExceeded) -> None:
        self.note("doubt", str(spent))

    def note(self, level: str, words: str) -> None:
        self._record_event(ev.Notice(level, words))

    # --- the worker's thread -----------------------------------------------------------------------------

    def _run_thread(self) -> None:
        try:
            recorder = self._open_recorder()
            self._projection.open(recorder)
            self.components = with_goal(self._make(self.settings, self._note_info), self._goal)
            self.components.meter.on_exceeded = self._budget_prompt.ask
            self.gate = Gate(self._supervision, self.components.robot.embodiment)
            self.gate.set_breakpoints(self._breakpoints)
            if isinstance(self.components.robot, ReportsStandstill):
                self._standstill = 0
                self.components.robot.on_standstill(self._on_standstill)
            if not self._closing:
                self._set_stage(SessionStage.READY)
                self._start_requested.wait()
            if not self._closing:
                self._set_stage(SessionStage.RUNNING)
                self._run_loop(recorder, self.components, self.gate)
        except ConsoleError as error:
            self._fail(str(error))
        except Exception as error:
            log.exception("the session broke")
            self._fail(f"A part of the program broke ({type(error).__name__}: {error}).")
        finally:
            if self.components is not None:
                self._release_control()
                self.components.close()
            self._set_stage(SessionStage.OVER)
            if self._closing:
                self._projection.detach()

    def _run_loop(self, recorder: Recorder, components: EpisodeComponents, gate: Gate) -> None:
        self._projection.attach()
        try:
            for record in recorder.record_events(self._loop(components, gate, self._cancel), wait=False):
                self._on_loop_event(recorder, components, gate, record.event)
            if not self._closing:
                recorder.flush()
        finally:
            self._motion_ended()
            if self._video is not None:
                self._video.stop()

    def _on_loop_event(
        self, recorder: Recorder, components: EpisodeComponents, gate: Gate, event: ev.Event
    ) -> None:
        """What the loop has just done, before it goes on."""
        match event:
            case ev.EpisodeStarted():
                recorder.flush()  # nothing moves before the episode's beginning is on disk
                self._started = True
                wanted, robot = components.settings.live_video, components.robot
                self._video = start_live_video(wanted, robot, recorder, partial(self.note, "doubt"))
                self._record_event(_supervision_changed(gate.supervision, self.by))
            case ev.StepStarted():
                self._moving = True
            case ev.StepFinished() | ev.EpisodeEnded():
                self._motion_ended()

    def _release_control(self) -> None:
        """Nobody asked for a stop, but nothing may go on moving. What comes after it has to come anyway."""
        if self.components is None:
            return
        try:
            release_control(self.components.robot)
        except Exception as error:
            log.exception("the robot cannot be halted")
            self.failed.emit(f"The robot cannot be halted ({error}): if it moves, use its emergency stop.")

    def _motion_ended(self) -> None:
        """The loop moves nothing any more. That an arm stands, only its own data tell."""
        self._moving = False
        if self._standstill < 0:
            self._measure_stops()

    def _on_standstill(self, halt: int, seconds: float | None) -> None:
        """What a robot with an eye for it says of a halt; a thread of its own."""
        with self._lock:
            pressed = any(number == halt for number, _ in self._stops)
            self._standstill = self._standstill if seconds is None else max(self._standstill, halt)
        if seconds is None:
            if pressed:
                self.note("fault", "The arm is not known to stand, as no data come from it: look at it.")
            return
        self._measure_stops(halt)

    def _measure_stops(self, up_to: int | None = None) -> None:
        """The robot stands still: every stop that was pressed, up to this one, is measured by now."""
        with self._lock:
            stops = [s for s in self._stops if up_to is None or s[0] <= up_to]
            self._stops = [s for s in self._stops if s not in stops]
        for number, pressed in stops:
            self._record_event(ev.StandstillMeasured(number, time.monotonic() - pressed))

    def _fail(self, why: str) -> None:
        self._projection.mark_crashed(why)
        self.failed.emit(why)

    # --- any thread --------------------------------------------------------------------------------------

    def _record_event(self, event: ev.Event) -> None:
        """Record what a person or the program did, if there is an episode to record it in."""
        if not self._started:
            return
        try:
            self._projection.record(event)
        except LogError as error:
            self.failed.emit(str(error))

    def _set_stage(self, stage: SessionStage) -> None:
        self._stage = stage
        self._changed()

    def _changed(self) -> None:
        with self._lock:
            first, self._notified = not self._notified, True
        if first:
            self.changed.emit()


def _supervision_changed(dials: SupervisionLevels, by: str) -> ev.SupervisionChanged:
    return ev.SupervisionChanged(dials.ask.name, dials.believe.name, dials.replan.name, dials.move.name, by)
