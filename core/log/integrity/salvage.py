"""Copy what can still be read of a damaged log into a new one, and name the rest.

A truncated or overwritten page costs only its own contents: a record counts if its checksum is correct, a
picture if its bytes match its id.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

from core.errors import LogError
from core.events import EpisodeEnded, EpisodeStarted, Record
from core.log import sidecar
from core.log.codec import read_event
from core.log.database import as_log_error, transaction
from core.log.importing import import_episode
from core.log.integrity.sqlite_pages import Value, rows, truncation
from core.log.integrity.validation import header_fault, is_digest, is_episode
from core.log.integrity.verify import gaps
from core.log.picture_store import PictureStore
from core.log.rows import as_written, checksum
from core.log.store import Store
from core.pictures import picture_id


@dataclass(frozen=True)
class Salvaged:
    """What was saved; `lost` lists in words what could not be read."""

    episodes: int
    records: int
    pictures: int
    lost: tuple[str, ...]


def salvage(damaged: Path, into: Path) -> Salvaged:
    """Salvage `damaged`, which is not changed. An episode without its id is called "salvaged-" and a number.

    Raises LogError, also if `into` already exists.
    """
    if into.exists():
        raise LogError(f"{into} is there already: choose a new file to save the log into.")
    with as_log_error(damaged):
        names, found = _read(damaged)
        torn = truncation(damaged)
    lost = [torn] if torn else []
    with Store.open(into) as store:
        for nr, by_number in sorted(found.items()):
            id = names.get(nr, f"salvaged-{nr}")
            records = [replace(record, episode=id) for _, record in sorted(by_number.items())]
            import_episode(store, records, lambda digest: None)
            lost += _lost(id, records)
        with as_log_error(damaged):
            pictures = _save_pictures(store, damaged)
        lost += _lost_pictures(store)
    lost += [f"episode {id}: all its records" for nr, id in sorted(names.items()) if nr not in found]
    with Store.open(into):
        pass  # opening it closes episodes without end as INTERRUPTED
    return Salvaged(len(found), sum(map(len, found.values())), pictures, tuple(lost))


Found = Mapping[int, Mapping[int, Record]]  # by the episode's nr and the record's number


def _read(damaged: Path) -> tuple[Mapping[int, str], Found]:
    names: dict[int, str] = {}
    deleted: set[int] = set()
    found: defaultdict[int, dict[int, Record]] = defaultdict(dict)
    for rowid, values in rows(damaged):
        match values:
            case (None, int(nr), *columns) if record := _record(columns):
                if 0 < nr < 10**18:
                    found[nr][record.number] = record
            case (None, str(id), str(), int() | float(), *_) if (
                is_episode(id) and len(values) > DELETED_COLUMN
            ):
                if id not in names.values() or rowid in names:
                    names[rowid] = id
                deleted |= {rowid} if values[DELETED_COLUMN] is not None else set()
    for nr in deleted:
        names.pop(nr, None)
        found.pop(nr, None)
    return names, found


DELETED_COLUMN = 23  # index of the column `deleted` in table `episode`


def _record(columns: Sequence[Value]) -> Record | None:
    """Return the record of a row, without its episode's id; None if it is none, or damaged."""
    match columns:
        case (int(number), int() | float(), int() | float(), str(kind), str(body), int(crc), *rest):
            wall, ticks = map(float, columns[1:3])  # type: ignore[arg-type]
            written = as_written(number, wall, ticks, kind, body, rest[2] if len(rest) > 2 else None)
            if not header_fault(number, wall, ticks) and checksum(*written) == crc:
                with suppress(LogError):
                    return Record("", number, wall, ticks, read_event(*written[3:]))
    return None


def _lost(id: str, records: list[Record]) -> Iterator[str]:
    if not isinstance(records[0].event, EpisodeStarted):
        yield f"episode {id}: its beginning"
    for gap in gaps({r.number for r in records}):
        yield f"episode {id}: {gap} missing"
    if not any(isinstance(r.event, EpisodeEnded) for r in records):
        yield f"episode {id}: its end"


def _save_pictures(store: Store, damaged: Path) -> int:
    """Save the pictures that the saved records show, from the database and the files beside it."""
    shown = store.db.execute("select distinct picture from record where picture is not null")
    wanted = {id for (id,) in shown}
    pictures, old = PictureStore(store.db, store.path), PictureStore(store.db, damaged)
    with transaction(store.db):
        for _, values in rows(damaged):
            match values:
                case (str(id), int(), bytes(png)) if id in wanted and picture_id(png) == id:
                    pictures.add(id, png)
                    wanted.remove(id)
        for id in filter(is_digest, sorted(wanted)):
            with suppress(OSError):
                if picture_id(png := sidecar.read(old.path_of(id))) == id:
                    pictures.add(id, png)
        pictures.sync()
    return int(store.db.execute("select count(*) from picture").fetchone()[0])


def _lost_pictures(store: Store) -> Iterator[str]:
    for id, number in store.db.execute(
        "select e.id, r.number from record r join episode e on e.nr = r.episode "
        "where r.picture is not null and r.picture not in (select id from picture) order by r.id"
    ):
        yield f"episode {id}: the picture of record {number}"
