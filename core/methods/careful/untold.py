"""Side effects that the folder leaves out: how likely each kind is, and what an episode teaches of it.

Every step may change a fact of the goal about what it handles. What falls may well be spilt; any other step
hardly loses what it handles. How often it does is uncertain: a beta distribution for each kind, and every
hypothesis counts what has happened in it (Storvik, IEEE Trans. Signal Processing 2002).
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple

from core.knowledge.changes import A_FALL, Evidence, Knowledge, LearntChange, SideEffect
from core.planning.remembered import Table

# The beta distribution before anything is known: what falls mostly loses a fact always, or never.
SURELY = 0.8  # as often, on average, and it is proposed to people
PRIOR_OF_FALL, PRIOR = (0.1, 0.4), (0.004, 1.5)


HAPPENED, TIMES = ": so often", ": of so many times"  # the notes of a kind


class Kind(NamedTuple):
    """A cause, and the predicate that it ends (or brings about, where the goal forbids it)."""

    cause: str
    predicate: str
    ends: bool = True

    @property
    def notes(self) -> tuple[str, str]:
        """Return the names of the notes in which its `Count` is kept."""
        said = f"{self.cause} {'ends' if self.ends else 'brings'} {self.predicate}"
        return f"{said}{HAPPENED}", f"{said}{TIMES}"


class Count(NamedTuple):
    """How often a side effect happened, of how many times that it could have."""

    happened: float = 0.0
    times: float = 0.0


Counts = Mapping[Kind, Count]
NO_COUNTS: Counts = MappingProxyType({})
NEVER = Count()


def rate(kind: Kind, counts: Counts, before: Counts = NO_COUNTS) -> float:
    """Return the probability of a side effect the next time; `before` are the counts of earlier episodes."""
    yes, no = PRIOR_OF_FALL if kind.cause == A_FALL else PRIOR
    seen, kept = counts.get(kind, NEVER), before.get(kind, NEVER)
    return (yes + seen.happened + kept.happened) / (yes + no + seen.times + kept.times)


def counted(counts: Counts, more: Mapping[Kind, bool]) -> Counts:
    """Return the counts with one more time of each of these kinds."""
    if not more:
        return counts
    found = dict(counts)
    for kind, happened in more.items():
        old = counts.get(kind, NEVER)
        found[kind] = Count(old.happened + happened, old.times + 1)
    return found


def mean(weighted: list[tuple[float, Counts]]) -> Counts:
    """Return the mean of counts with these weights."""
    first = weighted[0][1]
    if all(counts is first for _, counts in weighted):
        return first
    total, found = sum(p for p, _ in weighted), dict[Kind, Count]()
    for p, counts in weighted:
        for kind, seen in counts.items():
            old = found.get(kind, NEVER)
            share = p / total
            found[kind] = Count(old.happened + share * seen.happened, old.times + share * seen.times)
    return found


def share(untold: Mapping[Kind, bool], counts: Counts, before: Counts = NO_COUNTS) -> float:
    """Return how likely exactly these side effects happen, of those that could."""
    found = 1.0
    for kind, happened in untold.items():
        likely = rate(kind, counts, before)
        found *= likely if happened else 1 - likely
    return found


def rounded(counts: Counts) -> Counts:
    """Return the counts without what makes no difference to a rate."""
    return {kind: Count(round(seen.happened, 1), round(seen.times)) for kind, seen in counts.items()}


_NAMES = Table[Kind, tuple[str, str]](lambda kind: kind.notes)


def notes_of(counts: Counts) -> dict[str, float]:
    """Return the counts as notes of a hypothesis, for the log and for people."""
    notes = {}
    for kind, (happened, times) in counts.items():
        so_often, of = _NAMES[kind]
        notes[so_often], notes[of] = round(happened, 3), round(times, 3)
    return notes


def from_notes(notes: Mapping[str, float]) -> Counts:
    """Return the counts that these notes hold."""
    found = dict[Kind, Count]()
    for note, value in notes.items():
        if note.endswith(TIMES):
            words = note.removesuffix(TIMES)
            happened = notes.get(f"{words}{HAPPENED}", 0.0)
            cause, ends, predicate = words.rsplit(" ", 2)
            found[Kind(cause, predicate, ends == "ends")] = Count(happened, value)
    return found


def kept_in(knowledge: Knowledge) -> Counts:
    """Return what a person let count of earlier episodes, or of this one."""
    known = (learnt.change for learnt in knowledge.changes)
    return {
        Kind(c.cause, c.predicate, c.ends): Count(c.happened, c.times)
        for c in known
        if isinstance(c, SideEffect)
    }


def to_propose(counts: Counts, knowledge: Knowledge) -> tuple[LearntChange, ...]:
    """Return the side effects that surely happened, which a person has neither let count nor refused."""
    sure = (
        SideEffect(*kind, max(1, round(seen.happened)), max(1, round(seen.times)))
        for kind, seen in counts.items()
        if seen.happened > SURELY
    )
    said = Evidence(interpretation="counted in what is likely after the answers of this episode")
    return tuple(
        LearntChange(c, (said,)) for c in sure if not knowledge.holds(c) and c not in knowledge.refused
    )
