"""Logs and exports as somebody might send them who wishes us ill, or as a disk might leave them."""

from __future__ import annotations

import json
import os
import random
import sqlite3
from pathlib import Path
from typing import Any

from core.log.integrity.verify import TABLES
from core.log.rows import checksum
from tests.core.log.closed_log import without_triggers

SCRIPT = "<script>alert(1)</script>"
ODD: tuple[Any, ...] = (
    *(None, -1, 0, 1, 3 * 10**8, 2**62, -(2**63), 1e300, -1e300, float("inf"), 1.5, ""),
    *(SCRIPT, "=cmd()", "../../outside/canary", "/dev/zero", "a\x00b", "\x1b]0;owned\x07", "\u202e"),
    *("é" * 5000, b"\xff\xfe", b"", b"x" * 10_000, "{}", "[" * 2000, "yes", "salvaged-7"),
)
FOREIGN = (
    "create trigger t after insert on record begin delete from picture; end",
    "create trigger t instead of insert on records begin select 1; end",
    "create view v as with recursive x(n) as (select 1 union all select n + 1 from x) select n from x",
    "create table recipes(name)",
    "create index i on record(kind)",
    "create virtual table v using fts5(a)",
    "drop view questions",
    "drop trigger record_is_never_changed",
    "drop index record_place",
    "drop table tag",
    "drop view episodes; create view episodes as select * from episode",
    "drop table _sqlite_migrations; create view _sqlite_migrations as select 'episode log' as migration_set",
    "insert into _sqlite_migrations(migration_set, name) values ('episode log', 'dreams')",
    "delete from _sqlite_migrations where name = 'record_chain'",
    "alter table record add column more blob",
    "alter table _sqlite_migrations rename column applied_at to applied",
    "pragma user_version = 99",
)


def mutate_log(path: Path, outside: Path, rng: random.Random) -> str:
    """Change a closed log; returns in words what was done."""
    done = []
    deeds = rng.choices(DEEDS, k=rng.choice((1, 1, 1, 2, 4)))
    for deed in sorted(deeds, key=lambda deed: deed is link):  # last: the others would follow the link
        try:
            done.append(f"{deed.__name__}: {deed(path, outside, rng)}")
        except (sqlite3.Error, ValueError, IndexError, OverflowError) as error:
            done.append(f"{deed.__name__} failed: {error}")
    return "; ".join(done)


def flip(path: Path, _: Path, rng: random.Random) -> str:
    data = bytearray(path.read_bytes())
    places = [rng.randrange(len(data)) for _ in range(rng.choice((1, 3, 30, 300)))]
    for at in places:
        data[at] ^= 1 << rng.randrange(8)
    path.write_bytes(bytes(data))
    return str(places[:3])


def tear(path: Path, _: Path, rng: random.Random) -> str:
    size = rng.randrange(path.stat().st_size)
    os.truncate(path, size)
    return str(size)


def overwrite(path: Path, _: Path, rng: random.Random) -> str:
    data = path.read_bytes()
    at = rng.randrange(max(1, len(data) // 4096)) * 4096
    path.write_bytes(data[:at] + rng.randbytes(4096) + data[at + 4096 :])
    return str(at)


def set_value(path: Path, _: Path, rng: random.Random) -> str:
    with without_triggers(path) as db:
        table = rng.choice(TABLES)
        column = rng.choice([row[1] for row in db.execute(f"pragma table_info({table})")])
        value = rng.choice(ODD)
        one = f" where rowid = {rng.randrange(1, 40)}" if table not in ("tag", "answer") else ""
        which = rng.choice(("", one))
        db.execute(f"update or ignore {table} set {column} = ?{which}", (value,))
        return f"{table}.{column} = {str(value)[:30]!r}{which}"


def set_body(path: Path, _: Path, rng: random.Random) -> str:
    """In the midst of a record, with its checksum right."""
    with without_triggers(path) as db:
        rows = db.execute("select id, number, wall, monotonic, kind, body from record").fetchall()
        id, number, wall, monotonic, kind, body = rng.choice(rows)
        form = json.loads(body)
        where = mutate_json(form, rng)
        body = json.dumps(form)
        crc = checksum(number, wall, monotonic, kind, body)
        db.execute("update record set body = ?, crc = ? where id = ?", (body, crc, id))
        return f"{kind} {where}"


def mutate_json(form: Any, rng: random.Random) -> str:
    """Put something odd anywhere into it."""
    places: list[tuple[Any, Any]] = []

    def collect(part: Any) -> None:
        for key, value in part.items() if isinstance(part, dict) else enumerate(part):
            places.append((part, key))
            if isinstance(value, dict | list):
                collect(value)

    if isinstance(form, dict | list):  # not after an earlier change
        collect(form)
    if not places:
        return "nothing"
    part, key = rng.choice(places)
    odd = [value for value in ODD if not isinstance(value, bytes)]
    part[key] = rng.choice([*odd, [], {}, [[[]]], {"kind": "Correct"}, 10**30, True])
    return f"{key} = {str(part[key])[:30]!r}"


def cut(path: Path, _: Path, rng: random.Random) -> str:
    with without_triggers(path) as db:
        table = rng.choice(("episode", "record", "picture", "answer", "segment"))
        which = "" if rng.random() < 0.5 else f" where rowid % 3 = {rng.randrange(3)}" * (table != "answer")
        db.execute(f"delete from {table}{which}")
        return table + which


def foreign(path: Path, _: Path, rng: random.Random) -> str:
    sql = rng.choice(FOREIGN)
    db = sqlite3.connect(path)
    db.executescript(sql)
    db.close()
    return sql[:40]


def link(path: Path, outside: Path, rng: random.Random) -> str:
    """A link, or something else, where the log keeps a file of its own."""
    folders = [path.with_name(f"{path.name}-{what}") for what in ("pictures", "films")]
    inside = [p for folder in folders if not folder.is_symlink() for p in folder.glob("*")]
    parts = ("-wal", "-shm", "-journal", "-live", "-films", "-pictures")
    beside = [path.with_name(path.name + part) for part in parts]
    at = rng.choice([*inside, *beside])
    target = rng.choice((outside, outside / "canary", Path("/dev/zero"), outside / f"{'0' * 64}.mp4"))
    if at.is_dir() and not at.is_symlink():
        at.rename(at.with_name(at.name + "-old"))
    at.unlink(missing_ok=True)
    if rng.random() < 0.5 and at.name.endswith("-journal"):
        at.write_bytes(super_journal(path, outside / "canary"))
    else:
        at.symlink_to(target)
    return f"{at.name} -> {target}"


def super_journal(path: Path, victim: Path) -> bytes:
    """A rollback journal that makes SQLite remove `victim`, a file that has nothing to do with the log."""
    magic, name = bytes.fromhex("d9d505f920a163d7"), str(victim).encode()
    pages = (path.stat().st_size // 4096).to_bytes(4, "big")
    sizes = b"".join(n.to_bytes(4, "big") for n in (512, 4096))
    head = (magic + bytes(4) + b"seed" + pages + sizes).ljust(512, b"\0")
    locked = (0x40000000 // 4096 + 1).to_bytes(4, "big")
    return head + locked + name + len(name).to_bytes(4, "big") + sum(name).to_bytes(4, "big") + magic


DEEDS = (flip, flip, tear, overwrite, set_value, set_value, set_body, set_body, cut, foreign, link)


def mutate_export(path: Path, rng: random.Random) -> str:
    """Change an export in JSON Lines; returns in words what was done."""
    lines = path.read_text().splitlines()
    deed = rng.randrange(5)
    if deed == 0:
        flip(path, path, rng)
        return "flipped"
    if deed == 1:
        tear(path, path, rng)
        return "torn"
    at = rng.randrange(len(lines))
    if deed == 2:
        form = json.loads(lines[at])
        said = mutate_json(form, rng)
        lines[at] = json.dumps(form)
    elif deed == 3:
        said = f"line {at} gone"
        del lines[at]
    else:
        other = rng.randrange(len(lines))
        said = f"line {at} at {other}"
        lines.insert(other, lines[at])
    path.write_text("\n".join(lines))
    return said
