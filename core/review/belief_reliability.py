"""Count how often facts were so that a method held to be this likely before it asked; per predicate."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass

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
    people: defaultdict[str, Accuracy] = defaultdict(Accuracy)
    truth: defaultdict[str, Accuracy] = defaultdict(Accuracy)
    ended = f"select nr from episode where {where} and ended is not null order by nr desc limit ?"
    for (episode,) in store.rows((int,), ended, (*values, most)):
        believed: dict[str, float | None] = {}
        kinds = (int, str, str, str, float | None)
        for _, what, atom, predicate, value in store.rows(kinds, _COURSE, {"episode": episode}):
            if what == "belief":
                believed[atom] = value
            elif (probability := believed.get(atom)) is not None:
                place = min(BINS - 1, max(0, int(probability * BINS)))
                (people if what == "people" else truth)[predicate] += Accuracy.binned(place, 1, value == 1)
    return tuple(BeliefReliability(name, people[name], truth[name]) for name in sorted({*people, *truth}))


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
