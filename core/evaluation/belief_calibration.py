"""Compare how sure a method was of facts before the answer with how often they were so."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from core.belief import Atom, Belief, Query, QueryTopic
from core.events import GroundTruthFact

BINS = 10


@dataclass(frozen=True)
class Bin:
    """Facts that were held to be about equally likely."""

    facts: int = 0
    believed: float = 0.0  # the sum of their probabilities
    true: int = 0

    @property
    def mean(self) -> float:
        return self.believed / self.facts

    @property
    def share(self) -> float:
        return self.true / self.facts


Bins = tuple[Bin, ...]
EMPTY: Bins = (Bin(),) * BINS


def believed_before(belief: Belief, queries: Sequence[Query]) -> Mapping[Atom, float]:
    """Return the probability of each fact that is asked about, where the method gives one."""
    found = ((q.atom, belief.probability(q.atom)) for q in queries if q.topic is QueryTopic.FACT)
    return {atom: p for atom, p in found if p is not None}


def with_truth(bins: Bins, believed: Mapping[Atom, float], facts: Iterable[GroundTruthFact]) -> Bins:
    """Return the bins with these facts added, as far as they were believed with a probability."""
    new = list(bins)
    for fact in facts:
        if (p := believed.get(fact.atom)) is not None:
            at = min(BINS - 1, int(p * BINS))
            old = new[at]
            new[at] = Bin(old.facts + 1, old.believed + p, old.true + fact.holds)
    return tuple(new)


def pooled(texts: Iterable[str]) -> Bins:
    """Return the sum of bins written by `as_text`; what is none of them counts as empty."""
    every = [_read(text) for text in texts]
    return tuple(
        Bin(*(sum(values) for values in zip(*((b.facts, b.believed, b.true) for b in same), strict=True)))
        for same in zip(EMPTY, *every, strict=True)
    )


def as_text(bins: Bins) -> str:
    """Return such as "0/0/0 5/0.83/1 ...", "" if there is no fact in them."""
    if not any(b.facts for b in bins):
        return ""
    return " ".join(f"{b.facts}/{b.believed:.3f}/{b.true}" for b in bins)


def _read(text: str) -> Bins:
    try:
        parts = [word.split("/") for word in text.split()]
        found = tuple(Bin(int(facts), float(believed), int(true)) for facts, believed, true in parts)
    except ValueError:
        return EMPTY
    fits = len(found) == BINS and all(0 <= b.true <= b.facts and 0 <= b.believed <= b.facts for b in found)
    return found if fits else EMPTY


def calibration_error(bins: Bins) -> float | None:
    """Return the mean distance of probability and share, by facts (ECE); None without facts."""
    facts = sum(b.facts for b in bins)
    return sum(abs(b.believed - b.true) for b in bins) / facts if facts else None
