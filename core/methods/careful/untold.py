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
    """A cause, and the predicate that it ends (or brings about, where the goal forbids it).

    Where `ends` is None, it is a situation of an action, "" that it works; with `words`, of a step that
    failed for this reason.
    """

    cause: str
    predicate: str
    ends: bool | None = True
    words: str = ""

    @property
    def notes(self) -> tuple[str, str]:
        """Return the names of the notes in which its `Count` is kept."""
        said = f"{self.cause} {'ends' if self.ends else 'brings'} {self.predicate}"
        return f"{said}{HAPPENED}", f"{said}{TIMES}"


class Count(NamedTuple):
    """How often a side effect happened, of how many times that it could have."""

    happened: float = 0.0
    times: float = 0.0
    squares: float = 0.0  # the mean square of `happened` over hypotheses


Counts = Mapping[Kind, Count]
NO_COUNTS: Counts = MappingProxyType({})
NEVER = Count()


def prior(kind: Kind) -> tuple[float, float]:
    """Return the parameters of a side effect's beta distribution before anything is known."""
    return PRIOR_OF_FALL if kind.cause == A_FALL else PRIOR


def rate(kind: Kind, counts: Counts, before: Counts = NO_COUNTS) -> float:
    """Return the probability of a side effect the next time; `before` are the counts of earlier episodes."""
    yes, no = prior(kind)
    seen, kept = counts.get(kind, NEVER), before.get(kind, NEVER)
    return (yes + seen.happened + kept.happened) / (yes + no + seen.times + kept.times)


def counted(counts: Counts, more: Mapping[Kind, bool]) -> Counts:
    """Return the counts with one more time of each of these kinds."""
    if not more:
        return counts
    found = dict(counts)
    for kind, happened in more.items():
        old = counts.get(kind, NEVER)
        squares = old.squares + (2 * old.happened + 1) * happened
        found[kind] = Count(old.happened + happened, old.times + 1, squares)
    return found


def mean(weighted: list[tuple[float, Counts]]) -> Counts:
    """Return the mean of counts with these weights."""
    first = weighted[0][1]
    if all(counts is first for _, counts in weighted):
        return first
    total, found = sum(p for p, _ in weighted), dict[Kind, Count]()
    for p, counts in weighted:
        share = p / total
        for kind, (happened, times, squares) in counts.items():
            a, b, c = found.get(kind, NEVER)
            found[kind] = Count(a + share * happened, b + share * times, c + share * squares)
    return found


def share(untold: Mapping[Kind, bool], counts: Counts, before: Counts = NO_COUNTS) -> float:
    """Return how likely exactly these side effects happen, of those that could."""
    found = 1.0
    for kind, happened in untold.items():
        likely = rate(kind, counts, before)
        found *= likely if happened else 1 - likely
    return found


def rounded(counts: Counts) -> Counts:
    """Return the counts of side effects without what makes no difference to a rate."""
    return {k: Count(round(n.happened, 1), round(n.times)) for k, n in counts.items() if k.ends is not None}


_NAMES = Table[Kind, tuple[str, str]](lambda kind: kind.notes)


def notes_of(counts: Counts) -> dict[str, float]:
    """Return the counts of side effects as notes of a hypothesis, for the log and for people."""
    notes = {}
    for kind, (happened, times, _) in counts.items():
        if kind.ends is None:
            continue
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


def kept_in(knowledge: Knowledge, learns: bool = True) -> Counts:
    """Return what a person let count of side effects, and where it `learns` all that was counted."""
    changes = (learnt.change for learnt in knowledge.changes)
    known = sorted((c for c in changes if isinstance(c, SideEffect)), key=lambda c: c.times)
    return {  # of the same side effect, what was seen more often
        Kind(c.cause, c.predicate, c.ends, c.words): Count(c.happened, c.times)
        for c in known
        if learns or not c.robot
    }


def to_propose(counts: Counts, knowledge: Knowledge) -> tuple[LearntChange, ...]:
    """Return the side effects that surely happened, which a person has neither let count nor refused."""
    sure = (
        SideEffect(*kind[:3], max(1, round(seen.happened)), max(1, round(seen.times)))
        for kind, seen in counts.items()
        if seen.happened > SURELY and kind.ends is not None
    )
    said = Evidence(interpretation="counted in what is likely after the answers of this episode")
    return tuple(
        LearntChange(c, (said,)) for c in sure if not knowledge.holds(c) and c not in knowledge.refused
    )
