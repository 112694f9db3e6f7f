"""The list of episodes as a person browses it: pages with tags, and statistics of a selection."""

from __future__ import annotations

from dataclasses import dataclass

from core.log.database import as_log_error
from core.log.integrity import validation
from core.log.store import FALSE_CLAIM, EpisodeFilter, EpisodeSummary, Store


@dataclass(frozen=True)
class EpisodeListEntry:
    summary: EpisodeSummary
    tags: tuple[str, ...]
    notes: int


def page(
    store: Store, which: EpisodeFilter, order: str, descending: bool, limit: int, offset: int
) -> tuple[EpisodeListEntry, ...]:
    """Return one page of the list. Raises UnknownName, BadValue, LogError."""
    found = store.episodes(which, order, descending, limit, offset)
    ids = [s.episode for s in found]
    marks = ", ".join("?" * len(ids))
    with as_log_error(store.path):
        tags = store.db.execute(
            f"select e.id, t.name from tag t join episode e on e.nr = t.episode where e.id in ({marks}) "
            "order by t.name",
            ids,
        ).fetchall()
        notes = store.db.execute(
            f"select e.id, count(*) from note n join episode e on e.nr = n.episode where e.id in ({marks}) "
            "group by e.id",
            ids,
        ).fetchall()
    named = [validation.parse_columns((str, str), row) for row in tags]
    counts = dict(notes)
    return tuple(
        EpisodeListEntry(s, tuple(name for id, name in named if id == s.episode), counts.get(s.episode, 0))
        for s in found
    )


@dataclass(frozen=True)
class EpisodeStatistics:
    """Rates and means; None where nothing is known. Episodes being written are only counted."""

    episodes: int
    believed: float | None
    true: float | None  # rate among those that a simulator judged
    false_claims: int  # claimed, but not true
    steps: float | None
    replans: float | None
    overrides: int
    stops: int
    seconds: float | None
    cost: float | None  # US dollars, in total


def statistics(store: Store, which: EpisodeFilter) -> EpisodeStatistics:
    """Return the statistics of the episodes that pass. Raises BadValue, LogError."""
    where, values = which.where()
    with as_log_error(store.path):
        row = store.db.execute(
            "select count(*), avg(believed_goal), avg(true_goal), "
            f"ifnull(sum({FALSE_CLAIM}), 0), avg(steps), avg(replans), "
            "ifnull(sum(overrides), 0), ifnull(sum(stops), 0), avg(seconds), sum(cost) "
            f"from episode where {where}",
            values,
        ).fetchone()
    return validation.parse_row(EpisodeStatistics, row)
