"""Keep the log within a size, by a rule that a person chose; unfinished and tagged episodes are kept."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import Enum

from core.log.annotations import purge
from core.log.database import as_log_error, transaction
from core.log.lease import is_alive
from core.log.store import Store
from core.log.video import segments


class PruneOrder(Enum):
    """Which episodes are deleted first."""

    OLDEST = "oldest"  # in the order in which they came into the log: a clock may have been wrong
    LARGEST = "largest"
    SUCCEEDED = "succeeded"  # the oldest whose goal is believed and not known to be wrong


@dataclass(frozen=True)
class PruneResult:
    """What `prune` would delete, or has deleted."""

    episodes: tuple[str, ...]
    episodes_without_video: tuple[str, ...]  # kept without their live video, which is deleted first
    bytes: int  # their approximate size
    size: int  # of the whole log now
    enough: bool  # False: the tagged and unfinished episodes alone exceed the limit


_ORDER = {
    PruneOrder.OLDEST: "e.nr",
    PruneOrder.LARGEST: "bytes desc, e.nr",
    PruneOrder.SUCCEEDED: "not (ifnull(believed_goal, 0) and ifnull(true_goal, 1)), e.nr",
}


def size(store: Store) -> int:
    """Return the bytes in use, of the database and of the pictures and videos beside it."""
    ((found,),) = store.rows(
        (float,),
        "select (page_count - freelist_count) * page_size"
        " + ifnull((select sum(size) from picture where bytes is null), 0)"
        " + ifnull((select sum(bytes) from (select distinct hash, bytes from segment)), 0) "
        "from pragma_page_count, pragma_freelist_count, pragma_page_size",
    )
    return int(found)


def plan_pruning(store: Store, max_bytes: int, order: PruneOrder) -> PruneResult:
    """Return what would be deleted to bring the log to `max_bytes`. Changes nothing. Raises LogError."""
    return _plan(store, max_bytes, order)[0]


def prune(store: Store, max_bytes: int, order: PruneOrder) -> PruneResult:
    """Delete permanently until the log fits `max_bytes`. Raises LogError.

    The file shrinks too, unless an episode is being written meanwhile, which would have to wait for it.
    """
    pruning, stripped, doomed = _plan(store, max_bytes, order)
    with as_log_error(store.path):
        if stripped:
            with transaction(store.db):
                segments.delete_segments(store.db, store.path, stripped)
        purge(store, doomed)
        writers = store.db.execute("select writer from episode where ended is null").fetchall()
        if doomed and not any(is_alive(store.path, writer) for (writer,) in writers):
            store.db.execute("vacuum")
            store.db.execute("pragma wal_checkpoint(truncate)")
    return replace(pruning, size=size(store))


def _plan(store: Store, max_bytes: int, order: PruneOrder) -> tuple[PruneResult, list[int], list[int]]:
    """Return the plan and, by `nr`, the episodes that lose their videos and those that are deleted."""
    now = size(store)
    excess = now - max_bytes
    rows = store.rows((int, str, float, float), _CANDIDATES + _ORDER[order]) if excess > 0 else []
    stripped: list[tuple[int, str]] = []
    doomed: list[tuple[int, str]] = []
    freed = 0
    for nr, id, _, video_bytes in rows:
        if video_bytes and freed < excess:
            stripped.append((nr, id))
            freed += video_bytes
    for nr, id, bytes, _ in rows:
        if freed < excess:
            doomed.append((nr, id))
            freed += bytes
    gone = tuple(id for _, id in doomed)
    staying = tuple(id for _, id in stripped if id not in gone)
    pruning = PruneResult(gone, staying, freed, now, freed >= excess)
    return pruning, [nr for nr, _ in stripped], [nr for nr, _ in doomed]


# Records are also in two indexes and their words in a third: about 150 bytes each, as measured.
_CANDIDATES = """
with body as (select episode, sum(length(body) + 150) as bytes from record group by episode),
shown as (select distinct episode, picture from record where picture is not null),
pictures as (
    select episode, sum(size) as bytes from shown join picture on picture.id = picture group by episode),
videos as (select episode, sum(bytes) as bytes from segment group by episode)
select e.nr, e.id, ifnull(body.bytes, 0) + ifnull(pictures.bytes, 0) as bytes,
    ifnull(videos.bytes, 0) as video_bytes
from episode e left join body on body.episode = e.nr left join pictures on pictures.episode = e.nr
left join videos on videos.episode = e.nr
where e.ended is not null and e.nr not in (select episode from tag)
order by e.deleted is null, """
