"""Ways in which a simulated answerer errs that no rate tells: a method that trusts rates has to notice."""

from __future__ import annotations

from collections.abc import Sequence

from core.belief import Atom, Query, Verdict
from core.planning_model import Literal
from core.vqa.answerers.profiles import Manner, Profile

DRIFT = 50  # turns


class Adversary:
    """One answerer of one episode, with what it said so far. What it errs about is one of the goal's."""

    def __init__(self, profile: Profile, goal: Sequence[Literal], seed: int) -> None:
        self._profile, self._manner = profile, profile.manner
        things = sorted({arg for literal in goal for arg in literal.args})
        kinds = sorted({literal.predicate for literal in goal})
        self._thing = things[seed % len(things)] if things else ""
        self._kind = kinds[seed % len(kinds)] if kinds else ""
        self._said: dict[Atom, Verdict] = {}

    def says_yes(self, query: Query, so: bool, by_rate: float, turn: int) -> float:
        """Return the probability of a yes to what is `so`, which is `by_rate` by the rates."""
        astray, otherwise = self._profile.astray, self._profile.otherwise
        wrong = otherwise
        match self._manner:
            case Manner.AGREES if query.expected is not Verdict.UNKNOWN:
                return float(query.expected is Verdict.YES)
            case Manner.AGREES | Manner.FIRST:
                return by_rate
            case Manner.ONE_OBJECT if self._thing in query.atom.args:
                wrong = astray
            case Manner.ONE_PREDICATE if self._kind == query.atom.predicate:
                return astray
            case Manner.DRIFTS:
                wrong = otherwise + (astray - otherwise) * min(1.0, turn / DRIFT)
        return 1 - wrong if so else wrong

    def said(self, query: Query, verdict: Verdict) -> Verdict:
        """Return what it says after all."""
        return self._said.setdefault(query.atom, verdict) if self._manner is Manner.FIRST else verdict
