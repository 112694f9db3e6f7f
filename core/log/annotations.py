"""Tag, annotate, bookmark and permanently delete recorded episodes."""

from __future__ import annotations

import time
from dataclasses import dataclass

from core.errors import LogError
from core.log import lease, sidecar
from core.log.database import as_log_error, transaction
from core.log.integrity import validation
from core.log.picture_store import PictureStore
from core.log.store import Store
from core.log.video import segments


@dataclass(frozen=True)
class EpisodeNote:
    """A note. `number` is that of the record it is about; None: the whole episode."""

    id: int
    number: int | None
    wall: float  # Unix time
    by: str
    text: str


class EpisodeAnnotations:
    """The annotations in a store, for the store's thread. Raises UnknownName, LogError.

    Episodes are named by their ids. A deleted episode is hidden at once and can be restored until `close`,
    which makes the deletion permanent.
    """

    def __init__(self, store: Store) -> None:
        self._store = store
        self._deleted: dict[str, int] = {}

    def tag(self, episode: str, name: str) -> None:
        self._store.execute("insert or ignore into tag values (?, ?)", (self._store.nr(episode), name))

    def untag(self, episode: str, name: str) -> None:
        values = (self._store.nr(episode), name)
        self._store.execute("delete from tag where episode = ? and name = ?", values)

    def tags(self, episode: str = "") -> tuple[str, ...]:
        """Return the tags of an episode, or all tags; sorted."""
        where, values = ("episode = ?", [self._store.nr(episode)]) if episode else ("true", [])
        sql = f"select distinct name from tag where {where} order by name"
        return tuple(name for (name,) in self._store.rows((str,), sql, values))

    def add_note(self, episode: str, text: str, by: str = "", number: int | None = None) -> int:
        """Add a note and return its id; with `number` it is a bookmark at that record."""
        values = (self._store.nr(episode), number, time.time(), by, text)
        sql = "insert into note(episode, number, wall, by, text) values (?, ?, ?, ?, ?)"
        return int(self._store.execute(sql, values).lastrowid or 0)

    def notes(self, episode: str) -> tuple[EpisodeNote, ...]:
        """Return an episode's notes in order of their records; those about the whole episode come first."""
        sql = "select id, number, wall, by, text from note where episode = ? order by number, id"
        return self._store.read(EpisodeNote, sql, (self._store.nr(episode),))

    def delete(self, episode: str) -> None:
        """Hide the episode now, delete it for good at `close`. Raises LogError while it is written."""
        nr = self._store.nr(episode)
        found = self._store.execute("select id, writer, ended from episode where nr = ?", (nr,))
        id, writer, ended = found.fetchone()
        if ended is None and lease.is_alive(self._store.path, writer):
            raise LogError(f"The episode {id} is being recorded: end it before it is deleted.")
        self._store.execute("update episode set deleted = ? where nr = ?", (time.time(), nr))
        self._deleted[id] = nr

    def undelete(self, episode: str) -> None:
        """Undo a deletion. Raises LogError for an episode that was not deleted in this window."""
        if episode not in self._deleted:
            raise LogError(f"The episode {episode} cannot be brought back: this window did not delete it.")
        self._store.execute("update episode set deleted = null where nr = ?", (self._deleted[episode],))
        del self._deleted[episode]

    @property
    def deleted(self) -> tuple[str, ...]:
        """Return the ids in the order of deletion."""
        return tuple(self._deleted)

    def close(self) -> None:
        """Make the deletions permanent. The store stays open."""
        doomed, self._deleted = list(self._deleted.values()), {}
        with as_log_error(self._store.path):
            purge(self._store, doomed)

    def __enter__(self) -> EpisodeAnnotations:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


_FORGET = """
insert into word(word, rowid, text) select 'delete', id, text from sayings
where episode = :nr and id <= (select indexed from episode where nr = :nr)
"""


def purge(store: Store, doomed: list[int]) -> None:
    """Overwrite on disk what belongs to these episodes (by `nr`) only.

    That is records, words, notes, pictures, picture strips and videos. Raises sqlite3.Error, OSError.
    """
    if not doomed:
        return
    db, album = store.db, PictureStore(store.db, store.path)
    db.execute("pragma secure_delete=on")
    with transaction(db):
        for nr in doomed:
            shown = "select distinct picture from record where episode = ? and picture is not null"
            pictures = [id for (id,) in db.execute(shown, (nr,))]
            db.execute("update episode set deleted = ifnull(deleted, 0) where nr = ?", (nr,))
            db.execute(_FORGET, {"nr": nr})
            db.execute("delete from label where record in (select id from record where episode = ?)", (nr,))
            segments.delete_segments(db, store.path, [nr])
            (id,) = db.execute("select id from episode where nr = ?", (nr,)).fetchone()
            if validation.is_episode(id):
                sidecar.remove_strip(store.path, id)
            for table in ("answer", "record", "tag", "note"):
                db.execute(f"delete from {table} where episode = ?", (nr,))
            db.execute("delete from episode where nr = ?", (nr,))
            for id in pictures:
                if not db.execute("select 1 from record where picture = ?", (id,)).fetchone():
                    db.execute("delete from picture where id = ?", (id,))
                    if validation.is_digest(id):
                        sidecar.remove(album.path_of(id))
        db.execute("insert into word(word) values ('optimize')")  # else words stay in the index's segments
    db.execute("pragma wal_checkpoint(truncate)")  # else the data stay in the write-ahead log
