"""Blind review across episodes: the answers, and the questions of each picture that nobody asked, which a
reviewer has not judged yet.
"""

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
    """Questions of one episode as record number and place, in the order in which they are asked."""

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
    """Return questions with a picture that `by` has not labelled: of the latest episodes, shuffled.

    Answers come before the questions that nobody was asked, so that a few judge the answerer. The same
    reviewer and log give the same order; the questions of one episode stay together. Only ended episodes
    that pass the filter are searched. Raises BadValue, LogError.
    """
    where, values = which.where()
    found: tuple[ReviewBatch, ...] = ()
    for questions, place in ((_ANSWERED, "place"), (_UNASKED, "key")):
        sql = (questions + _UNLABELLED).format(where=where, place=place)
        left = limit - sum(len(batch.answers) for batch in found)
        rows = store.rows((int, str, int, int), sql, (*values, by, left))
        batches = (
            ReviewBatch(id, shuffled(((number, place) for *_, number, place in asked), f"{by} {id}"))
            for id, asked in groupby(rows, key=lambda row: str(row[1]))
        )
        found += shuffled(batches, by)
    return found


# `cross join` keeps SQLite from sorting all answers to find the first ones.
_ANSWERED = """
select e.nr, e.id, r.number, q.place
from (select nr, id from episode where {where}) e
cross join answer q on q.episode = e.nr cross join record r on r.id = q.record
cross join picture p on p.id = r.body ->> '$.frame'
"""
_UNASKED = """
select e.nr, e.id, r.number, q.key
from (select nr, id from episode where ended is not null and {where}) e
cross join record r on r.episode = e.nr and r.kind = 'FrameCaptured'
cross join picture p on p.id = r.picture cross join json_each(r.body, '$.review') q
"""
_UNLABELLED = """
where not exists (select 1 from label l where l.record = r.id and l.place = q.{place} and l.by = ?)
order by e.nr desc, r.id, q.{place} limit ?
"""
