"""The same picture and questions once more, to another model, wording or prompt, and what differs.

What comes back is for comparing. It reaches neither belief nor robot unless a person adopts it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from core.cancel import Cancel
from core.events import Answered, Asked, Event
from core.facts import Atom, Query, Verdict
from core.ports import Answerer, Call, Frame


@dataclass(frozen=True)
class Exchange:
    """Questions about a picture, and what was answered."""

    turn: int
    frame: Frame
    queries: tuple[Query, ...]
    call: Call


@dataclass(frozen=True)
class Agreement:
    """How two series of answers about one predicate compare.

    `asked` counts questions; `both` those that both answered with yes or no, `agreed` those with the same
    one. Seconds and US dollars are shared out evenly among the questions of a call; cost None: unknown.
    """

    predicate: str
    asked: int
    both: int
    agreed: int
    seconds_before: float
    seconds_after: float
    cost_before: float | None
    cost_after: float | None


def exchanges(events: Iterable[Event], picture: Callable[[str], bytes]) -> Iterator[Exchange]:
    """The exchanges of a logged episode; `picture` gives the PNG bytes of a frame's id."""
    queries: tuple[Query, ...] = ()
    for event in events:
        if isinstance(event, Asked):
            queries = event.queries
        elif isinstance(event, Answered) and len(event.call.answers) == len(queries):
            frame = Frame(event.frame, png=picture(event.frame))
            yield Exchange(event.turn, frame, queries, event.call)


def ask_again(exchange: Exchange, answerer: Answerer, cancel: Cancel) -> Exchange:
    """The same, answered anew. Raises AnswererError, Cancelled."""
    call = answerer.answer(exchange.frame, exchange.queries, exchange.turn, cancel)
    return Exchange(exchange.turn, exchange.frame, exchange.queries, call)


def compare(before: Sequence[Exchange], after: Sequence[Exchange]) -> tuple[Agreement, ...]:
    """Agreement for each predicate, sorted by its name; the two series have the same questions."""
    pairs: dict[str, list[tuple[_Said, _Said]]] = {}
    for old, new in zip(map(_said, before), map(_said, after), strict=True):
        for atom, one, other in zip(old.keys(), old.values(), new.values(), strict=True):
            pairs.setdefault(atom.predicate, []).append((one, other))
    return tuple(_agreement(predicate, said) for predicate, said in sorted(pairs.items()))


@dataclass(frozen=True)
class _Said:
    verdict: Verdict
    seconds: float
    cost: float | None


def _said(exchange: Exchange) -> dict[Atom, _Said]:
    call, count = exchange.call, max(1, len(exchange.queries))
    cost = None if call.cost is None else call.cost / count
    said = [_Said(answer.verdict, call.seconds / count, cost) for answer in call.answers]
    return dict(zip((query.atom for query in exchange.queries), said, strict=True))


def _agreement(predicate: str, pairs: Sequence[tuple[_Said, _Said]]) -> Agreement:
    before, after = zip(*pairs, strict=True)
    both = [(a, b) for a, b in pairs if Verdict.UNKNOWN not in (a.verdict, b.verdict)]
    return Agreement(
        predicate,
        asked=len(pairs),
        both=len(both),
        agreed=sum(a.verdict is b.verdict for a, b in both),
        seconds_before=sum(said.seconds for said in before),
        seconds_after=sum(said.seconds for said in after),
        cost_before=_total(before),
        cost_after=_total(after),
    )


def _total(said: Sequence[_Said]) -> float | None:
    costs = [one.cost for one in said]
    return None if None in costs else sum(cost for cost in costs if cost is not None)
