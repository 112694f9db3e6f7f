"""The simulated answerer: a simulator's truth, seen as badly as a real model sees."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Sequence

from core.asking.profiles import Profile
from core.cancel import Cancel
from core.facts import About, Answer, Atom, Query, Source, Verdict
from core.ports import Call, Frame, Truth
from core.truth import holds, shown

SAID = {Verdict.YES: "yes", Verdict.NO: "no", Verdict.UNKNOWN: "skip"}


class SimulatedAnswerer:
    """Answers with a profile's error rates; also whether the last step was successful and whether a step is
    possible, where the simulator can judge steps, and UNKNOWN where it cannot.

    Luck depends on the seed, the atom, its truth, the viewpoint and how often it was asked from there,
    never on other draws: methods that ask differently are compared on the same luck.
    """

    def __init__(self, profile: Profile, truth: Truth, seed: int = 0) -> None:
        self._profile, self._truth, self._seed = profile, truth, seed
        self._asked: Counter[tuple[Atom, bool, str]] = Counter()

    @property
    def name(self) -> str:
        return self._profile.name

    def answer(self, frame: Frame, queries: Sequence[Query], turn: int, cancel: Cancel) -> Call:
        cancel.check()
        view = frame.viewpoint or frame.id
        answers = []
        for query in queries:
            verdict = self._verdict(query, view)
            said = SAID[query.about_atom(verdict)]  # turned once more, it is about the text
            answers.append(Answer(query.atom, verdict, Source.MODEL, said, turn, frame.id, self.name))
        return Call(tuple(answers), ";".join(answer.said for answer in answers), self.name)

    def _verdict(self, query: Query, view: str) -> Verdict:
        profile, so = self._profile, holds(self._truth, query)
        if so is None:
            return Verdict.UNKNOWN
        seen = profile.sees_all or shown(self._truth, query)
        self._asked[query.atom, so, view] += 1
        time = self._asked[query.atom, so, view]
        key = (self._seed, str(query.atom), so, view)
        while time > 1 and chance(*key, time, "repeat") < profile.persistence:
            time -= 1
        if chance(*key, time, "skip") < (profile.skip if seen else profile.skip_unseen):
            return Verdict.UNKNOWN
        rates = profile.rates(query.atom.predicate if query.about is About.FACT else query.about.value)
        says_yes = rates.yes_if_true if so and seen else rates.yes_if_false
        return Verdict.of(chance(*key, time, "answer") < says_yes)


def chance(*key: object) -> float:
    """A number in [0, 1) that depends on nothing but the key."""
    digest = hashlib.blake2b(repr(key).encode(), digest_size=8).digest()
    return (int.from_bytes(digest, "big") >> 11) / 2**53
