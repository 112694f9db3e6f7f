"""Give the reason for what happens: the value behind every explanation on screen, in log and report."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from enum import Enum
from types import MappingProxyType

from core.belief import Answer, BeliefEntry
from core.planning_model import Literal, Step


class Cause(Enum):
    """The kind of a reason."""

    FIRST_PLAN = "first plan"
    PLAN_COMPLETED = "used up"  # every step of the plan was done
    OTHER_STEP = "other step"  # a person, or the method, chose a step that the plan does not have next
    DISCREPANCY = "discrepancy"  # something expected is not believed
    UNSUCCESSFUL = "unsuccessful"  # the step is taken to have failed
    IMPOSSIBLE = "impossible"  # the next step is taken to be impossible now
    CORRECTED = "corrected"  # a person changed the belief
    UNDONE = "undone"  # a person took a correction back, which is `answer`
    REQUESTED = "requested"  # a person asked for it
    KEPT = "kept"  # a person kept the old plan; all else is why the other was offered
    UNCHANGED = "unchanged"  # planning again gave the same plan; all else is why it was done
    DOMAIN_CHANGED = "domain changed"
    NEXT_IN_PLAN = "planned"  # the step is next in the plan
    UNCERTAIN = "uncertain"  # what is believed is not certain enough
    NO_PLAN = "no plan"
    FAULT = "fault"  # a part of the program broke
    NO_ANSWER = "no answer"  # a model says nothing
    OTHER = "other"  # explained by `note` only


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
        return self.note.rstrip(".") or _SENTENCES[self.cause]


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

_SENTENCES: Mapping[Cause, str] = MappingProxyType(
    {
        Cause.FIRST_PLAN: "The first plan",
        Cause.PLAN_COMPLETED: "Every step of the plan was done",
        Cause.OTHER_STEP: "Another step was done than the plan's next",
        Cause.DISCREPANCY: "Something expected is not so",
        Cause.UNSUCCESSFUL: "The step did not succeed",
        Cause.IMPOSSIBLE: "The next step is not possible now",
        Cause.CORRECTED: "You changed the belief",
        Cause.UNDONE: "You took a correction back",
        Cause.REQUESTED: "You asked for a new plan",
        Cause.KEPT: "You kept the old plan",
        Cause.UNCHANGED: "Planned again: the plan stays the same",
        Cause.DOMAIN_CHANGED: "The domain changed",
        Cause.NEXT_IN_PLAN: "It is next in the plan",
        Cause.UNCERTAIN: "What is believed is not certain enough",
        Cause.NO_PLAN: "No plan reaches the goal",
        Cause.FAULT: "A part of the program broke",
        Cause.NO_ANSWER: "The model does not answer",
        Cause.OTHER: "No reason was given",
    }
)
