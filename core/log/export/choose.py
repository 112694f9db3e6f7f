"""The format of an export, by the ending of its file."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from core.errors import BadValue
from core.log.store import Store

WHAT = {".jsonl": "record", ".csv": "row", ".html": "record", ".mcap": "record", ".mp4": "caption"}
ONE = (".html", ".mcap", ".mp4")  # hold one episode


def export(
    store: Store, episodes: Sequence[str], to: Path, table: str = "episodes", pictures: bool = True
) -> int:
    """Write these episodes (full ids; none means all); returns how many of WHAT were written.

    `table` is of a CSV, `pictures` of JSON Lines. Raises ConsoleError.
    """
    from core.log.export import foxglove, lines, report, tables, video

    suffix = to.suffix.lower()
    if suffix not in WHAT:
        raise BadValue(f"The ending of {to.name!r} names no format: take {', '.join(WHAT)}.")
    if suffix in ONE and len(episodes) != 1:
        raise BadValue(
            f"A {suffix} file holds one episode, and {len(episodes) or 'none'} is given: name one."
        )
    match suffix:
        case ".jsonl":
            return lines.export(store, episodes or _all(store), to, pictures)
        case ".csv":
            return tables.export(store, table, to, episodes)
        case ".mcap":
            return foxglove.export(store, episodes[0], to)
        case ".mp4":
            return video.export(store, episodes[0], to)
    report.export(store, episodes[0], to)
    return sum(1 for _ in store.records(episodes[0]))


def _all(store: Store) -> list[str]:
    return [s.episode for s in store.episodes(descending=False, limit=-1)]
