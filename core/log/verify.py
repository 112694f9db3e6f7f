"""Whether the log is whole: every episode from its beginning to its end, pictures and films byte for byte."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from dataclasses import dataclass

from core.errors import LogError
from core.log import lease, segments
from core.log.codec import read_event
from core.log.rows import checksum
from core.log.store import Store
from core.pictures import identity


@dataclass(frozen=True)
class Finding:
    """Something that is not as it should be. `episode` is "" where it concerns the whole log."""

    episode: str
    what: str


@dataclass(frozen=True)
class Report:
    episodes: int
    broken_off: int  # marked as such, so no finding
    live: int  # being written now by a program that is alive
    records: int
    pictures: int
    findings: tuple[Finding, ...]

    @property
    def whole(self) -> bool:
        return not self.findings


def verify(store: Store) -> Report:
    """Reads everything and changes nothing. Raises LogError only for a file that cannot be read at all."""
    findings = list(_file(store))
    try:
        episodes = store.db.execute("select nr, id, writer, ended, result from episode").fetchall()
        records = store.db.execute("select count(*) from record").fetchone()[0]
        pictures = store.db.execute("select count(*) from picture").fetchone()[0]
    except sqlite3.Error as error:
        raise LogError(
            f"The episode log {store.path} is damaged ({error}): `python main.py episodes verify --salvage` "
            "saves what can be read."
        ) from error
    live = 0
    for nr, id, writer, ended, _ in episodes:
        alive = ended is None and lease.is_alive(store.path, writer)
        live += alive
        findings += _guarded(id, _episode(store, nr, id, ended is not None, alive))
    findings += _guarded("", _episode(store, None, "", True, True))
    findings += _guarded("", _pictures(store))
    findings += _guarded("", _films(store))
    broken = sum(result == "broken off" for *_, result in episodes)
    return Report(len(episodes), broken, live, records, pictures, tuple(findings))


def _guarded(episode: str, findings: Iterator[Finding]) -> Iterator[Finding]:
    try:
        yield from findings
    except sqlite3.Error as error:
        yield Finding(episode, f"a part of it cannot be read: {error}")


def _file(store: Store) -> Iterator[Finding]:
    try:
        for (line,) in store.db.execute("pragma integrity_check(20)"):
            if line != "ok":
                yield Finding("", str(line))
    except sqlite3.Error as error:
        yield Finding("", str(error))


def _episode(store: Store, nr: int | None, id: str, ended: bool, alive: bool) -> Iterator[Finding]:
    rows = store.db.execute(
        "select number, wall, monotonic, kind, body, crc from record where episode is ? order by id", (nr,)
    )
    kinds: list[str] = []
    numbers: set[int] = set()
    for number, wall, monotonic, kind, body, crc in rows:
        kinds.append(kind)
        numbers.add(number)
        if checksum(number, wall, monotonic, kind, body) != crc:
            yield Finding(id, f"record {number} is not as it was written")
        else:
            try:
                read_event(kind, body)
            except LogError as error:
                yield Finding(id, f"record {number}: {error}")
    if nr is None:
        return
    if kinds[:1] != ["Started"]:
        yield Finding(id, "its beginning is missing")
    for gap in gaps(numbers):
        yield Finding(id, f"{gap} missing")
    if kinds.count("Ended") != ended or (not ended and not alive):
        yield Finding(id, "it has no end: open the log for writing, which marks it as broken off")


def gaps(numbers: set[int]) -> list[str]:
    """In words, what is missing between 1 and the largest."""
    missing = sorted(set(range(1, max(numbers, default=0) + 1)) - numbers)
    runs: list[list[int]] = []
    for number in missing:
        if runs and runs[-1][1] == number - 1:
            runs[-1][1] = number
        else:
            runs.append([number, number])
    return [f"record {a} is" if a == b else f"records {a} to {b} are" for a, b in runs]


def _pictures(store: Store) -> Iterator[Finding]:
    for (id,) in store.db.execute("select id from picture"):
        try:
            if identity(store.picture(id)) != id:
                yield Finding("", f"picture {id[:12]} is not as it was written")
        except LogError:
            yield Finding("", f"picture {id[:12]} is no longer beside the log")
    lost = store.db.execute(
        "select e.id, r.number from record r left join episode e on e.nr = r.episode "
        "where r.picture is not null and r.picture not in (select id from picture)"
    )
    for id, number in lost:
        yield Finding(id or "", f"the picture of record {number} is missing")


def _films(store: Store) -> Iterator[Finding]:
    rows = store.db.execute(
        "select ifnull(min(e.id), ''), hash from segment s left join episode e on e.nr = s.episode "
        "group by hash"
    )
    for id, hash in rows.fetchall():
        try:
            if segments.digest(segments.file(store.path, hash)) != hash:
                yield Finding(id, f"film {hash[:12]} is not as it was written")
        except OSError:
            yield Finding(id, f"film {hash[:12]} is no longer beside the log")
