"""Ask the same questions about the same picture again, of another model or prompt, and compare.

The new answers are for comparison only; they reach neither belief nor robot unless a person adopts them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from core.belief import Atom, Query, Verdict
from core.events import AnswersReceived, Event, QuestionsAsked
from core.ports import Answerer, Frame, ModelCall
from core.stop_token import StopToken


@dataclass(frozen=True)
class Exchange:
    """Questions about a picture, and the answers."""

    turn: int
    frame: Frame
    queries: tuple[Query, ...]
    call: ModelCall


@dataclass(frozen=True)
class Agreement:
    """How two series of answers about one predicate compare.

    `asked` counts questions, `both_decided` those that both series answered with yes or no, and `agreed`
    those with the same answer. Seconds and US dollars of a call are divided evenly among its questions; cost
    None: unknown.
    """

    predicate: str
    asked: int
    both_decided: int
    agreed: int
    seconds_before: float
    seconds_after: float
    cost_before: float | None
    cost_after: float | None


def logged_exchanges(events: Iterable[Event], picture: Callable[[str], bytes]) -> Iterator[Exchange]:
    """Yield the exchanges of a logged episode; `picture` returns the PNG bytes for a frame's id."""
    queries: tuple[Query, ...] = ()
    for event in events:
        if isinstance(event, QuestionsAsked):
            queries = event.queries
        elif isinstance(event, AnswersReceived) and len(event.call.answers) == len(queries):
            frame = Frame(event.frame, png=picture(event.frame))
            yield Exchange(event.turn, frame, queries, event.call)


def reask(exchange: Exchange, answerer: Answerer, cancel: StopToken) -> Exchange:
    """Ask the questions of an exchange again. Raises AnswererError, Cancelled."""
    call = answerer.answer(exchange.frame, exchange.queries, exchange.turn, cancel)
    return Exchange(exchange.turn, exchange.frame, exchange.queries, call)


def compare_answers(before: Sequence[Exchange], after: Sequence[Exchange]) -> tuple[Agreement, ...]:
    """Return the agreement for each predicate, sorted by name; both series must have the same questions."""
    pairs: dict[str, list[tuple[_CostedVerdict, _CostedVerdict]]] = {}
    for old, new in zip(map(_verdicts_of, before), map(_verdicts_of, after), strict=True):
        for atom, one, other in zip(old.keys(), old.values(), new.values(), strict=True):
            pairs.setdefault(atom.predicate, []).append((one, other))
    return tuple(_agreement(predicate, said) for predicate, said in sorted(pairs.items()))


@dataclass(frozen=True)
class _CostedVerdict:
    verdict: Verdict
    seconds: float
    cost: float | None


def _verdicts_of(exchange: Exchange) -> dict[Atom, _CostedVerdict]:
    call, count = exchange.call, max(1, len(exchange.queries))
    cost = None if call.cost is None else call.cost / count
    said = [_CostedVerdict(answer.verdict, call.seconds / count, cost) for answer in call.answers]
    return dict(zip((query.atom for query in exchange.queries), said, strict=True))


def _agreement(predicate: str, pairs: Sequence[tuple[_CostedVerdict, _CostedVerdict]]) -> Agreement:
    before, after = zip(*pairs, strict=True)
    both = [(a, b) for a, b in pairs if Verdict.UNKNOWN not in (a.verdict, b.verdict)]
    return Agreement(
        predicate,
        asked=len(pairs),
        both_decided=len(both),
        agreed=sum(a.verdict is b.verdict for a, b in both),
        seconds_before=sum(said.seconds for said in before),
        seconds_after=sum(said.seconds for said in after),
        cost_before=_total(before),
        cost_after=_total(after),
    )


def _total(verdicts: Sequence[_CostedVerdict]) -> float | None:
    costs = [one.cost for one in verdicts]
    return None if None in costs else sum(cost for cost in costs if cost is not None)
