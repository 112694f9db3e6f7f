"""Give the reason for what happens: the value behind every explanation on screen, in log and report."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from enum import Enum

from core.belief import Answer, BeliefEntry
from core.planning_model import Literal, Step


class Cause(Enum):
    """The kind of a reason, and what it is in a few words."""

    _value_: str
    sentence: str

    def __new__(cls, value: str, sentence: str) -> Cause:
        made = object.__new__(cls)
        made._value_, made.sentence = value, sentence
        return made

    FIRST_PLAN = "first plan", "The first plan"
    PLAN_COMPLETED = "used up", "Every step of the plan was done"
    OTHER_STEP = "other step", "Another step was done than the plan's next"  # a person's, or the method's
    DISCREPANCY = "discrepancy", "Something expected is not so"
    UNSUCCESSFUL = "unsuccessful", "The step did not succeed"
    IMPOSSIBLE = "impossible", "The next step is not possible now"
    CORRECTED = "corrected", "You changed the belief"
    UNDONE = "undone", "You took a correction back"  # which is `answer`
    REQUESTED = "requested", "You asked for a new plan"
    KEPT = "kept", "You kept the old plan"  # all else is why the other was offered
    UNCHANGED = "unchanged", "Planned again: the plan stays the same"  # all else is why it was done
    DOMAIN_CHANGED = "domain changed", "The domain changed"
    NEXT_IN_PLAN = "planned", "It is next in the plan"
    UNCERTAIN = "uncertain", "What is believed is not certain enough"
    NO_PLAN = "no plan", "No plan reaches the goal"
    FAULT = "fault", "A part of the program broke"
    NO_ANSWER = "no answer", "The model does not answer"
    OTHER = "other", "No reason was given"  # explained by `note` only


@dataclass(frozen=True)
class Reason:
    """`literals` were expected and are not believed, `answer` is the trigger, `step` the step concerned."""

    cause: Cause
    literals: tuple[Literal, ...] = ()
    answer: Answer | None = None
    step: Step | None = None
    turn: int = 0
    note: str = ""  # a sentence, where the cause alone does not explain it
    plan_cause: Cause | None = None  # with KEPT and UNCHANGED: why the other plan was made

    @property
    def sentence(self) -> str:
        """Return the reason in a few words, without object names: "You changed the belief"."""
        return self.note.rstrip(".") or self.cause.sentence


@dataclass(frozen=True)
class RepeatedFailure:
    """A step that failed repeatedly, according to the robot's report or else to its missing effects."""

    step: Step
    count: int
    report: str = ""  # the robot's
    missing: tuple[Literal, ...] = ()  # effects that are not believed

    def sentence(
        self, describe_step: Callable[[Step], str] = str, describe_literal: Callable[[Literal], str] = str
    ) -> str:
        """Return "put the mug in the basket failed 3 times: the gripper was empty"."""
        times = "once" if self.count == 1 else f"{self.count} times"
        absent = ", ".join(describe_literal(replace(m, positive=not m.positive)) for m in self.missing)
        return f"{describe_step(self.step)} failed {times}: {self.report or absent}"


def believed_answer(entry: BeliefEntry) -> Answer:
    """Return the answer that an entry of the belief rests on, made up of the entry if none was given."""
    said = entry.evidence
    if said is not None and (said.verdict, said.source) == (entry.verdict, entry.source):
        return said
    return Answer(entry.atom, entry.verdict, entry.source, turn=entry.since)


NO_REASON = Reason(Cause.OTHER)
FIRST_PLAN = Reason(Cause.FIRST_PLAN)
