"""Read the log: episodes page by page, their records, their pictures."""

from __future__ import annotations

import json
import re
import sqlite3
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, TypeVar

from core.errors import BadValue, LogError, UnknownName
from core.events import EPISODE, EpisodeResult, Event, FrameCaptured, Record
from core.log import lease
from core.log.codec import read_event
from core.log.database import as_log_error, connect, connect_read_only, default_path
from core.log.integrity import validation
from core.log.integrity.repair import REPAIRED, repair
from core.log.picture_store import PictureStore
from core.log.video import segments

FALSE_CLAIM = f"result = '{EpisodeResult.SUCCEEDED.value}' and not true_goal"  # as SQL
LATEST = "last"  # stands for the episode that was run last, whatever the clock said then
RECORDED = "recorded"  # the order in which the episodes came into the log, for the same reason
PAGE_RECORDS = 500  # records per page, or fewer if large; no cursor stays open in between
PAGE_CHARS = 4 * 2**20  # maximum characters per page
Values = Sequence[Any] | Mapping[str, Any]  # of a query's parameters
T = TypeVar("T")


@dataclass(frozen=True)
class EpisodeSummary:
    """One line of the list of episodes. Times are Unix time; None means not known (yet)."""

    episode: str
    began: float
    task: str
    domain: str
    method: str
    answerer: str
    robot: str
    seed: int | None
    parent: str | None  # the episode that this one was forked from
    result: EpisodeResult | None  # None: being written now; INTERRUPTED, if its program is gone
    reason: str | None
    believed_goal: bool | None
    true_goal: bool | None  # None: no simulator judged it
    turns: int | None
    steps: int | None
    failures: int | None
    replans: int | None
    calls: int | None
    questions: int | None
    overrides: int | None
    contradictions: int | None
    stops: int | None
    seconds: float | None
    cost: float | None  # US dollars; None: no prices known
    recorded_as: str = EPISODE  # or what it is else: a draft, a search


_KILLED = "The program ended in the middle of it."  # the next start writes that into the log
COLUMNS = tuple(f.name for f in fields(EpisodeSummary))
_SELECT = """id, began, task, domain,
    settings ->> '$.method' as method, settings ->> '$.answerer' as answerer,
    settings ->> '$.robot' as robot, cast(settings ->> '$.seed' as integer) as seed,
    settings ->> '$.parent' as parent,
    result, reason, believed_goal, true_goal, turns, steps, failures, replans, calls, questions,
    overrides, contradictions, stops, seconds, cost, recorded_as, writer from episode"""


FACETS = {  # by what episodes are filtered and grouped, as SQL on table `episode`
    "model": "cast(ifnull(settings ->> '$.answerer', '') as text)",
    "robot": "cast(ifnull(settings ->> '$.robot', '') as text)",
    "method": "cast(ifnull(settings ->> '$.method', '') as text)",
    "task": "task",
    "seed": "cast(ifnull(settings ->> '$.seed', '') as text)",
    "openness": "cast(ifnull(settings ->> '$.openness', '') as text)",
    "result": "ifnull(result, '')",
    "fork": "iif(ifnull(settings ->> '$.parent', '') = '', 'no', 'yes')",
}
TAG = "tag"  # a facet as well; an episode has any number of tags


@dataclass(frozen=True)
class EpisodeFilter:
    """Which episodes to list; an empty field does not restrict them."""

    tasks: Sequence[str] = ()
    results: Sequence[EpisodeResult] = ()
    tags: Sequence[str] = ()  # any of them
    text: str = ""  # all words, as in `search`, or the exact text in a tag or a note
    overridden: bool = False  # only with overrides
    false_claims: bool = False  # only where the goal was claimed but not reached
    facets: Sequence[tuple[str, str]] = ()  # name of FACETS or TAG, and the value; all of them; tag "": none
    kinds: Sequence[str] = (EPISODE,)  # others are no episodes: a draft, a search
    ids: Sequence[str] = ()  # only these (full ids)

    def where(self) -> tuple[str, list[object]]:
        """Return a condition on table `episode`, and its values. Raises BadValue for text without words."""
        parts: list[str] = ["deleted is null"]
        values: list[object] = []
        results = [r.value for r in self.results]
        for column, wanted in (("recorded_as", self.kinds), ("task", self.tasks), ("result", results)):
            if wanted:
                parts.append(f"{column} in ({', '.join('?' * len(wanted))})")
                values += wanted
        if self.tags:
            parts.append(f"nr in (select episode from tag where name in ({', '.join('?' * len(self.tags))}))")
            values += self.tags
        if self.text:
            found = (
                "select r.episode from word join record r on r.id = word.rowid where word match ? "
                "union select episode from tag where instr(lower(name), lower(?)) "
                "union select episode from note where instr(lower(text), lower(?))"
            )
            parts.append(f"nr in ({found})")
            values += [fts_query(self.text)[0], self.text.strip(), self.text.strip()]
        for name, value in self.facets:
            if name != TAG:
                parts.append(f"{FACETS[name]} = ?")
            elif value:
                parts.append("nr in (select episode from tag where name = ?)")
            else:
                parts.append("nr not in (select episode from tag where name <> ?)")
            values.append(value)
        if self.ids:
            parts.append("id in (select value from json_each(?))")
            values.append(json.dumps(list(self.ids)))
        if self.overridden:
            parts.append("overrides > 0")
        if self.false_claims:
            parts.append(FALSE_CLAIM)
        return " and ".join(parts), values


def fts_query(words: str) -> tuple[str, list[str]]:
    """Return an FTS5 query, safe for any characters in the words, and the terms."""
    parts = [phrase or word for phrase, word in re.findall(r'"([^"]*)"|([^\s"]+)', words)]
    terms = [term for term in (part.strip() for part in parts) if re.search(r"\w", term)]
    if not terms:
        raise BadValue(f"There is no word to search for in {words!r}: give at least one.")
    return " ".join(f'"{term}" *' for term in terms), terms


class Store:
    """An open log. Every method belongs to the thread that opened it."""

    def __init__(
        self,
        db: sqlite3.Connection,
        path: Path,
        upgraded: tuple[str, ...] = (),
        repaired: tuple[str, ...] = (),
    ) -> None:
        self.db, self.path = db, path
        self.repaired = repaired  # episodes found interrupted and closed as such
        self.notices = (*upgraded, *map(REPAIRED.format, repaired))  # what a person should know
        self._pictures = PictureStore(db, path)

    @classmethod
    def open(cls, path: Path | str | None = None, read_only: bool = False) -> Store:
        """Open a log, by default the user's; `read_only` repairs and creates nothing. Raises LogError."""
        from core.log.schema import check_version, migrate

        place = Path(path) if path is not None else default_path()
        with as_log_error(place):
            db = connect_read_only(place) if read_only else connect(place)
            try:
                if read_only:
                    check_version(db, place)
                    return cls(db, place)
                upgraded = migrate(db, place)
                return cls(db, place, upgraded, repair(db, place, time.time()))
            except BaseException:
                db.close()
                raise

    def rows(self, kinds: Sequence[Any], sql: str, values: Values = ()) -> list[tuple[Any, ...]]:
        """Return a query's rows, with columns of these types (`int | None` and the like). Raises LogError."""
        with as_log_error(self.path):
            found = self.db.execute(sql, values).fetchall()
        return [validation.parse_columns(kinds, row) for row in found]

    def read(self, kind: type[T], sql: str, values: Values = ()) -> tuple[T, ...]:
        """Return what a query finds as values of a dataclass, with its fields as columns. Raises LogError."""
        with as_log_error(self.path):
            found = self.db.execute(sql, values).fetchall()
        return tuple(validation.parse_row(kind, row) for row in found)

    def execute(self, sql: str, values: Values = ()) -> sqlite3.Cursor:
        """Change something. Raises LogError."""
        with as_log_error(self.path):
            return self.db.execute(sql, values)

    def close(self) -> None:
        self.db.close()

    def __enter__(self) -> Store:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def episodes(
        self,
        which: EpisodeFilter = EpisodeFilter(),
        order: str = RECORDED,
        descending: bool = True,
        limit: int = 50,
        offset: int = 0,
    ) -> tuple[EpisodeSummary, ...]:
        """Return one page; `order` is RECORDED or any of COLUMNS. Raises UnknownName, LogError."""
        if order not in (RECORDED, *COLUMNS):
            raise UnknownName("column", order, (RECORDED, *COLUMNS))
        where, values = which.where()
        column, way = {"episode": "id", RECORDED: "nr"}.get(order, order), "desc" if descending else "asc"
        with as_log_error(self.path):
            rows = self.db.execute(
                f"select {_SELECT} where {where} order by {column} {way}, nr {way} limit ? offset ?",
                (*values, limit, offset),
            ).fetchall()
        return tuple(map(self._summary, rows))

    def count(self, which: EpisodeFilter = EpisodeFilter()) -> int:
        where, values = which.where()
        return int(self.rows((int,), f"select count(*) from episode where {where}", values)[0][0])

    def summary(self, episode: str) -> EpisodeSummary:
        """Return the summary of the only episode whose id begins with this. Raises UnknownName, LogError."""
        nr = self.nr(episode)
        with as_log_error(self.path):
            return self._summary(self.db.execute(f"select {_SELECT} where nr = ?", (nr,)).fetchone())

    def _summary(self, row: Sequence[object]) -> EpisodeSummary:
        *values, writer = row
        named = dict(zip(COLUMNS, values, strict=True))
        for name in ("method", "answerer", "robot"):
            named[name] = named[name] or ""
        if named["result"] is None and not lease.is_alive(self.path, writer):
            named["result"], named["reason"] = EpisodeResult.INTERRUPTED.value, _KILLED
        summary = validation.parse_row(EpisodeSummary, list(named.values()))
        validation.episode_id(summary.episode)
        validation.check_header(1, summary.began, 0.0)
        return summary

    def nr(self, episode: str) -> int:
        """Return an episode's key, from its id, the beginning of it, or "last". Raises UnknownName."""
        with as_log_error(self.path):
            if episode == LATEST:
                latest = self.db.execute(
                    "select id from shown order by writer = ?, nr desc limit 1", (validation.IMPORT_WRITER,)
                ).fetchone()
                episode = latest[0] if latest else episode
            rows = self.db.execute(
                "select nr, id from episode where id >= ? and id < ? and deleted is null limit 2",
                (episode, episode + "\U0010ffff"),
            ).fetchall()
            exact = [(nr, id) for nr, id in rows if id == episode or len(rows) == 1]
            if episode and exact:
                validation.episode_id(exact[0][1])
                return int(exact[0][0])
            known = self.db.execute("select id from episode where deleted is null order by nr desc limit 100")
            names = [id for (id,) in known if validation.is_episode(id)]
            raise UnknownName("episode", validation.excerpt(episode), names)

    def records(self, episode: str, first: int = 1, last: int | None = None) -> Iterator[Record]:
        """Yield an episode's records in order, from number `first` to `last`. Raises UnknownName, LogError.

        Frames come without their pixels: see `picture`. With "" the records outside any episode are returned,
        in the order in which they came.
        """
        nr = self.nr(episode) if episode else None
        place = "number" if episode else "id"  # several programs number them from 1
        last = last if last is not None else 2**62
        while True:
            rows, more = self._page(place, nr, first, last)
            for key, id, number, wall, monotonic, kind, body in rows:
                validation.check_header(number, wall, monotonic)
                yield Record(id, number, float(wall), float(monotonic), _event(kind, body))
                first = (number if episode else key) + 1
            if not more:
                return

    def _page(self, place: str, nr: int | None, first: int, last: int) -> tuple[list[tuple[Any, ...]], bool]:
        """Return the next rows, and whether there may be more."""
        rows: list[tuple[Any, ...]] = []
        size = 0
        with as_log_error(self.path):
            found = self.db.execute(
                "select r.id, ifnull(e.id, ''), number, wall, monotonic, kind, body "
                "from record r left join episode e on e.nr = r.episode "
                f"where r.episode is ? and r.{place} between ? and ? order by r.{place} limit ?",
                (nr, first, last, PAGE_RECORDS),
            )
            for row in found:
                rows.append(row)
                size += len(row[6]) if isinstance(row[6], str | bytes) else 0
                if size > PAGE_CHARS:
                    break
            found.close()
        return rows, len(rows) == PAGE_RECORDS or size > PAGE_CHARS

    def picture(self, id: str) -> bytes:
        """Return the exact bytes that the model received (PNG). Raises LogError if there are none."""
        with as_log_error(self.path):
            return self._pictures.read(id)

    def segments(self, episode: str) -> tuple[segments.Segment, ...]:
        """Return the live video of an episode, in order of time. Raises UnknownName, LogError."""
        nr = self.nr(episode)
        with as_log_error(self.path):
            return segments.read_segments(self.db, nr)

    def segment_video(self, hash: str) -> bytes:
        """Return the MP4 bytes of a segment. Raises LogError if it is missing."""
        return segments.read_video(self.path, hash)


def _event(kind: object, body: object) -> Event:
    """Parse an event. Raises LogError, also for a picture id that is not a digest."""
    event = read_event(*validation.parse_columns((str, str), (kind, body)))
    if isinstance(event, FrameCaptured) and event.frame.id and not validation.is_digest(event.frame.id):
        raise LogError(
            f"A record shows a picture named {validation.excerpt(event.frame.id)!r}: verify the log."
        )
    return event
