"""An episode for the window: made and run on a thread of its own, its gate, and its state. No Qt."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable
from enum import Enum

from app.episode.budget_prompt import BudgetPrompt
from app.episode.episode_runner import EpisodeLoop, EpisodeRunner
from app.episode.kept_knowledge import KeptKnowledge
from app.episode.live_projection import LiveProjection
from app.episode.outside_stops import outside_stops
from app.presentation.decision_section import DecisionSection
from core import events as ev
from core.arm.arm_capabilities import SupportsRecovery
from core.belief import Answer
from core.config import ComponentFactory, EpisodeComponents, Settings
from core.episode import run_components, with_goal
from core.episode_state import EpisodeState
from core.errors import Cancelled, ConsoleError, LogError
from core.log.knowledge_store import KnowledgeStore
from core.log.recorder import Recorder
from core.loop.gate import Gate
from core.operator import Correct, Decision, Proceed, Replan, TellSituation, Undo
from core.planning_model import Literal
from core.review.fork import Fork
from core.stop.heartbeat import Heartbeat
from core.stop_token import StopToken
from core.supervision import SupervisionLevels
from core.vqa.budget import BudgetExceeded, ModelBudget

log = logging.getLogger(__name__)

START_CANCELLED = "You cancelled the start: press Try again, or set up another episode."


class SessionStage(Enum):
    MAKING = "making"  # the components are being made
    READY = "ready"  # they wait for Start
    RUNNING = "running"
    OVER = "over"


class EpisodeSession:
    """Makes the components, runs the loop and records it, on a thread of its own.

    `state` is folded from what is on disk, so that a slow disk costs the loop nothing; only a stop is shown
    before it is written. Every method may be called from any thread and returns at once, except `join`. The
    callbacks come from any thread: `on_changed` says that the state or the stage changed, at most once until
    `state` is read; `on_failed` receives one sentence for a person.
    """

    def __init__(
        self,
        make: ComponentFactory,
        settings: Settings,
        recorder: Callable[[], Recorder],
        levels: SupervisionLevels,
        by: str,
        goal: tuple[Literal, ...] | None = None,
        loop: EpisodeLoop = run_components,
        on_changed: Callable[[], None] = lambda: None,
        on_failed: Callable[[str], None] = lambda reason: None,
        heartbeat: Heartbeat | None = None,
        pause_at: Callable[[ev.Event], DecisionSection | None] | None = None,
        knowledge: KnowledgeStore | None = None,
    ) -> None:
        """`pause_at` returns why, at the first event after which the episode is paused, once.

        A method that handles situations begins with what is in `knowledge`, and leaves there what people
        admitted.
        """
        self._knowledge = KeptKnowledge(knowledge, lambda text: self.note("doubt", text))
        self.settings, self.by = settings, by
        self._make, self._open_recorder, self._loop = make, recorder, loop
        self._on_changed, self._on_failed = on_changed, on_failed
        self._supervision, self._goal = levels, goal
        self._heartbeat = heartbeat  # of the window; None: nobody watches over the robot
        self._lock = threading.Lock()
        self._notified = False  # `on_changed` was called and nobody has read `state` since
        self._projection, self._stage = LiveProjection(self._changed), SessionStage.MAKING
        self._started = self._closing = False  # started for the loop, however slow the disk is
        self._start_cancelled = False
        self._start_requested, self._cancel = threading.Event(), StopToken()
        self.inherits_stop = False  # one in force when this session took the place of another
        self._halted_by = 0  # the stop from before the start by which an arm was seen halted
        self._breakpoints: frozenset[str] = frozenset()
        self.making = ""  # what the components said last while they were made
        self.runner: EpisodeRunner | None = None
        self.gate: Gate | None = None
        # Recorded as soon as there is an episode to record it in.
        self._before_start: list[ev.ArmHandover] = []
        self._pause_at = pause_at
        self.paused_for: DecisionSection | None = None  # why it has paused by itself
        self._budget_prompt = BudgetPrompt(lambda spent: self.note("doubt", str(spent)))
        self._thread = threading.Thread(target=self._run_thread, name="episode", daemon=True)

    # --- what is shown -----------------------------------------------------------------------------------

    @property
    def state(self) -> EpisodeState:
        """Return the current episode state; after this call, the next change calls `on_changed` again."""
        with self._lock:
            self._notified = False
        return self._projection.state

    @property
    def stage(self) -> SessionStage:
        return self._stage

    @property
    def start_requested(self) -> bool:
        """Return True if it runs as soon as its components are made."""
        return self._start_requested.is_set()

    def begins_stopped(self) -> bool:
        """Return True if a stop from before the start is in force. GUI thread.

        An arm that was seen halted by it and no longer is was released at its panel, by a person.
        """
        stop, robot = self._cancel.active_stop, self.components.robot if self.components else None
        if self._stage is not SessionStage.READY or not stop:
            return False
        if self.gate is not None and isinstance(robot, SupportsRecovery):
            if robot.recovery.halted:
                self._halted_by = stop
            elif self._halted_by == stop:
                self._cancel.release(stop)
                self.gate.take_as_released(stop)
        return self._cancel.active_stop > 0

    @property
    def components(self) -> EpisodeComponents | None:
        """Return the components of the episode, None until they are made."""
        return self.runner.components if self.runner is not None else None

    def now(self) -> float:
        """Return the seconds since the episode began."""
        state = self._projection.state
        return max(state.now, time.monotonic() - state.started_monotonic) if state.is_running else state.now

    @property
    def records(self) -> int:
        """Return how many records are on disk."""
        return self._projection.last_record

    # --- life cycle --------------------------------------------------------------------------------------

    def prepare(self) -> None:
        """Start to make the components. Nothing moves before `start`."""
        self._thread.start()

    def start(self) -> None:
        """Run the loop as soon as the components are made."""
        self._start_requested.set()

    def cancel_start(self) -> None:
        """Break off the making of the components, which may take minutes; later there is nothing to cancel.

        What they say next of their start is where the making ends.
        """
        if self._stage is SessionStage.MAKING:
            self._start_cancelled = True
            self._stop_restoring(START_CANCELLED)

    def close(self, reason: str) -> None:
        """Halt the robot and end the episode, or the making of its components."""
        self._closing = True
        self._stop_restoring(reason)
        if self.runner is not None:
            self.runner.halt_if_in_control()
        self._cancel.end(reason)
        if self.gate is not None:
            self.gate.end(reason, self.by)
        self._start_requested.set()
        if self._stage is SessionStage.OVER:
            self._projection.detach()

    def join(self, seconds: float) -> bool:
        """Wait at most `seconds` for the thread. Return True if it has ended."""
        if self._thread.ident is not None:
            self._thread.join(seconds)
        return not self._thread.is_alive()

    # --- what a person does ------------------------------------------------------------------------------

    def stop(self, reason: str, by: str | None = None) -> int:
        """Stop the motion, at once and before anything else. Return the stop's number, 0 without a robot.

        `by` requested it, as for `EpisodeRunner.stop`.
        Until there is one, end the restoring of a fork's world, else a start that was asked for.
        """
        runner = self.runner
        if runner is None:
            self._stop_restoring(reason)
            if self.start_requested and not isinstance(self.settings, Fork):
                self.cancel_start()
        return 0 if runner is None or self._stage is SessionStage.OVER else runner.stop(reason, by)

    def _stop_restoring(self, reason: str) -> None:
        if isinstance(self.settings, Fork):
            self.settings.cancel.end(reason)

    # `seen` is the state that was on the screen: a reply never answers what came after it.

    def reply(self, seen: EpisodeState, decision: Decision) -> None:
        """Reply to the proposal that was seen."""
        if self.gate is not None and seen.proposal is not None:
            self.gate.submit_decision(seen.proposal.number, decision)

    def release_stop(self, seen: EpisodeState) -> None:
        """Release the stop that was seen; a later one stays."""
        if seen.proposal is not None:
            self.reply(seen, Proceed(seen.proposal.stop_number, self.by))

    def submit_answers(self, seen: EpisodeState, answers: tuple[Answer, ...]) -> None:
        """Submit the answers that count in the review that was seen."""
        if self.gate is not None:
            self.gate.submit_review(seen.review_count, answers)

    def accept_plan(self, seen: EpisodeState, accepted: bool) -> None:
        """Accept or reject the new plan that was seen."""
        if self.gate is not None:
            self.gate.submit_plan_acceptance(seen.offer_count, accepted)

    def submit(self, decision: Correct | Undo | Replan | TellSituation) -> None:
        """Submit a correction, its undo, a situation or a request to replan, which needs no proposal."""
        if self.gate is not None and self._projection.state.is_running:
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
        """Execute one step, then pause."""
        if self.gate is not None:
            paused = self.gate.paused
            self.gate.step_once()
            if not paused:
                self._record_event(ev.Paused(self.by))

    def end(self) -> None:
        if self.gate is not None:
            self.gate.end("Ended by you.", self.by)
            self._budget_prompt.reply(None)

    def set_supervision(self, levels: SupervisionLevels) -> SupervisionLevels:
        """Set the supervision levels and return those in force, which may be stricter."""
        self._supervision = levels if self.gate is None else self.gate.set_supervision(levels)
        self._record_supervision()
        return self._supervision

    def set_breakpoints(self, actions: frozenset[str]) -> None:
        self._breakpoints = actions
        if self.gate is not None:
            self.gate.set_breakpoints(actions)

    @property
    def exhausted_budget(self) -> BudgetExceeded | None:
        """Return the exhausted budget while the loop waits for a person to raise it, else None."""
        return self._budget_prompt.waiting

    def set_budget(self, budget: ModelBudget | None) -> None:
        """Give the model this budget; with None a person answers these questions."""
        if self.exhausted_budget is not None:
            more = f"The model's budget was raised to {budget}" if budget else "These questions are answered"
            self.note("info", f"{more} by {self.by}.")
            self._budget_prompt.reply(budget)

    def bookmark(self, note: str = "") -> None:
        self._record_event(ev.Bookmarked(note, self.by))

    def note(self, level: str, text: str) -> None:
        self._record_event(ev.Notice(level, text))

    # --- the episode's thread ----------------------------------------------------------------------------

    def _run_thread(self) -> None:
        try:
            recorder = self._open_recorder()
            self._projection.open(recorder)
            runner = self._make_runner()
            with outside_stops(runner, "window", self._heartbeat, lambda text: self.note("doubt", text)):
                if not self._closing:
                    self._set_stage(SessionStage.READY)
                    if self._start_cancelled:
                        raise Cancelled(START_CANCELLED)
                    self._start_requested.wait()
                if not self._closing:
                    self._set_stage(SessionStage.RUNNING)
                    self._projection.attach()
                    runner.run(recorder, self._on_record, lambda text: self.note("doubt", text))
                    if not self._closing:
                        recorder.flush()
                    self._knowledge.keep(self._projection.state, runner.components)
        except Cancelled:
            log.info("the session was closed, or its start cancelled, while its components were made")
            if self._start_cancelled and not self._closing:
                self._fail(START_CANCELLED)
        except ConsoleError as error:
            self._fail(str(error))
        except Exception as error:
            log.exception("the session broke")
            self._fail(f"A part of the program broke ({type(error).__name__}: {error}).")
        finally:
            if self.runner is not None:
                self.runner.close()
            self._set_stage(SessionStage.OVER)
            if self._closing:
                self._projection.detach()

    def _make_runner(self) -> EpisodeRunner:
        components = with_goal(self._make(self.settings, self._on_notice, self._supervision), self._goal)
        components = self._knowledge.begin(components)
        components.meter.on_exceeded = self._budget_prompt.ask
        self.gate = Gate(self._supervision, components.robot.embodiment)
        self.gate.set_breakpoints(self._breakpoints)
        self.runner = EpisodeRunner(
            components, self.gate, self._cancel, self.by, self._record_event, self._on_failed, self._loop
        )
        if self.inherits_stop:
            self.runner.stop("It was stopped before this was set up.", by="")
        return self.runner

    def _on_notice(self, text: str) -> None:
        """Take what a component says of itself, from any thread."""
        if self._stage is SessionStage.MAKING:
            if (self._closing or self._start_cancelled) and threading.current_thread() is self._thread:
                raise Cancelled("nobody waits any more for a start that may take minutes")
            self.making = text
            self._changed()
        self.note("info", text)

    def _on_record(self, record: ev.Record) -> None:
        if isinstance(record.event, ev.EpisodeStarted):
            with self._lock:
                self._started, earlier = True, self._before_start
            self._knowledge.report_faults()
            self._record_supervision()
            for event in earlier:
                self._record_event(event)
        elif self._pause_at is not None and not self.paused_for and (why := self._pause_at(record.event)):
            self.paused_for = why
            self.pause()

    def _fail(self, reason: str) -> None:
        self._projection.mark_crashed(reason)
        self._on_failed(reason)

    # --- any thread --------------------------------------------------------------------------------------

    def _record_event(self, event: ev.Event) -> None:
        """Record what a person or the program did, if there is an episode to record it in."""
        with self._lock:
            if not self._started:
                if isinstance(event, ev.ArmHandover):
                    self._before_start.append(event)
                return
        try:
            self._projection.record(event)
        except LogError as error:
            self._on_failed(str(error))

    def _record_supervision(self) -> None:
        if self._projection.state.ended is not None:
            return  # it is of the next episode
        s = self._supervision if self.gate is None else self.gate.supervision
        names = s.ask.name, s.believe.name, s.replan.name, s.move.name
        self._record_event(ev.SupervisionChanged(*names, by=self.by))

    def _set_stage(self, stage: SessionStage) -> None:
        self._stage = stage
        self._changed()

    def _changed(self) -> None:
        with self._lock:
            first, self._notified = not self._notified, True
        if first:
            self._on_changed()
