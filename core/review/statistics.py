"""Statistics over many episodes: outcomes over time, and how often answers and beliefs were right."""

from __future__ import annotations

from collections import Counter, defaultdict, deque
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from core.log.store import EpisodeFilter, Store
from core.review.groups import SHARES

BINS = 10  # of the reliability diagram
WINDOW = 20  # episodes in the running mean


def running_shares(store: Store, which: EpisodeFilter, most: int = 5000) -> Mapping[str, Sequence[float]]:
    """Return, by the names of SHARES, the mean of the last `WINDOW` episodes up to each one; nan before the
    first that it is known of.

    Of the latest `most` ended episodes that pass, in the order in which they were recorded. Raises BadValue,
    LogError.
    """
    where, values = which.where()
    columns = ", ".join(f"case when {of} then {hit} end" for _, hit, of in SHARES.values())
    sql = f"select {columns} from episode where {where} and ended is not null order by nr desc limit ?"
    rows = store.rows((float | None,) * len(SHARES), sql, (*values, most))[::-1]
    return {name: running_means([row[i] for row in rows], WINDOW) for i, name in enumerate(SHARES)}


def running_means(values: Sequence[float | None], window: int) -> list[float]:
    """Return at each place the mean of the last `window` known values; nan before the first."""
    kept: deque[float] = deque(maxlen=window)
    means: list[float] = []
    for value in values:
        if value is not None:
            kept.append(value)
        means.append(sum(kept) / len(kept) if kept else float("nan"))
    return means


@dataclass(frozen=True)
class Accuracy:
    """How many answers were correct, in total and by confidence: `bins` has pairs of all and correct ones."""

    total: int = 0
    correct: int = 0
    bins: tuple[tuple[int, int], ...] = ((0, 0),) * BINS

    @property
    def fraction(self) -> float | None:
        return self.correct / self.total if self.total else None

    @property
    def curve(self) -> list[tuple[float, float]]:
        """Return the bins with answers: the middle of their confidence, and the share that was right."""
        return [((i + 0.5) / BINS, right / n) for i, (n, right) in enumerate(self.bins) if n]

    @property
    def error(self) -> float | None:
        """Return the mean distance of confidence and share, by answers (ECE); None without confidences."""
        total = sum(n for n, _ in self.bins)
        apart = (abs((i + 0.5) / BINS * n - right) for i, (n, right) in enumerate(self.bins))
        return sum(apart) / total if total else None

    @staticmethod
    def binned(place: int | None, total: int, correct: int) -> Accuracy:
        """Return that of answers in one bin; None: without a confidence."""
        bins = tuple((total, correct) if i == place else (0, 0) for i in range(BINS))
        return Accuracy(total, correct, bins)

    def __add__(self, other: Accuracy) -> Accuracy:
        bins = tuple((n + m, r + q) for (n, r), (m, q) in zip(self.bins, other.bins, strict=True))
        return Accuracy(self.total + other.total, self.correct + other.correct, bins)


@dataclass(frozen=True)
class PredicateStatistics:
    """Statistics of one predicate.

    `judged_by_people` covers answers that somebody judged yes or no (a reviewer's label takes precedence over
    the operator's answer at the time), `judged_by_simulator` those whose truth a simulator knew.
    """

    predicate: str
    yes: int = 0
    no: int = 0
    unknown: int = 0
    judged_by_people: Accuracy = Accuracy()
    judged_by_simulator: Accuracy = Accuracy()
    operator_answers: int = 0  # questions that the operator answered, and the time that took
    operator_seconds: float = 0.0  # in total
    overrides: int = 0  # overrides and corrections
    undone: int = 0

    @property
    def answers(self) -> int:
        return self.yes + self.no + self.unknown

    @property
    def mean_operator_seconds(self) -> float | None:
        return self.operator_seconds / self.operator_answers if self.operator_answers else None


def predicate_statistics(store: Store, which: EpisodeFilter) -> tuple[PredicateStatistics, ...]:
    """Return that of ended episodes that pass, most frequent predicate first. Raises BadValue, LogError."""
    where, values = which.where()
    some = f"with some as (select * from answer where episode in (select nr from episode where {where}))"
    binned = (str, int | None, int, int)
    people, truth = (_accuracies(store.rows(binned, some + sql, values)) for sql in (_PEOPLE, _TRUTH))
    put, back = _corrected(store, where, values)
    found = []
    kinds = (str, int, int, int, int, float, int)
    for name, yes, no, unknown, looked, seconds, overridden in store.rows(kinds, some + _COUNTS, values):
        judged = people[name], truth[name]
        people_said = looked, seconds, overridden + put.pop(name, 0), back[name]
        found.append(PredicateStatistics(name, yes, no, unknown, *judged, *people_said))
    found += [PredicateStatistics(name, overrides=n, undone=back[name]) for name, n in put.items()]
    return tuple(sorted(found, key=lambda t: (-t.answers, t.predicate)))


_COUNTS = """
select predicate, sum(verdict = 'yes'), sum(verdict = 'no'), sum(verdict = 'unknown'),
    sum(ifnull(operator_seconds, 0) > 0), total(operator_seconds), ifnull(sum(operator_verdict <> verdict), 0)
from some group by predicate
"""
_BIN = f"min(cast(confidence * {BINS} as integer), {BINS - 1}) as bin"
_TRUTH = f"""
select predicate, {_BIN}, count(*), sum(verdict = truth) from some
where truth is not null and verdict <> 'unknown' group by predicate, bin
"""
_PEOPLE = f"""
, judged as (
    select predicate, confidence, verdict,
        ifnull((select verdict from label where id = (select max(id) from label
            where record = some.record and place = some.place)), operator_verdict) as said
    from some where operator_verdict is not null or (record, place) in (select record, place from label))
select predicate, {_BIN}, count(*), sum(verdict = said) from judged
where said <> 'unknown' and verdict <> 'unknown' group by predicate, bin
"""


def _accuracies(rows: Iterable[tuple[Any, ...]]) -> defaultdict[str, Accuracy]:
    """Return accuracies from rows of predicate, bin (None: no confidence), answers, correct ones."""
    found: defaultdict[str, Accuracy] = defaultdict(Accuracy)
    for name, *binned in rows:
        found[name] += Accuracy.binned(*binned)
    return found


def _corrected(store: Store, where: str, values: list[object]) -> tuple[Counter[str], Counter[str]]:
    """Return how often people corrected each predicate unprompted, and how often they took back what they
    had set."""
    some = f"where episode in (select nr from episode where {where}) group by 1"
    counts = "select atom ->> '$[0]', count(*) from"
    put, back = (
        store.rows((str, int), f"{counts} {view} {some}", values) for view in ("corrections", "taken_back")
    )
    return Counter(dict(put)), Counter(dict(back))


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
