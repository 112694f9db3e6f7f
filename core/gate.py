"""A person as an Operator: the loop's thread waits here, the screen's thread replies."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import replace
from threading import Condition
from typing import TypeVar

from core.cancel import Cancel
from core.deciding import (
    Addressee,
    Approve,
    Choose,
    Continue,
    Correct,
    Decision,
    End,
    Interrupted,
    Need,
    Proposal,
    Replan,
    Review,
    Revision,
    Undo,
)
from core.dials import PRESETS, Dials, Level
from core.errors import AnswererError, RobotNotReady
from core.facts import Answer, Purpose, Verdict
from core.ports import Robot, World
from core.reason import Cause

T = TypeVar("T")
_MOTION = (Need.STEP, Need.LOOK)


class Gate:
    """Lets a step pass only by a reply to that very proposal, or because the dials say so.

    A reply is kept under its number, first one wins: a double click cannot approve a step that nobody
    has read, and a reply that comes before the loop waits is not lost. A stop wins over everything and
    stays until it is released by its number. `asks_model`, `review`, `consent` and `decide` belong to
    the loop's thread; everything else may be called from any thread.
    """

    def __init__(self, dials: Dials | None = None, world: World = World.SIM) -> None:
        self._changed = Condition()
        self._world = world
        self._dials = (dials or Dials()).allowed(world)
        self._decisions: dict[int, Decision] = {}
        self._reviews: dict[int, tuple[Answer, ...]] = {}
        self._consents: dict[int, bool] = {}
        self._early: deque[Decision] = deque()  # corrections given while the loop is elsewhere
        self._breakpoints: frozenset[str] = frozenset()
        self._paused = False
        self._single = False
        self._stop: Interrupted | None = None
        self._released = 0
        self._end: End | None = None
        self._rounds = 0
        self._offers = 0

    # --- the loop's thread ---------------------------------------------------------------------------

    def asks_model(self) -> bool:
        return self.dials.ask is not Level.MANUAL

    def review(self, review: Review) -> tuple[Answer, ...]:
        """Waits while the believe dial wants a person to see the answers first."""
        with self._changed:
            self._rounds += 1
            number = self._rounds
            waited = self._wait(lambda: self._reviews.get(number), lambda: not self._wants(review))
            if waited is not None:
                return waited
            if self._wants(review):  # a stop or an end came first: nobody has looked, so nothing counts
                return tuple(replace(a, verdict=Verdict.UNKNOWN) for a in review.answers)
            return review.answers

    def consent(self, revision: Revision) -> bool:
        with self._changed:
            self._offers += 1
            number = self._offers
            if self._dials.replan is Level.MANUAL:
                return revision.reason.cause is Cause.REQUESTED  # only when a person asked for it
            waited = self._wait(lambda: self._consents.get(number), lambda: self._dials.replan is Level.WATCH)
            return waited if waited is not None else self._dials.replan is Level.WATCH

    def decide(self, proposal: Proposal) -> Decision:
        with self._changed:
            while True:
                decision = self._decision(proposal)
                if decision is not None:
                    return decision
                self._changed.wait()

    # --- any thread ----------------------------------------------------------------------------------

    def reply(self, number: int, decision: Decision) -> bool:
        """Answer proposal `number`. False: somebody has already."""
        with self._changed:
            first = self._decisions.setdefault(number, decision) is decision
            self._changed.notify_all()
            return first

    def reviewed(self, number: int, answers: tuple[Answer, ...]) -> bool:
        """The answers that count in review round `number` (1, 2, ... in this episode)."""
        with self._changed:
            first = self._reviews.setdefault(number, answers) is answers
            self._changed.notify_all()
            return first

    def consented(self, number: int, accepted: bool) -> None:
        """Take or leave the plan offered as number 1, 2, ... in this episode."""
        with self._changed:
            self._consents.setdefault(number, accepted)
            self._changed.notify_all()

    def interject(self, decision: Correct | Undo | Replan | Choose) -> None:
        """A correction at any moment; it counts as soon as the loop stands at the gate."""
        with self._changed:
            self._early.append(decision)
            self._changed.notify_all()

    def set_dials(self, dials: Dials) -> Dials:
        """A person's word. Returns what is in force: REAL allows no free motion."""
        with self._changed:
            self._dials = dials.allowed(self._world)
            self._changed.notify_all()
            return self._dials

    @property
    def dials(self) -> Dials:
        with self._changed:
            return self._dials

    def set_breakpoints(self, actions: frozenset[str]) -> None:
        """Action names ("openit") and whole steps ("(openit a c)") that wait for a person."""
        with self._changed:
            self._breakpoints = actions
            self._changed.notify_all()

    def pause(self) -> None:
        """The motion under way ends; nothing after it starts."""
        with self._changed:
            self._paused = True

    def resume(self) -> None:
        with self._changed:
            self._paused = self._single = False
            self._changed.notify_all()

    def single(self) -> None:
        """Let one step pass, then pause."""
        with self._changed:
            self._paused = self._single = True
            self._changed.notify_all()

    @property
    def paused(self) -> bool:
        with self._changed:
            return self._paused

    def stop(self, number: int, why: str) -> None:
        """Wins over every reply, also those already given, and stays."""
        with self._changed:
            if self._stop is None or number > self._stop.number:
                self._stop = Interrupted(number, why)
            self._changed.notify_all()

    def end(self, why: str, by: str = "") -> None:
        """End the episode at the next gate; the first reason stays."""
        with self._changed:
            self._end = self._end or End(why, by)
            self._changed.notify_all()

    # --- inside, lock held ---------------------------------------------------------------------------

    def _wait(self, reply: Callable[[], T | None], free: Callable[[], bool]) -> T | None:
        """A reply, or None as soon as none is needed or something stronger came."""
        while (value := reply()) is None and not free() and not self._end and not self._stopped():
            self._changed.wait()
        return value

    def _stopped(self) -> Interrupted | None:
        return self._stop if self._stop and self._stop.number > self._released else None

    def _wants(self, review: Review) -> bool:
        if review.away or review.to is Addressee.OPERATOR:
            return True
        match self._dials.believe:
            case Level.WATCH:
                return not self.asks_model()
            case Level.ASSIST:
                needed = {q.atom for q in review.queries if q.purpose is not Purpose.EFFECT}
                unknown = any(a.verdict is Verdict.UNKNOWN and a.atom in needed for a in review.answers)
                return unknown or bool(review.contradictions)
            case _:
                return True

    def _decision(self, proposal: Proposal) -> Decision | None:
        if self._end:
            return self._end
        stop = self._stopped()
        reply = self._decisions.get(proposal.number)
        if proposal.need is Need.RELEASE:
            if stop and stop.number > proposal.stop:
                return stop
            match reply:
                case Continue(up_to):
                    self._released = max(self._released, up_to)
                    return reply
                case End():
                    return reply
            return None
        if stop:
            return stop
        if self._early:
            return self._early.popleft()
        if reply is not None:
            return reply
        return Approve() if self._free(proposal) else None

    def _free(self, proposal: Proposal) -> bool:
        """Whether the step may pass with nobody's word, as the dials say."""
        step = proposal.step
        if proposal.need not in _MOTION or step is None or self._dials.move >= Level.APPROVE:
            return False
        if step.name in self._breakpoints or str(step) in self._breakpoints:
            return False
        if self._paused and not self._single:
            return False
        self._single = False
        return True


class Automatic:
    """Stands where no person is: lets everything pass, and ends the episode where help is needed.

    Refuses REAL: there every step is approved by a person.
    """

    def __init__(self, world: World = World.SIM) -> None:
        if world is World.REAL:
            raise RobotNotReady("A real robot needs a person: run it in the console, or with --ask.")

    @property
    def dials(self) -> Dials:
        return PRESETS["Watch"]

    def asks_model(self) -> bool:
        return True

    def review(self, review: Review) -> tuple[Answer, ...]:
        if review.away:
            raise AnswererError(review.away)
        return review.answers

    def consent(self, revision: Revision) -> bool:
        return True

    def decide(self, proposal: Proposal) -> Decision:
        if proposal.need in (*_MOTION, Need.CHANGE):
            return Approve()
        return End(proposal.why)


def stop_motion(robot: Robot, cancel: Cancel, gate: Gate | None, why: str) -> int:
    """Stop, from any thread: halt first, then whatever is under way, then the gate. Returns its number.

    A robot that cannot even halt is asked for nothing more: the episode ends, and what `halt` raised is
    raised.
    """
    try:
        number = robot.halt()
    except Exception as error:
        over = f"The robot did not take the stop ({error}): if it moves, use its emergency stop."
        cancel.end(over)
        if gate is not None:
            gate.end(over)
        raise
    cancel.stop(number, why)
    if gate is not None:
        gate.stop(number, why)
    return number
