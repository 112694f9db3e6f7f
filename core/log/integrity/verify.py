"""Check that the log is intact, without changing anything.

Every episode must be complete, pictures and videos byte for byte, derived data in agreement with the records,
and nothing changed since it was written. docs/log.md says what this does not prove.
"""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import pairwise
from math import isclose
from typing import Any, NamedTuple

from core.errors import LogError
from core.events import EpisodeEnded, EpisodeResult, EpisodeStarted, FrameCaptured
from core.install_paths import COMMAND
from core.log import lease
from core.log.codec import read_event, write_event
from core.log.database import DAMAGE_ERRORS
from core.log.integrity.validation import MAX_NUMBER, excerpt, header_fault, is_digest, is_episode, parse_json
from core.log.picture_store import PictureStore
from core.log.rows import as_written, chain_link, chain_start, checksum, record_bytes
from core.log.store import Store
from core.log.video import segments
from core.pictures import picture_id


@dataclass(frozen=True)
class LogFinding:
    """Something that is not as it should be. `episode` is "" if it concerns the whole log."""

    episode: str
    problem: str


@dataclass(frozen=True)
class VerificationReport:
    episodes: int
    interrupted: int  # marked as such, so not a finding
    unfinished: tuple[str, ...]  # their program died and none was started since; not a finding
    live: int  # being written by a running program
    unchained: int  # from before records were chained, so changes would go unnoticed
    unsealed: int  # these, and those ended by a kill: their ends could have been cut off
    records: int
    pictures: int
    findings: tuple[LogFinding, ...]

    @property
    def is_intact(self) -> bool:
        return not self.findings


def verify(store: Store) -> VerificationReport:
    """Read and check everything, in one transaction.

    Raises LogError only for a file that cannot be read at all.
    """
    noted = lease.noted(store.path)  # before the transaction: what is written meanwhile is in it
    try:
        store.db.execute("begin")
        return _verified(store, noted)
    except DAMAGE_ERRORS as error:
        raise LogError(
            f"The episode log {store.path} is damaged ({excerpt(error, 200)}): `{COMMAND} episodes verify "
            "--salvage` saves what can be read."
        ) from error
    finally:
        if store.db.in_transaction:
            store.db.execute("rollback")


class _Row(NamedTuple):
    """Of an episode; its columns may hold anything."""

    nr: Any
    id: Any
    writer: Any
    ended: Any
    result: Any
    seal: Any
    chained: Any  # whether its first record has a link; None if there is none


def _verified(store: Store, noted: Mapping[str, tuple[str, int]]) -> VerificationReport:
    findings = list(_reporting_damage(_file_findings(store)))
    (records, pictures), episodes = store.db.execute(_TOTALS).fetchone(), store.db.execute(_EPISODES)
    rows = [_Row(*row) for row in episodes.fetchall()]
    live = {row for row in rows if row.ended is None and lease.is_alive(store.path, row.writer)}
    killed = []
    for row in rows:
        found = tuple(_reporting_damage(_episode_findings(store, row, noted), excerpt(row.id)))
        if row.ended is None and row not in live and not found:
            killed.append(str(row.id))
        findings += found
    for part in (_stray_records(store), _pictures(store), _videos(store)):
        findings += _reporting_damage(part)
    return VerificationReport(
        episodes=len(rows),
        interrupted=sum(row.result == EpisodeResult.INTERRUPTED.value for row in rows),
        unfinished=tuple(killed),
        live=len(live),
        unchained=sum(row.chained == 0 for row in rows),
        unsealed=sum(row.seal is None and row not in live for row in rows),
        records=records,
        pictures=pictures,
        findings=tuple(findings),
    )


_TOTALS = "select (select count(*) from record), (select count(*) from picture)"
_EPISODES = """
select nr, id, writer, ended, result, seal,
    (select chain is not null from record where episode = nr and number = 1) from episode
"""


def _reporting_damage(findings: Iterator[str | LogFinding], episode: str = "") -> Iterator[LogFinding]:
    """Yield the findings, words as those of this episode; what cannot be read is one more."""
    try:
        for found in findings:
            yield LogFinding(episode, found) if isinstance(found, str) else found
    except DAMAGE_ERRORS as error:
        yield LogFinding(episode, f"a part of it cannot be read: {excerpt(error, 200)}")


# --- the whole file ----------------------------------------------------------------------------------


def _file_findings(store: Store) -> Iterator[str | LogFinding]:
    from core.log.integrity.schema_check import missing
    from core.log.schema import MIGRATIONS

    for (line,) in store.db.execute("pragma integrity_check(20)"):
        if line != "ok":
            yield excerpt(line, 300)
    for kind, name in missing(store.db, MIGRATIONS):
        yield f"its {kind} {name} is missing"
    for table in TABLES:
        yield from _reporting_damage(_types(store, table))
    yield from _reporting_damage(_orphans(store))


TABLES = ("episode", "record", "picture", "tag", "note", "label", "segment", "answer")


def _types(store: Store, table: str) -> Iterator[str]:
    """Check the types of all values, since SQLite accepts any value in any column."""
    for _, column, kind, filled, _, key in store.db.execute(f"pragma table_info({table})").fetchall():
        kinds = (kind.lower(),) if filled or key else (kind.lower(), "null")
        wrong = f"typeof({column}) not in ({', '.join('?' * len(kinds))})"
        if kind.lower() in ("integer", "real"):
            wrong += f" or {column} not between -{MAX_NUMBER:.0f} and {MAX_NUMBER:.0f}"
        count = store.db.execute(f"select count(*) from {table} where {wrong}", kinds).fetchone()[0]
        if count:
            yield f"{count} of table {table} have in {column} what is no {kind.lower()} of ours"


def _orphans(store: Store) -> Iterator[str]:
    """Yield rows whose parent is missing; a missing picture is reported with its record instead."""
    rows = store.db.execute("pragma foreign_key_check")
    found = Counter((table, parent) for table, _, parent, _ in rows if parent != "picture")
    for (table, parent), count in found.items():
        yield f"{count} of table {table} belong to what is not in table {parent}"


# --- the records -------------------------------------------------------------------------------------

_COLUMNS = "number, wall, monotonic, kind, body, written, crc, picture, chain"


def _stray_records(store: Store) -> Iterator[str]:
    """Check the records outside any episode. Several programs number them, so they are not chained."""
    rows = store.db.execute(f"select {_COLUMNS} from record where episode is null order by id")
    for *columns, _ in rows:
        yield from _record(*columns)


def _record(
    number: Any, wall: Any, monotonic: Any, kind: Any, body: Any, renamed: Any, crc: Any, picture: Any
) -> Iterator[str]:
    written = as_written(number, wall, monotonic, kind, body, renamed)
    if wrong := header_fault(number, wall, monotonic):
        yield f"a record has {wrong}"
    elif checksum(*written) != crc:
        yield f"record {number} is not as it was written"
    else:
        try:
            event = read_event(*map(str, written[3:]))
        except LogError as error:
            yield f"record {number}: {error}"
            return
        if renamed and (type(event).__name__, write_event(event)) != (kind, body):
            yield f"record {number} is not what was written before its names changed"
        if picture != (event.frame.id or None if isinstance(event, FrameCaptured) else None):
            yield f"record {number} shows another picture than its row says"


def _episode_findings(store: Store, row: _Row, noted: Mapping[str, tuple[str, int]]) -> Iterator[str]:
    if not is_episode(row.id):
        yield "its name is none that this program gives"
    yield from _chain_findings(store, row)
    found = store.db.execute("select kind, number from record where episode = ? order by id", (row.nr,))
    kinds, numbers = zip(*found.fetchall() or [("", None)], strict=True)
    if kinds[0] != EpisodeStarted.__name__:
        yield "its beginning is missing"
    known = {number for number in numbers if type(number) is int}
    for gap in gaps(known):
        yield f"{gap} missing"
    writer, last = noted.get(str(row.id), (row.writer, 0))
    if writer != row.writer and row.ended is None:
        yield "its row names another writer than the one that was writing it"
    if last > max(known, default=0):
        yield f"its end is missing: its writer had written record {last}"
    if kinds.count(EpisodeEnded.__name__) != (row.ended is not None):
        yield (
            "its end is missing" if row.ended is not None else "it has an end of which its row knows nothing"
        )
    yield from differences(store.db, row.nr)


def _chain_findings(store: Store, row: _Row) -> Iterator[str]:
    """Check each record, whether it follows from those before it, and whether the last one is the seal's."""
    rows = store.db.execute(f"select {_COLUMNS} from record where episode = ? order by id", (row.nr,))
    chain = None if row.chained == 0 else chain_start(str(row.id))
    torn = False
    for *columns, stored in rows:
        faults = tuple(_record(*columns))
        yield from faults
        number, *_, kind, body, _, _, _ = columns
        if chain is None and number == 1 and not faults:
            started = read_event(kind, body)
            if isinstance(started, EpisodeStarted) and started.chained:
                yield "its records were chained, and the chain is gone"
        if torn:
            continue
        if chain is not None and not faults:
            chain = chain_link(chain, record_bytes(*as_written(*columns[:6])))
        if faults or stored != chain:
            torn = True
            if not faults:
                yield f"record {number} does not follow from those before it: one of them was changed"
    if row.ended is not None and not torn and row.seal != chain:
        yield "its last record is not the one that it ended with"


def gaps(numbers: Iterable[int]) -> list[str]:
    """Return in words which numbers are missing between 1 and the largest."""
    runs = [(a + 1, b - 1) for a, b in pairwise([0, *sorted(numbers)]) if b - a > 1]
    return [f"record {a} is" if a == b else f"records {a} to {b} are" for a, b in runs]


# --- beside the records ------------------------------------------------------------------------------


def _pictures(store: Store) -> Iterator[LogFinding]:
    pictures = PictureStore(store.db, store.path)
    for id, size in store.db.execute("select id, size from picture"):
        png = pictures.read_unverified(id) if is_digest(id) else b""
        if png is None:
            yield LogFinding("", f"picture {id[:12]} is no longer beside the log")
        elif picture_id(png) != id or len(png) != size:
            yield LogFinding("", f"picture {excerpt(id, 12)} is not as it was written")
    lost = store.db.execute(
        "select e.id, r.number from record r left join episode e on e.nr = r.episode "
        "where r.picture is not null and r.picture not in (select id from picture)"
    )
    for id, number in lost:
        yield LogFinding(excerpt(id or ""), f"the picture of record {excerpt(number)} is missing")


def _videos(store: Store) -> Iterator[LogFinding]:
    rows = store.db.execute(
        "select ifnull(min(e.id), ''), hash from segment s left join episode e on e.nr = s.episode "
        "group by hash"
    )
    for id, hash in rows.fetchall():
        if not is_digest(hash):
            yield LogFinding(excerpt(id), f"a video is named {excerpt(hash)!r}")
            continue
        try:
            if segments.file_digest(segments.video_path(store.path, hash)) != hash:
                yield LogFinding(excerpt(id), f"video {hash[:12]} is not as it was written")
        except OSError:
            yield LogFinding(excerpt(id), f"video {hash[:12]} is no longer beside the log")


FROM_START = ("began", "recorded_as", "task", "domain", "settings")


def differences(db: sqlite3.Connection, nr: int) -> Iterator[str]:
    """Yield in words what an episode's row and answers contain that does not follow from its records.

    Raises sqlite3.Error.
    """
    stored, wanted = (_row(db, table, nr) for table in ("episode", "counting"))
    ended = stored["ended"] is not None
    for name, value in wanted.items():
        if name in FROM_START and wanted["began"] is None:
            continue  # a beginning that is missing is reported as that
        if (ended or name in FROM_START) and not _same(name, stored[name], value):
            yield f"its {name} is {_worded(name, stored[name])}, and its records say {_worded(name, value)}"
    forged, have, want = db.execute(_ANSWERS, {"nr": nr}).fetchone()
    if ended and (forged or have != want):
        differ = max(forged, abs(have - want))
        yield f"its answers in table answer are not those of its records ({differ} differ)"


def _row(db: sqlite3.Connection, table: str, nr: int) -> dict[str, object]:
    cursor = db.execute(f"select * from {table} where nr = ?", (nr,))
    return dict(zip((column for column, *_ in cursor.description), cursor.fetchone(), strict=True))


def _worded(name: str, value: object) -> str:
    """Return a column's value as it is shown, whether it comes from the row or from the records."""
    if name.endswith("_goal") and value in (0, 1):
        return "true" if value else "false"
    if value is None:
        return "not set"
    return repr(excerpt(value, 40)) if isinstance(value, str) else excerpt(value, 40)


def _same(name: str, stored: object, wanted: object) -> bool:
    if name == "settings":
        try:
            return bool(parse_json(str(stored)) == parse_json(str(wanted)))
        except ValueError:
            return False
    if name == "cost":  # an older version wrote 0 where no price was known
        stored, wanted = stored or 0.0, wanted or 0.0
    if isinstance(stored, float) and isinstance(wanted, int | float):
        return isclose(stored, wanted, rel_tol=1e-9, abs_tol=1e-12)
    return stored == wanted


# An atom that was reviewed twice in one review is kept once.
_ANSWERS = """
select (select count(*) from (select * from answer where episode = :nr
        except select * from answering where episode = :nr)),
    (select count(*) from answer where episode = :nr),
    (select count(*) from (select distinct record, place from answering where episode = :nr))
"""
