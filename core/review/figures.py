"""What many episodes say together: curves over episodes, and how right the answers are per predicate.

Reads one episode after the other, so that it can say how far it is and be stopped at any time.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass, field
from math import sqrt
from typing import Any

from core.log.database import explained
from core.log.store import Filter, Store

BINS = 10  # of the reliability curve
Progress = Callable[[int, int], None]  # done, of so many


@dataclass(frozen=True)
class Curve:
    """One value an episode, in the order in which they began; None where it is not known."""

    name: str
    unit: str
    values: tuple[float | None, ...]


CURVES = (
    ("believed_goal", "goal believed", "%"),
    ("true_goal", "goal true", "%"),
    ("turns", "turns", ""),
    ("replans", "re-plans", ""),
    ("overrides", "overrides", ""),
    ("seconds", "seconds", "s"),
    ("cost", "cost", "$"),
)


def curves(store: Store, which: Filter, most: int = 5000) -> tuple[Curve, ...]:
    """Of the latest `most` episodes that pass and have ended. Raises BadValue, LogError."""
    where, values = which.where()
    columns = ", ".join(name for name, _, _ in CURVES)
    with explained(store.path):
        rows = store.db.execute(
            f"select {columns} from episode where {where} and ended is not null order by began desc, nr desc "
            "limit ?",
            (*values, most),
        ).fetchall()
    rows.reverse()
    return tuple(
        Curve(words, unit, tuple(None if row[i] is None else float(row[i]) for row in rows))
        for i, (_, words, unit) in enumerate(CURVES)
    )


def running(values: tuple[float | None, ...], window: int) -> list[float]:
    """The mean of the last `window` known values at each place; nan before the first."""
    kept: list[float] = []
    means: list[float] = []
    for value in values:
        if value is not None:
            kept = [*kept[-(window - 1) :], value] if window > 1 else [value]
        means.append(sum(kept) / len(kept) if kept else float("nan"))
    return means


@dataclass
class Tally:
    """Of one predicate. `judged` are the answers that a person judged with yes or no: a reviewer's label
    counts before the operator's word at the time."""

    predicate: str
    yes: int = 0
    no: int = 0
    unknown: int = 0
    judged: int = 0
    agreed: int = 0
    looked: int = 0  # answers that the operator answered himself, with the time it took him
    seconds: float = 0.0  # all together
    set: int = 0  # overrides and corrections
    taken_back: int = 0
    bins: list[list[int]] = field(default_factory=lambda: [[0, 0] for _ in range(BINS)])

    @property
    def answers(self) -> int:
        return self.yes + self.no + self.unknown

    @property
    def share(self) -> float | None:
        return self.agreed / self.judged if self.judged else None

    @property
    def seconds_each(self) -> float | None:
        return self.seconds / self.looked if self.looked else None


def interval(agreed: int, judged: int) -> tuple[float, float]:
    """Wilson's 95 % interval of a share."""
    if not judged:
        return 0.0, 1.0
    z, p = 1.96, agreed / judged
    centre = (p + z * z / (2 * judged)) / (1 + z * z / judged)
    half = z / (1 + z * z / judged) * sqrt(p * (1 - p) / judged + z * z / (4 * judged * judged))
    return max(0.0, centre - half), min(1.0, centre + half)


def tallies(
    store: Store, which: Filter, progress: Progress = lambda done, of: None, model: str = ""
) -> tuple[Tally, ...]:
    """Per predicate, most answers first; only of one model, if one is named. `progress` may raise to stop
    it. Raises BadValue, LogError."""
    where, values = which.where()
    with explained(store.path):
        found = [nr for (nr,) in store.db.execute(f"select nr from episode where {where}", values)]
        counts: defaultdict[str, Tally] = defaultdict(lambda: Tally(""))
        for i, nr in enumerate(found):
            if i % 50 == 0:
                progress(i, len(found))
            _Counting(store, nr, counts, model).run()
    for name, tally in counts.items():
        tally.predicate = name
    progress(len(found), len(found))
    return tuple(sorted(counts.values(), key=lambda t: (-t.answers, t.predicate)))


class _Counting:
    """One episode's records into the tallies."""

    def __init__(self, store: Store, nr: int, counts: defaultdict[str, Tally], model: str) -> None:
        self._store, self._nr, self._counts, self._model = store, nr, counts, model
        self._call: list[dict[str, Any]] = []  # the answers of the last call, and where they stand
        self._place: list[tuple[int, int]] = []
        self._corrected: list[list[str]] = []  # predicates of each correction since the last motion
        self._words: dict[tuple[int, int], str] = {}  # the operator's
        self._said: dict[tuple[int, int], dict[str, Any]] = {}  # the model's

    def run(self) -> None:
        rows = self._store.db.execute(
            "select number, kind, body from record where episode = ? and kind in "
            "('Answered', 'Reviewed', 'Decided', 'Acting') order by number",
            (self._nr,),
        )
        for number, kind, body in rows:
            if kind == "Acting":
                self._corrected.clear()
            else:
                getattr(self, f"_{kind.lower()}")(number, json.loads(body))
        labels = self._store.db.execute(
            "select r.number, l.place, l.verdict from label l join record r on r.id = l.record "
            "where r.episode = ? order by l.id",
            (self._nr,),
        )
        for number, place, verdict in labels:
            self._words[number, place] = verdict
        self._judge()

    def _answered(self, number: int, body: dict[str, Any]) -> None:
        self._call, self._place = [], []
        if self._model and body["call"]["by"] != self._model:
            return
        for place, answer in enumerate(body["call"]["answers"]):
            self._call.append(answer)
            self._place.append((number, place))
            self._said[number, place] = answer
            tally = self._counts[answer["atom"][0]]
            setattr(tally, answer["verdict"], getattr(tally, answer["verdict"]) + 1)

    def _reviewed(self, number: int, body: dict[str, Any]) -> None:
        mine = {tuple(a["atom"]): a for a in body["answers"]}  # what was let stand was looked at too
        for said, place in zip(self._call, self._place, strict=True):
            answer = mine.get(tuple(said["atom"]))
            if answer is None:
                continue
            tally = self._counts[said["atom"][0]]
            self._words[place] = answer["verdict"]
            tally.set += answer["verdict"] != said["verdict"]
            if answer["source"] == "operator" and answer["seconds"]:
                tally.looked += 1
                tally.seconds += float(answer["seconds"])

    def _decided(self, number: int, body: dict[str, Any]) -> None:
        decision = body["decision"]
        if decision["kind"] == "Correct":
            predicates = [a["atom"][0] for a in decision["answers"]]
            for predicate in predicates:
                self._counts[predicate].set += 1
            self._corrected.append(predicates)
        elif decision["kind"] == "Undo" and self._corrected:
            for predicate in self._corrected.pop():
                self._counts[predicate].taken_back += 1

    def _judge(self) -> None:
        for place, verdict in self._words.items():
            said = self._said.get(place)
            if said is None or verdict == "unknown":
                continue
            tally, right = self._counts[said["atom"][0]], said["verdict"] == verdict
            tally.judged += 1
            tally.agreed += right
            if (sure := said.get("confidence")) is not None:
                one = tally.bins[min(int(float(sure) * BINS), BINS - 1)]
                one[0] += 1
                one[1] += right
