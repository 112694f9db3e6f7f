"""The list of episodes as a person browses it: pages with tags."""

from __future__ import annotations

from dataclasses import dataclass

from core.log.store import EpisodeFilter, EpisodeSummary, Store


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
