"""What many episodes say together: curves over episodes, and how right the answers are per predicate."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import sqrt

from core.deciding import Correct, Undo
from core.events import Decided
from core.log import check
from core.log.codec import read_event
from core.log.database import explained
from core.log.store import Filter, Store

BINS = 10  # of the reliability curve
WINDOW = 20  # episodes in a running mean


@dataclass(frozen=True)
class Curve:
    """One value an episode, in the order in which they began; None where it is not known."""

    name: str
    unit: str
    values: tuple[float | None, ...]
    means: tuple[float, ...] = ()  # of the last `WINDOW` known values at each place; nan before the first


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
    rows = [check.columns((float | None,) * len(CURVES), row) for row in reversed(rows)]
    found = []
    for i, (_, words, unit) in enumerate(CURVES):
        known = tuple(row[i] for row in rows)
        found.append(Curve(words, unit, known, tuple(running(known, WINDOW))))
    return tuple(found)


def running(values: tuple[float | None, ...], window: int) -> list[float]:
    """The mean of the last `window` known values at each place; nan before the first."""
    kept: deque[float] = deque(maxlen=window)
    means: list[float] = []
    for value in values:
        if value is not None:
            kept.append(value)
        means.append(sum(kept) / len(kept) if kept else float("nan"))
    return means


@dataclass(frozen=True)
class Share:
    """How many of so many were right, all together and by how sure the model was (`BINS` pairs of answers
    and right ones)."""

    of: int = 0
    right: int = 0
    bins: tuple[tuple[int, int], ...] = ((0, 0),) * BINS

    @property
    def value(self) -> float | None:
        return self.right / self.of if self.of else None


@dataclass(frozen=True)
class Tally:
    """Of one predicate. `people` are the answers that somebody judged with yes or no, a reviewer's label
    before the operator's word at the time; `truth` those of which a simulator knew what was so."""

    predicate: str
    yes: int = 0
    no: int = 0
    unknown: int = 0
    people: Share = Share()
    truth: Share = Share()
    looked: int = 0  # answers that the operator answered himself, with the time it took him
    seconds: float = 0.0  # all together
    set: int = 0  # overrides and corrections
    taken_back: int = 0

    @property
    def answers(self) -> int:
        return self.yes + self.no + self.unknown

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


def tallies(store: Store, which: Filter, model: str = "") -> tuple[Tally, ...]:
    """Per predicate of the ended episodes that pass, most answers first; only of one model, if one is named.
    Raises BadValue, LogError."""
    where, values = which.where()
    some = f"with some as (select * from answer where episode in (select nr from episode where {where})"
    some += " and (? = '' or model = ?))"
    named = [*values, model, model]
    with explained(store.path):
        rows = store.db.execute(some + _COUNTS, named).fetchall()
        people, truth = (_shares(store.db.execute(some + sql, named)) for sql in (_PEOPLE, _TRUTH))
        put, back = (Counter(), Counter()) if model else _corrected(store, where, values)
    found = [
        Tally(
            name,
            yes,
            no,
            unknown,
            people.get(name, Share()),
            truth.get(name, Share()),
            looked,
            seconds,
            overridden + put.pop(name, 0),
            back[name],
        )
        for name, yes, no, unknown, looked, seconds, overridden in (
            check.columns((str, int, int, int, int, float, int), row) for row in rows
        )
    ]
    found += [Tally(name, set=n, taken_back=back[name]) for name, n in put.items()]
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


def _shares(rows: Iterable[Sequence[object]]) -> dict[str, Share]:
    """Rows of predicate, bin (None: the model gave no confidence), answers, right ones."""
    found: dict[str, Share] = {}
    for name, at, of, right in (check.columns((str, int | None, int, int), row) for row in rows):
        old = found.get(name, Share())
        bins = tuple((n + of, r + right) if i == at else (n, r) for i, (n, r) in enumerate(old.bins))
        found[name] = Share(old.of + of, old.right + right, bins)
    return found


def _corrected(store: Store, where: str, values: list[object]) -> tuple[Counter[str], Counter[str]]:
    """Predicates that people corrected of their own accord, and those of which they took it back."""
    rows = store.db.execute(
        "select episode, kind, body from record where kind in ('Decided', 'Acting') and episode in "
        f"(select nr from episode where overrides > 0 and {where}) order by episode, number",
        values,
    )
    put: Counter[str] = Counter()
    back: Counter[str] = Counter()
    open_: list[list[str]] = []  # predicates of each correction since the last motion
    of = None
    for episode, kind, body in rows:
        if kind == "Acting" or episode != of:
            open_.clear()
        of = episode
        if kind == "Acting":
            continue
        match read_event(*check.columns((str, str), (kind, body))):
            case Decided(decision=Correct(answers)):
                open_.append([a.atom.predicate for a in answers])
                put.update(open_[-1])
            case Decided(decision=Undo()) if open_:
                back.update(open_.pop())
    return put, back
