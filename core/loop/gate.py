"""A person as an Operator: the loop's thread waits here, the GUI thread replies."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable
from dataclasses import replace
from threading import Condition
from typing import TypeVar

from core.belief import Answer, Verdict
from core.errors import AnswererError, RobotNotReady
from core.loop.supervision_rules import MOTION_KINDS, needs_review, passes
from core.operator import (
    Addressee,
    AnswerReview,
    Approve,
    Correct,
    Decision,
    End,
    PlanChange,
    Proceed,
    Proposal,
    ProposalKind,
    Replan,
    StopRaised,
    TellSituation,
    Undo,
)
from core.ports import Embodiment, Robot
from core.reason import Cause
from core.stop_token import StopToken
from core.supervision import SUPERVISION_PRESETS, SupervisionLevel, SupervisionLevels

T = TypeVar("T")


class Gate:
    """Lets a step pass only by a reply to that very proposal, or because the supervision levels allow it.

    Replies are kept by number and the first one counts, so a double click cannot approve a step that nobody
    has read, and a reply that comes before the loop waits is not lost. A stop takes precedence over
    everything and stays until it is released by its number. `asks_model`, `review`, `accept_plan`,
    `next_correction` and `decide` belong to the loop's thread; everything else may be called from any thread.
    """

    def __init__(
        self, supervision: SupervisionLevels | None = None, embodiment: Embodiment = Embodiment.SIM
    ) -> None:
        self._changed = Condition()
        self._embodiment = embodiment
        self._supervision = (supervision or SupervisionLevels()).allowed_for(embodiment)
        self._decisions: dict[int, Decision] = {}
        self._reviews: dict[int, tuple[Answer, ...]] = {}
        self._plan_acceptances: dict[int, bool] = {}
        # That the loop has not taken yet.
        self._corrections: deque[Correct | Undo | Replan | TellSituation] = deque()
        self._breakpoints: frozenset[str] = frozenset()
        self._paused = False
        self._step_once = False
        self._stop: StopRaised | None = None
        self._released = 0
        self._end: End | None = None
        self._review_count = 0
        self._offer_count = 0

    # --- the loop's thread ---------------------------------------------------------------------------

    def asks_model(self) -> bool:
        return self.supervision.ask is not SupervisionLevel.MANUAL

    def review(self, review: AnswerReview) -> tuple[Answer, ...]:
        """Return the answers; wait if a person must see them first at the current level of `believe`."""
        with self._changed:
            self._review_count += 1
            number = self._review_count
            waited = self._wait(
                lambda: self._reviews.get(number),
                lambda: not needs_review(self._supervision, review),
                review.wait_seconds if review.addressee is Addressee.OPERATOR else None,
            )
            if waited is not None:
                return waited
            if review.addressee is Addressee.OPERATOR:  # nobody has said anything: all are UNKNOWN
                return review.answers
            if needs_review(self._supervision, review):  # a stop or an end came first, so nothing counts
                return tuple(replace(a, verdict=Verdict.UNKNOWN) for a in review.answers)
            return review.answers

    def accept_plan(self, revision: PlanChange) -> bool | None:
        with self._changed:
            self._offer_count += 1
            number = self._offer_count
            if self._supervision.replan is SupervisionLevel.MANUAL:
                return revision.reason.cause is Cause.REQUESTED  # only when a person asked for it
            waited = self._wait(
                lambda: self._plan_acceptances.get(number),
                lambda: bool(self._corrections) or self._supervision.replan is SupervisionLevel.WATCH,
            )
            withdrawn = self._corrections or self._end or self._active_stop()
            return waited if waited is not None or withdrawn else True

    def next_correction(self) -> Correct | Undo | Replan | TellSituation | End | None:
        with self._changed:
            return self._end or (self._corrections.popleft() if self._corrections else None)

    def decide(self, proposal: Proposal) -> Decision:
        with self._changed:
            while True:
                decision = self._decision(proposal)
                if decision is not None:
                    return decision
                self._changed.wait()

    # --- any thread ----------------------------------------------------------------------------------

    def submit_decision(self, number: int, decision: Decision) -> bool:
        """Answer proposal `number`. Return False if it was already answered."""
        with self._changed:
            first = self._decisions.setdefault(number, decision) is decision
            self._changed.notify_all()
            return first

    def submit_review(self, number: int, answers: tuple[Answer, ...]) -> bool:
        """Set the answers that count in review round `number` (1, 2, ... in this episode)."""
        with self._changed:
            first = self._reviews.setdefault(number, answers) is answers
            self._changed.notify_all()
            return first

    def submit_plan_acceptance(self, number: int, accepted: bool) -> None:
        """Accept or reject the plan offered as number 1, 2, ... in this episode."""
        with self._changed:
            self._plan_acceptances.setdefault(number, accepted)
            self._changed.notify_all()

    def submit_correction(self, decision: Correct | Undo | Replan | TellSituation) -> None:
        """Submit a correction or a situation at any time. It withdraws a plan on offer, and counts in this
        turn."""
        with self._changed:
            self._corrections.append(decision)
            self._changed.notify_all()

    def set_supervision(self, supervision: SupervisionLevels) -> SupervisionLevels:
        """Set the levels on behalf of a person. Return those in force, which REAL restricts."""
        with self._changed:
            self._supervision = supervision.allowed_for(self._embodiment)
            self._changed.notify_all()
            return self._supervision

    @property
    def supervision(self) -> SupervisionLevels:
        with self._changed:
            return self._supervision

    def set_breakpoints(self, actions: frozenset[str]) -> None:
        """Set the actions ("openit") and whole steps ("(openit a c)") that wait for a person."""
        with self._changed:
            self._breakpoints = actions
            self._changed.notify_all()

    def pause(self) -> None:
        """Let the current motion finish; nothing starts after it."""
        with self._changed:
            self._paused = True

    def resume(self) -> None:
        with self._changed:
            self._paused = self._step_once = False
            self._changed.notify_all()

    def step_once(self) -> None:
        """Let one step pass, then pause."""
        with self._changed:
            self._paused = self._step_once = True
            self._changed.notify_all()

    @property
    def paused(self) -> bool:
        with self._changed:
            return self._paused

    def stop(self, number: int, reason: str) -> None:
        """Raise a stop, which takes precedence over every reply, even earlier ones, until it is released."""
        with self._changed:
            if self._stop is None or number > self._stop.number:
                self._stop = StopRaised(number, reason)
            self._changed.notify_all()

    def take_as_released(self, up_to: int) -> None:
        """Take the stops up to this one as released: a person did that at the arm, before the episode."""
        with self._changed:
            self._released = max(self._released, up_to)

    def end(self, reason: str, by: str = "") -> None:
        """End the episode at the next gate; the first reason stays."""
        with self._changed:
            self._end = self._end or End(reason, by)
            self._changed.notify_all()

    # --- with the lock held -------------------------------------------------------------------------

    def _wait(
        self, reply: Callable[[], T | None], not_needed: Callable[[], bool], seconds: float | None = None
    ) -> T | None:
        """Wait for a reply; return None as soon as none is needed, a stop or end came, or after `seconds`."""
        end = None if seconds is None else time.monotonic() + seconds
        while (value := reply()) is None and not not_needed() and not self._end and not self._active_stop():
            left = None if end is None else end - time.monotonic()
            if left is not None and left <= 0:
                return None
            self._changed.wait(left)
        return value

    def _active_stop(self) -> StopRaised | None:
        return self._stop if self._stop and self._stop.number > self._released else None

    def _decision(self, proposal: Proposal) -> Decision | None:
        if self._end:
            return self._end
        stop = self._active_stop()
        reply = self._decisions.get(proposal.number)
        if proposal.kind is ProposalKind.STOP_RELEASE:
            if stop and stop.number > proposal.stop_number:
                return stop
            match reply:
                case Proceed(up_to):
                    self._released = max(self._released, up_to)
                    return reply
                case End():
                    return reply
            return self._corrections.popleft() if self._corrections else None
        if stop:
            return stop
        if self._corrections:
            return self._corrections.popleft()
        if reply is not None:
            return reply
        return Approve() if self._auto_approved(proposal) else None

    def _auto_approved(self, proposal: Proposal) -> bool:
        """Return True if the supervision levels let the step pass without a person."""
        step = proposal.step
        if not passes(self._supervision, proposal):
            return False
        if step is None:  # a change of the domain, which moves nothing
            return True
        if step.name in self._breakpoints or str(step) in self._breakpoints:
            return False
        if self._paused and not self._step_once:
            return False
        self._step_once = False
        return True


class AutoOperator:
    """The operator for unattended runs: approves everything, and ends the episode if help is needed.

    Rejects REAL, where a person approves every step.
    """

    def __init__(self, embodiment: Embodiment = Embodiment.SIM) -> None:
        if embodiment is Embodiment.REAL:
            raise RobotNotReady("A real robot needs a person: run it in the console, or with --ask.")

    @property
    def supervision(self) -> SupervisionLevels:
        return SUPERVISION_PRESETS["Watch"]

    def asks_model(self) -> bool:
        return True

    def review(self, review: AnswerReview) -> tuple[Answer, ...]:
        if not review.model_reached:
            raise AnswererError(review.unavailable_reason)
        return review.answers

    def accept_plan(self, revision: PlanChange) -> bool:
        return True

    def next_correction(self) -> None:
        return None

    def decide(self, proposal: Proposal) -> Decision:
        if proposal.kind in (*MOTION_KINDS, ProposalKind.DOMAIN_CHANGE):
            return Approve()
        return End(proposal.explanation)


def stop_motion(robot: Robot, cancel: StopToken, gate: Gate | None, reason: str) -> int:
    """Stop from any thread and return the stop's number: first halt, then interrupt, then close the gate.

    If the robot cannot even halt, the episode ends and the error of `halt` is raised.
    """
    try:
        number = robot.halt()
    except Exception as error:
        over = f"The robot did not take the stop ({error}): if it moves, use its emergency stop."
        cancel.end(over)
        if gate is not None:
            gate.end(over)
        raise
    cancel.stop(number, reason)
    if gate is not None:
        gate.stop(number, reason)
    return number
