"""Videos beside the database, each stored once under the SHA-256 of its bytes, and their rows."""

from __future__ import annotations

import hashlib
import re
import sqlite3
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from core.errors import LogError
from core.log import lease, sidecar
from core.log.database import transaction
from core.log.integrity import validation

PART = ".part"  # a video that is being written, named after its writer's lease


@dataclass(frozen=True)
class Segment:
    """Some seconds of one camera's live video, with times on the recorder's clock (`Record.monotonic`)."""

    camera: str
    started: float
    ended: float
    hash: str
    bytes: int
    dropped: int  # frames dropped because the machine was busy


def folder(database: Path) -> Path:
    return sidecar.folder(database, "films")


def video_path(database: Path, hash: str) -> Path:
    """Return the path of a video. Raises LogError for an invalid hash."""
    if not validation.is_digest(hash):
        raise LogError(f"{validation.excerpt(hash)!r} names no video: verify the log.")
    return folder(database) / f"{hash}.mp4"


def file_digest(video: Path) -> str:
    """Return the SHA-256 of a plain file, in hex. Raises OSError."""
    with open(sidecar.open_plain(video), "rb") as opened:
        return hashlib.file_digest(opened, "sha256").hexdigest()


def add(db: sqlite3.Connection, database: Path, episode: str, segment: Segment, part: Path) -> bool:
    """Move a finished video into place and add its row; False (and deleted) if its episode is gone.

    Uses its own transaction, which does not wait for the disk: call `sidecar.sync` first. Raises
    sqlite3.Error, OSError.
    """
    with transaction(db):
        row = db.execute("select nr from episode where id = ? and deleted is null", (episode,)).fetchone()
        if row:
            insert(db, row[0], segment)
            part.replace(video_path(database, segment.hash))
    if not row:
        part.unlink(missing_ok=True)
    return bool(row)


def insert(db: sqlite3.Connection, nr: int, s: Segment) -> None:
    db.execute(
        "insert into segment(episode, camera, started, ended, hash, bytes, dropped) values (?,?,?,?,?,?,?)",
        (nr, s.camera, s.started, s.ended, s.hash, s.bytes, s.dropped),
    )


def write_video(database: Path, hash: str, mp4: bytes) -> None:
    """Store a video that came from elsewhere, before its row is added. Raises OSError."""
    sidecar.write(path := video_path(database, hash), mp4)
    sidecar.sync(path)


def read_segments(db: sqlite3.Connection, nr: int) -> tuple[Segment, ...]:
    """Return an episode's segments in order of time. Raises LogError for an invalid one."""
    rows = db.execute(
        "select camera, started, ended, hash, bytes, dropped from segment where episode = ? "
        "order by started, id",
        (nr,),
    )
    return tuple(validated(validation.parse_row(Segment, row)) for row in rows)


def validated(s: Segment) -> Segment:
    """Return the segment. Raises LogError for values that no camera can have produced."""
    long, sized = validation.MAX_CLOCK, s.bytes >= 0 and s.dropped >= 0
    if not (validation.is_digest(s.hash) and 0 <= s.started <= s.ended <= long and sized):
        raise LogError(
            f"A video of the log has an impossible name, time or size ({validation.excerpt(s.hash, 12)})."
        )
    return s


def read_video(database: Path, hash: str) -> bytes:
    """Return the bytes of a video. Raises LogError if it is missing or has been changed."""
    try:
        video = sidecar.read(video_path(database, hash))
    except OSError as error:
        raise LogError(f"The video {hash[:12]} cannot be read beside the log ({error.strerror}).") from error
    if hashlib.sha256(video).hexdigest() != hash:
        raise LogError(f"The video {hash[:12]} is not as it was written: verify the log.")
    return video


def delete_segments(db: sqlite3.Connection, database: Path, episodes: Iterable[int]) -> None:
    """Delete the segments of these episodes (by `nr`), and every video that no other episode uses.

    Runs within the caller's transaction. Raises sqlite3.Error, OSError.
    """
    for nr in episodes:
        hashes = {hash for (hash,) in db.execute("select hash from segment where episode = ?", (nr,))}
        db.execute("delete from segment where episode = ?", (nr,))
        for hash in hashes:
            gone = not db.execute("select 1 from segment where hash = ?", (hash,)).fetchone()
            if gone and validation.is_digest(hash):
                sidecar.remove(video_path(database, hash))


def remove_stale(db: sqlite3.Connection, database: Path) -> None:
    """Remove what a dead writer left: an incomplete video, or one without a row. Raises sqlite3.Error."""
    if not _stale_files(db, database):
        return
    with transaction(db):  # no other process is between writing a video and its row now
        for path in _stale_files(db, database):
            with suppress(OSError):  # the log can be used regardless
                path.unlink()


def _stale_files(db: sqlite3.Connection, database: Path) -> list[Path]:
    known = {hash for (hash,) in db.execute("select hash from segment")}
    paths = list(sidecar.files(folder(database)))
    videos = [p for p in paths if p.suffix == ".mp4" and validation.is_digest(p.stem)]
    parts = [p for p in paths if p.suffix == PART and _PART_OF.fullmatch(p.name.partition(".")[0])]
    orphans = [p for p in videos if p.stem not in known]
    return orphans + [p for p in parts if not lease.is_alive(database, p.name.partition(".")[0])]


_PART_OF = re.compile(f"{validation.WRITER_PATTERN.pattern}|{validation.DIGEST_PATTERN.pattern}")
