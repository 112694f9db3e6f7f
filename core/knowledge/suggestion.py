"""A situation as it was told, and the change of the domain that is suggested because of it."""

from __future__ import annotations

from dataclasses import dataclass

from core.knowledge.changes import LearntChange
from core.planning_model import Step


@dataclass(frozen=True)
class SituationReport:
    """A situation in a sentence ("the cup is dirty"), from the robot or from a person.

    `objects` are those of the problem that it names. `fault` says in one sentence why it is of no use; then
    nothing follows from it.
    """

    sentence: str
    objects: tuple[str, ...] = ()
    by: str = ""
    fault: str = ""


@dataclass(frozen=True)
class Suggestion:
    """Changes that a person admits, edits or refuses together, and the plan that they make possible.

    Without `plan`, no plan is known with them: they only keep the robot from what is not suitable.
    """

    situation: SituationReport
    changes: tuple[LearntChange, ...]
    plan: tuple[Step, ...] = ()
