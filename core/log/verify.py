"""Whether the log is whole: every episode from its beginning to its end, pictures and films byte for byte,
what was worked out of the records still what they say, and nothing changed since it was written.

It reads and changes nothing. What it does not prove is said in docs/log.md.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import pairwise

from core.errors import LogError
from core.log import derived, lease, segments
from core.log.check import LARGEST, is_digest, is_episode, place, short
from core.log.codec import read_event
from core.log.database import DAMAGE
from core.log.rows import as_written, beginning, checksum, link
from core.log.store import Store
from core.pictures import identity
from core.place import COMMAND


@dataclass(frozen=True)
class Finding:
    """Something that is not as it should be. `episode` is "" where it concerns the whole log."""

    episode: str
    what: str


@dataclass(frozen=True)
class Report:
    episodes: int
    broken_off: int  # marked as such, so no finding
    killed: tuple[str, ...]  # their program died and none was started since: whole so far, so no finding
    live: int  # being written now by a program that is alive
    unchained: int  # written before records were chained: nobody could tell whether they were changed
    records: int
    pictures: int
    findings: tuple[Finding, ...]

    @property
    def whole(self) -> bool:
        return not self.findings


@dataclass(frozen=True)
class _Row:
    nr: int
    id: str
    ended: bool
    alive: bool
    seal: object


def verify(store: Store) -> Report:
    """Read everything, as it stands at one moment. Raises LogError only for a file that cannot be read at
    all."""
    try:
        store.db.execute("begin")
        return _verified(store)
    except DAMAGE as error:
        raise LogError(
            f"The episode log {store.path} is damaged ({short(error, 200)}): `{COMMAND} episodes verify "
            "--salvage` saves what can be read."
        ) from error
    finally:
        if store.db.in_transaction:
            store.db.execute("rollback")


def _verified(store: Store) -> Report:
    findings = [Finding("", what) for what in _guarded(_file(store))]
    episodes = store.db.execute("select nr, id, writer, ended, result, seal from episode").fetchall()
    records = store.db.execute("select count(*) from record").fetchone()[0]
    pictures = store.db.execute("select count(*) from picture").fetchone()[0]
    live, unchained, killed = 0, 0, []
    for nr, id, writer, ended, _, seal in episodes:
        row = _Row(nr, str(id), ended is not None, ended is None and lease.is_alive(store.path, writer), seal)
        look = _Episode(store, row)
        found = tuple(_guarded(look.findings()))
        live += row.alive
        unchained += look.unchained
        if not (row.ended or row.alive or found):
            killed.append(row.id)
        findings += (Finding(short(id), what) for what in found)
    findings += (Finding("", what) for what in _guarded(_outside(store)))
    for part in (_pictures(store), _films(store)):
        findings += _named(part)
    broken = sum(result == "broken off" for *_, result, _ in episodes)
    return Report(
        len(episodes), broken, tuple(killed), live, unchained, records, pictures, tuple(findings)
    )


def _guarded(findings: Iterator[str]) -> Iterator[str]:
    try:
        yield from findings
    except DAMAGE as error:
        yield f"a part of it cannot be read: {short(error, 200)}"


def _named(findings: Iterator[Finding]) -> Iterator[Finding]:
    try:
        yield from findings
    except DAMAGE as error:
        yield Finding("", f"a part of it cannot be read: {short(error, 200)}")


# --- the whole file ----------------------------------------------------------------------------------


def _file(store: Store) -> Iterator[str]:
    from core.log.schema import STEPS
    from core.log.schema_check import missing

    for (line,) in store.db.execute("pragma integrity_check(20)"):
        if line != "ok":
            yield short(line, 300)
    for kind, name in missing(store.db, STEPS):
        yield f"its {kind} {name} is missing"
    for table in TABLES:
        yield from _guarded(_types(store, table))
    yield from _guarded(_orphans(store))


TABLES = ("episode", "record", "picture", "tag", "note", "label", "segment", "answer")


def _types(store: Store, table: str) -> Iterator[str]:
    """SQLite keeps any value in any column."""
    for _, column, kind, filled, _, key in store.db.execute(f"pragma table_info({table})").fetchall():
        kinds = (kind.lower(),) if filled or key else (kind.lower(), "null")
        wrong = f"typeof({column}) not in ({', '.join('?' * len(kinds))})"
        if kind.lower() in ("integer", "real"):
            wrong += f" or {column} not between -{LARGEST:.0f} and {LARGEST:.0f}"
        count = store.db.execute(f"select count(*) from {table} where {wrong}", kinds).fetchone()[0]
        if count:
            yield f"{count} of table {table} have in {column} what is no {kind.lower()} of ours"


def _orphans(store: Store) -> Iterator[str]:
    """Rows that belong to what is not there; a picture that is missing is named with its record."""
    found = Counter(
        (table, parent)
        for table, _, parent, _ in store.db.execute("pragma foreign_key_check")
        if parent != "picture"
    )
    for (table, parent), count in found.items():
        yield f"{count} of table {table} belong to what is not in table {parent}"


def _outside(store: Store) -> Iterator[str]:
    """Records of no episode. Several programs number them, so they are in no chain."""
    rows = store.db.execute(
        "select number, wall, monotonic, kind, body, crc, picture from record where episode is null "
        "order by id"
    )
    for *written, crc, picture in rows:
        yield from _record(written, crc, picture)


def _record(written: list[object], crc: object, picture: object) -> Iterator[str]:
    number, wall, monotonic, kind, body = written
    if wrong := place(number, wall, monotonic):
        yield f"a record has {wrong}"
    elif checksum(*written) != crc:  # type: ignore[arg-type]
        yield f"record {number} is not as it was written"
    else:
        try:
            event = read_event(str(kind), str(body))
        except LogError as error:
            yield f"record {number}: {error}"
        else:
            if derived.picture(event) != picture:
                yield f"record {number} shows another picture than its row says"


# --- an episode --------------------------------------------------------------------------------------


class _Episode:
    """One reading of an episode's records, in the order in which they were written."""

    def __init__(self, store: Store, row: _Row) -> None:
        self._store, self._row = store, row
        self._kinds: Counter[str] = Counter()
        self._numbers: set[int] = set()
        self._first = ""
        self.unchained = False

    def findings(self) -> Iterator[str]:
        row = self._row
        if not is_episode(row.id):
            yield "its name is none that this program gives"
        yield from self._records()
        if self._first != "Started":
            yield "its beginning is missing"
        for gap in gaps(self._numbers):
            yield f"{gap} missing"
        if self._kinds["Ended"] != row.ended:
            yield "its end is missing" if row.ended else "it has an end of which its row knows nothing"
        yield from derived.differences(self._store.db, row.nr)

    def _records(self) -> Iterator[str]:
        rows = self._store.db.execute(
            "select number, wall, monotonic, kind, body, crc, picture, chain from record where episode = ? "
            "order by id",
            (self._row.nr,),
        )
        chain: object = beginning(self._row.id)
        torn = False
        for *written, crc, picture, stored in rows:
            number, _, _, kind, _ = written
            self._first = self._first or str(kind)
            self._kinds[str(kind)] += 1
            if type(number) is int:
                self._numbers.add(number)
            found = tuple(_record(written, crc, picture))
            yield from found
            first = number == 1
            if first and stored is None:
                self.unchained, chain = True, None
            if torn:
                continue
            if chain is not None and not found:
                chain = link(chain, as_written(*written))  # type: ignore[arg-type]
            if found or stored != chain:
                torn = True
                if not found:
                    yield f"record {number} does not follow from those before it: one of them was changed"
        if self._row.ended and not torn and self._row.seal != (None if self.unchained else chain):
            yield "its last record is not the one that it ended with"


def gaps(numbers: Iterable[int]) -> list[str]:
    """In words, what is missing between 1 and the largest."""
    runs = [(a + 1, b - 1) for a, b in pairwise([0, *sorted(numbers)]) if b - a > 1]
    return [f"record {a} is" if a == b else f"records {a} to {b} are" for a, b in runs]


# --- beside the records ------------------------------------------------------------------------------


def _pictures(store: Store) -> Iterator[Finding]:
    for id, size in store.db.execute("select id, size from picture"):
        png = store.found(id) if is_digest(id) else b""
        if png is None:
            yield Finding("", f"picture {id[:12]} is no longer beside the log")
        elif identity(png) != id or len(png) != size:
            yield Finding("", f"picture {short(id, 12)} is not as it was written")
    lost = store.db.execute(
        "select e.id, r.number from record r left join episode e on e.nr = r.episode "
        "where r.picture is not null and r.picture not in (select id from picture)"
    )
    for id, number in lost:
        yield Finding(short(id or ""), f"the picture of record {short(number)} is missing")


def _films(store: Store) -> Iterator[Finding]:
    rows = store.db.execute(
        "select ifnull(min(e.id), ''), hash from segment s left join episode e on e.nr = s.episode "
        "group by hash"
    )
    for id, hash in rows.fetchall():
        if not is_digest(hash):
            yield Finding(short(id), f"a film is named {short(hash)!r}")
            continue
        try:
            if segments.digest(segments.file(store.path, hash)) != hash:
                yield Finding(short(id), f"film {hash[:12]} is not as it was written")
        except OSError:
            yield Finding(short(id), f"film {hash[:12]} is no longer beside the log")
