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


def prune(store: Store, max_bytes: int, order: PruneOrder, delete: bool = False) -> PruneResult:
    """Return what would be deleted to bring the log to `max_bytes`; with `delete` it is, for good.

    The file shrinks too, unless an episode is being written meanwhile, which would have to wait for it.
    Raises LogError.
    """
    now = size(store)
    excess, freed = now - max_bytes, 0.0
    rows = store.rows((int, str, float, float), _CANDIDATES + _ORDER[order]) if excess > 0 else []
    stripped: dict[int, str] = {}
    doomed: dict[int, str] = {}
    for nr, id, _, video_bytes in rows:
        if video_bytes and freed < excess:
            stripped[nr] = id
            freed += video_bytes
    for nr, id, bytes, _ in rows:
        if freed < excess:
            doomed[nr] = id
            freed += bytes
    staying = tuple(id for nr, id in stripped.items() if nr not in doomed)
    found = PruneResult(tuple(doomed.values()), staying, int(freed), now, freed >= excess)
    return replace(found, size=_delete(store, list(stripped), list(doomed))) if delete else found


def _delete(store: Store, stripped: list[int], doomed: list[int]) -> int:
    """Delete the videos of these episodes, by `nr`, and all of those. Return the size of what is left."""
    with as_log_error(store.path):
        if stripped:
            with transaction(store.db):
                segments.delete_segments(store.db, store.path, stripped)
        purge(store, doomed)
        writers = store.db.execute("select writer from episode where ended is null").fetchall()
        if doomed and not any(is_alive(store.path, writer) for (writer,) in writers):
            store.db.execute("vacuum")
            store.db.execute("pragma wal_checkpoint(truncate)")
    return size(store)


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
