"""The list of episodes as a person browses it: pages with tags, and statistics of a selection."""

from __future__ import annotations

from dataclasses import dataclass

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
    of = f"e on e.nr = episode where e.id in ({', '.join('?' * len(ids))})"
    tags = store.rows((str, str), f"select e.id, name from tag join episode {of} order by name", ids)
    notes = store.rows((str, int), f"select e.id, count(*) from note join episode {of} group by e.id", ids)
    counts = dict(notes)
    return tuple(
        EpisodeListEntry(s, tuple(name for id, name in tags if id == s.episode), counts.get(s.episode, 0))
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
    columns = (
        f"count(*), avg(believed_goal), avg(true_goal), ifnull(sum({FALSE_CLAIM}), 0), avg(steps), "
        "avg(replans), ifnull(sum(overrides), 0), ifnull(sum(stops), 0), avg(seconds), sum(cost)"
    )
    return store.read(EpisodeStatistics, f"select {columns} from episode where {where}", values)[0]
