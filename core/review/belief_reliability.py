"""Count how often facts were so that a method held to be this likely before it asked; per predicate."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from core.log.store import EpisodeFilter, Store
from core.review.statistics import BINS, Accuracy


@dataclass(frozen=True)
class BeliefReliability:
    """Facts by the probability that they were believed with; "correct" are those that were so."""

    predicate: str
    judged_by_people: Accuracy
    judged_by_simulator: Accuracy


def belief_reliability(store: Store, which: EpisodeFilter, most: int = 100) -> tuple[BeliefReliability, ...]:
    """Return it of the latest `most` ended episodes that pass, by predicate; () where no method said how
    likely a fact is. Raises BadValue, LogError.
    """
    where, values = which.where()
    people, truth = _Counts(), _Counts()
    ended = f"select nr from episode where {where} and ended is not null order by nr desc limit ?"
    for (episode,) in store.rows((int,), ended, (*values, most)):
        kinds = (int, str, str, str, float | None)
        _count(store.rows(kinds, _COURSE, {"episode": episode}), people, truth)
    names = sorted({*people.by_predicate, *truth.by_predicate})
    return tuple(BeliefReliability(name, people.of(name), truth.of(name)) for name in names)


# What was believed, said by people and so in the simulator, in this order. A truth follows the answers and
# comes before they change the belief, and so does the record of the answers that people judged.
_COURSE = """
select r.number, 'belief' as what, c.value -> '$.atom' as atom, c.value ->> '$.atom[0]' as predicate,
    c.value ->> '$.probability' as value
from record r join json_each(r.body, '$.changes') c where r.episode = :episode and r.kind = 'BeliefChanged'
union all
select r.number, 'truth', f.value -> '$.atom', f.value ->> '$.atom[0]', cast(f.value ->> '$.holds' as real)
from record r join json_each(r.body, '$.facts') f
where r.episode = :episode and r.kind = 'GroundTruthRecorded'
union all
select r.number, 'people', r.body -> ('$.call.answers[' || j.place || '].atom'), j.predicate,
    cast(j.verdict = 'yes' as real)
from judged j join record r on r.episode = j.episode and r.number = j.number
where j.episode = :episode and j.verdict <> 'unknown'
order by 1
"""


def _count(rows: Iterable[tuple[Any, ...]], people: _Counts, truth: _Counts) -> None:
    believed: dict[str, float | None] = {}
    for _, what, atom, predicate, value in rows:
        if what == "belief":
            believed[atom] = value
        elif (probability := believed.get(atom)) is not None:
            (people if what == "people" else truth).add(predicate, probability, value == 1)


class _Counts:
    """By predicate: facts and how many of them were so, by the probability that they were believed with."""

    def __init__(self) -> None:
        self.by_predicate: dict[str, list[list[int]]] = {}

    def add(self, predicate: str, believed: float, so: bool) -> None:
        bins = self.by_predicate.setdefault(predicate, [[0, 0] for _ in range(BINS)])
        place = min(BINS - 1, max(0, int(believed * BINS)))
        bins[place][0] += 1
        bins[place][1] += so

    def of(self, predicate: str) -> Accuracy:
        bins = tuple((n, so) for n, so in self.by_predicate.get(predicate, [[0, 0]] * BINS))
        return Accuracy(sum(n for n, _ in bins), sum(so for _, so in bins), bins)
