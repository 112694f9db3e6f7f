"""Blind review across episodes: the answers that a reviewer has not judged yet."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import groupby
from random import Random
from typing import TypeVar

from core.log.store import EpisodeFilter, Store

MAX_ANSWERS = 2000  # in one queue; more than anybody reviews in one session


T = TypeVar("T")


@dataclass(frozen=True)
class ReviewBatch:
    """Answers of one episode as record number and place, in the order in which they are asked."""

    episode: str
    answers: tuple[tuple[int, int], ...]


def shuffled(items: Iterable[T], seed: str) -> tuple[T, ...]:
    """Return the items ordered by the seed alone: in the log's order, each would tell of the one before."""
    order = list(items)
    Random(seed).shuffle(order)
    return tuple(order)


def unlabelled_answers(
    store: Store, which: EpisodeFilter, by: str, limit: int = MAX_ANSWERS
) -> tuple[ReviewBatch, ...]:
    """Return answers with a picture that `by` has not labelled: of the latest episodes, shuffled.

    The same reviewer and log give the same order; the questions of one episode stay together. Only ended
    episodes that pass the filter are searched. Raises BadValue, LogError.
    """
    where, values = which.where()
    known = store.rows((str, int, int), _QUEUE.format(where=where), (*values, by, limit))
    batches = [
        ReviewBatch(id, shuffled(((number, place) for _, number, place in found), f"{by} {id}"))
        for id, found in groupby(known, key=lambda row: str(row[0]))
    ]
    return shuffled(batches, by)


# `cross join` keeps SQLite from sorting all answers to find the first ones.
_QUEUE = """
select e.id, r.number, a.place
from (select nr, id, began from episode where {where}) e
cross join answer a on a.episode = e.nr cross join record r on r.id = a.record
where not exists (select 1 from label where record = a.record and place = a.place and by = ?)
and exists (select 1 from picture where id = r.body ->> '$.frame')
order by e.nr desc, a.record, a.place limit ?
"""
