"""The simulated answerer: a simulator's ground truth, distorted as a real model would."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Sequence

from core.belief import Answer, Atom, BeliefSource, Query, QueryTopic, Verdict
from core.loop.ground_truth import is_observable, truth_of
from core.planning_model import Literal
from core.ports import Frame, GroundTruth, ModelCall
from core.stop_token import StopToken
from core.vqa.answerers.profiles import Manner, Profile

VERDICT_WORDS = {Verdict.YES: "yes", Verdict.NO: "no", Verdict.UNKNOWN: "skip"}


class SimulatedAnswerer:
    """Answers with a profile's error rates.

    Questions about steps are answered if the simulator can judge steps, else with UNKNOWN. The random draws
    depend on the seed, the atom, its truth, the viewpoint and how often it was asked from there, never on
    other draws, so that methods which ask differently are compared under the same draws.
    """

    def __init__(
        self, profile: Profile, truth: GroundTruth, seed: int = 0, goal: Sequence[Literal] = ()
    ) -> None:
        self._profile, self._truth, self._seed = profile, truth, seed
        self._adversary = Adversary(profile, goal, seed) if profile.manner is not Manner.RATES else None
        self._asked: Counter[tuple[Atom, bool, str]] = Counter()

    @property
    def name(self) -> str:
        return self._profile.name

    @property
    def persistence(self) -> float:
        return self._profile.persistence

    @property
    def sees_all(self) -> bool:
        """Return True if it also knows what the picture does not show."""
        return self._profile.sees_all

    def error_rates(self, predicate: str) -> tuple[float, float]:
        """Return the profile's rates, which a method may be told (`core.ports.StatesErrorRates`)."""
        return self._profile.error_rates(predicate)

    def answer(self, frame: Frame, queries: Sequence[Query], turn: int, cancel: StopToken) -> ModelCall:
        cancel.check()
        view = frame.viewpoint or frame.id
        answers = []
        for query in queries:
            verdict = self._verdict(query, view, turn)
            said = VERDICT_WORDS[query.text_verdict(verdict)]  # converted back to the question's text
            answers.append(Answer(query.atom, verdict, BeliefSource.MODEL, said, turn, frame.id, self.name))
        return ModelCall(tuple(answers), ";".join(answer.raw_reply for answer in answers), self.name)

    def _verdict(self, query: Query, view: str, turn: int) -> Verdict:
        profile, so = self._profile, truth_of(self._truth, query)
        if so is None:
            return Verdict.UNKNOWN
        seen = profile.sees_all or is_observable(self._truth, query)
        self._asked[query.atom, so, view] += 1
        time = self._asked[query.atom, so, view]
        key = (self._seed, str(query.atom), so, view)
        while time > 1 and keyed_uniform(*key, time, "repeat") < profile.persistence:
            time -= 1
        if keyed_uniform(*key, time, "skip") < (profile.skip if seen else profile.skip_unseen):
            return Verdict.UNKNOWN
        rates = profile.rates_for(
            query.atom.predicate if query.topic is QueryTopic.FACT else query.topic.value
        )
        says_yes = rates.yes_if_true if so and seen else rates.yes_if_false
        if self._adversary is not None:
            says_yes = self._adversary.says_yes(query, so and seen, says_yes, turn)
        verdict = Verdict.from_bool(keyed_uniform(*key, time, "answer") < says_yes)
        return self._adversary.said(query, verdict) if self._adversary is not None else verdict


def keyed_uniform(*key: object) -> float:
    """Return a number in [0, 1) that depends only on the key."""
    digest = hashlib.blake2b(repr(key).encode(), digest_size=8).digest()
    return (int.from_bytes(digest, "big") >> 11) / 2**53


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
