"""Check that the log is intact, without changing anything.

Every episode must be complete, pictures and videos byte for byte, derived data in agreement with the records,
and nothing changed since it was written. docs/log.md says what this does not prove.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from core.errors import LogError
from core.events import EpisodeStarted, Event
from core.install_paths import COMMAND
from core.log import lease
from core.log.codec import read_event, write_event
from core.log.database import DAMAGE_ERRORS
from core.log.integrity import derived
from core.log.integrity.validation import MAX_NUMBER, excerpt, header_fault, is_digest, is_episode
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


@dataclass(frozen=True)
class _Row:
    nr: int
    id: str
    writer: object
    ended: bool
    alive: bool
    seal: object


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


def _verified(store: Store, noted: Mapping[str, tuple[str, int]]) -> VerificationReport:
    findings = [LogFinding("", what) for what in _reporting_damage(_file_findings(store))]
    episodes = store.db.execute("select nr, id, writer, ended, result, seal from episode").fetchall()
    records = store.db.execute("select count(*) from record").fetchone()[0]
    pictures = store.db.execute("select count(*) from picture").fetchone()[0]
    live, unchained, unsealed, killed = 0, 0, 0, []
    for nr, id, writer, ended, _, seal in episodes:
        alive = ended is None and lease.is_alive(store.path, writer)
        row = _Row(nr, str(id), writer, ended is not None, alive, seal)
        verifier = _EpisodeVerifier(store, row, noted.get(row.id, (writer, 0)))
        found = tuple(_reporting_damage(verifier.findings()))
        live += row.alive
        unchained += verifier.unchained
        unsealed += seal is None and not row.alive
        if not (row.ended or row.alive or found):
            killed.append(row.id)
        findings += (LogFinding(excerpt(id), what) for what in found)
    findings += (LogFinding("", what) for what in _reporting_damage(_stray_records(store)))
    for part in (_pictures(store), _videos(store)):
        findings += _reporting_damaged_part(part)
    broken = sum(result == "broken off" for *_, result, _ in episodes)
    return VerificationReport(
        len(episodes),
        broken,
        tuple(killed),
        live,
        unchained,
        unsealed,
        records,
        pictures,
        tuple(findings),
    )


def _reporting_damage(findings: Iterator[str]) -> Iterator[str]:
    try:
        yield from findings
    except DAMAGE_ERRORS as error:
        yield f"a part of it cannot be read: {excerpt(error, 200)}"


def _reporting_damaged_part(findings: Iterator[LogFinding]) -> Iterator[LogFinding]:
    try:
        yield from findings
    except DAMAGE_ERRORS as error:
        yield LogFinding("", f"a part of it cannot be read: {excerpt(error, 200)}")


# --- the whole file ----------------------------------------------------------------------------------


def _file_findings(store: Store) -> Iterator[str]:
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
    found = Counter(
        (table, parent)
        for table, _, parent, _ in store.db.execute("pragma foreign_key_check")
        if parent != "picture"
    )
    for (table, parent), count in found.items():
        yield f"{count} of table {table} belong to what is not in table {parent}"


def _stray_records(store: Store) -> Iterator[str]:
    """Check the records outside any episode. Several programs number them, so they are not chained."""
    rows = store.db.execute(f"select {_COLUMNS} from record where episode is null order by id")
    for *columns, crc, picture, _ in rows:
        yield from _record(columns, crc, picture)


_COLUMNS = "number, wall, monotonic, kind, body, written, crc, picture, chain"


def _record(columns: list[Any], crc: object, picture: object) -> Iterator[str]:
    number, wall, monotonic, *words = as_written(*columns)
    if wrong := header_fault(number, wall, monotonic):
        yield f"a record has {wrong}"
    elif checksum(number, wall, monotonic, *words) != crc:
        yield f"record {number} is not as it was written"
    else:
        try:
            event = read_event(*map(str, words))
        except LogError as error:
            yield f"record {number}: {error}"
            return
        *_, kind, body, renamed = columns
        if renamed and (type(event).__name__, write_event(event)) != (kind, body):
            yield f"record {number} is not what was written before its names changed"
        if derived.picture_column(event) != picture:
            yield f"record {number} shows another picture than its row says"


# --- an episode --------------------------------------------------------------------------------------


class _EpisodeVerifier:
    """One pass over an episode's records, in the order in which they were written."""

    def __init__(self, store: Store, row: _Row, noted: tuple[object, int]) -> None:
        self._store, self._row, self._noted = store, row, noted
        self._kinds: Counter[str] = Counter()
        self._numbers: set[int] = set()
        self._first = ""
        self.unchained = False

    def findings(self) -> Iterator[str]:
        row = self._row
        if not is_episode(row.id):
            yield "its name is none that this program gives"
        yield from self._records()
        if self._first != "EpisodeStarted":
            yield "its beginning is missing"
        for gap in gaps(self._numbers):
            yield f"{gap} missing"
        writer, last = self._noted
        if writer != row.writer and not row.ended:
            yield "its row names another writer than the one that was writing it"
        if last > max(self._numbers, default=0):
            yield f"its end is missing: its writer had written record {last}"
        if self._kinds["EpisodeEnded"] != row.ended:
            yield "its end is missing" if row.ended else "it has an end of which its row knows nothing"
        yield from derived.differences(self._store.db, row.nr)

    def _records(self) -> Iterator[str]:
        rows = self._store.db.execute(
            f"select {_COLUMNS} from record where episode = ? order by id", (self._row.nr,)
        )
        chain: bytes | None = chain_start(self._row.id)
        torn = False
        for *columns, crc, picture, stored in rows:
            number, _, _, kind, body, _ = columns
            self._first = self._first or str(kind)
            self._kinds[str(kind)] += 1
            if type(number) is int:
                self._numbers.add(number)
            found = tuple(_record(columns, crc, picture))
            yield from found
            first = number == 1
            if first and stored is None:
                self.unchained, chain = True, None
                if not found and _is_chained(read_event(str(kind), str(body))):
                    yield "its records were chained, and the chain is gone"
            if torn:
                continue
            if chain is not None and not found:
                chain = chain_link(chain, record_bytes(*as_written(*columns)))
            if found or stored != chain:
                torn = True
                if not found:
                    yield f"record {number} does not follow from those before it: one of them was changed"
        if self._row.ended and not torn and self._row.seal != (None if self.unchained else chain):
            yield "its last record is not the one that it ended with"


def _is_chained(event: Event) -> bool:
    return isinstance(event, EpisodeStarted) and event.chained


def gaps(numbers: Iterable[int]) -> list[str]:
    """Return in words which numbers are missing between 1 and the largest."""
    runs = [(a + 1, b - 1) for a, b in pairwise([0, *sorted(numbers)]) if b - a > 1]
    return [f"record {a} is" if a == b else f"records {a} to {b} are" for a, b in runs]


# --- beside the records ------------------------------------------------------------------------------


def _pictures(store: Store) -> Iterator[LogFinding]:
    for id, size in store.db.execute("select id, size from picture"):
        png = store.unverified_picture(id) if is_digest(id) else b""
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
