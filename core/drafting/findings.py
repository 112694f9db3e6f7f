"""What a look at a version finds, and what can come next."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from core.drafting.marks import Mark
from core.drafting.repair import Repaired
from core.drafting.rounds import Version
from core.drafting.score import Difference
from core.drafting.source import Against
from core.review.recording import CaptionedFrame


class Next(Enum):
    """What comes next with a draft, in the words that are said meanwhile."""

    DRAFT = "Drafting"
    REPAIR = "Repairing"
    ASK = "The model corrects"
    CONFLICT = "Keeping yours"  # a person and somebody else changed the same
    DONE = "Saving and running"
    STUCK = "Saving"  # the paper's limits are reached


@dataclass(frozen=True)
class Findings:
    """What a look at a version found so far; `compared` is "" until both sides were walked through."""

    version: Version
    compared: str = ""
    agrees: bool = False
    difference: Difference | None = None
    moments: tuple[CaptionedFrame, ...] = ()  # the walk that differs
    marks: tuple[Mark, ...] = ()
    otherwise: tuple[str, ...] = ()  # what a second reader says
    repair: Repaired | None = None  # proposed
    overruled: str = ""  # what of the simulation counts no more, as people said
    complete: bool = False
    against: Against = Against.WORLD

    @property
    def proven(self) -> bool:
        """Return True if the draft agrees with what is known, which is no model's word and no template's."""
        return self.agrees and self.against is Against.WORLD
