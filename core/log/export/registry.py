"""Exporters, by the extension of the file that they write.

An exporter's `make` takes `options` and returns a function of the log, the episodes (full ids) and the file,
which returns how many of `unit` were written. An OSError is `export`'s to word, which also sees to it that a
file is written whole or not at all.
"""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from pathlib import Path

from pydantic import Field

from core.data_file import replacing
from core.errors import BadValue, UnknownName
from core.log.database import as_log_error
from core.log.integrity.validation import excerpt
from core.log.store import EpisodeFilter, Store
from core.registry import Entry, Options, Registry, late, requires_package

OVER_ALL = ("agreement", "judgement")
OF_EPISODES = (
    *("episodes", "questions", "overrides", "replans", "stops", "costs", "bookmarks", "judged", "records"),
)
VIEWS = (*OF_EPISODES, *OVER_ALL)
Exporter = Callable[[Store, Sequence[str], Path], int]  # raises ConsoleError, OSError

LogView = Enum("LogView", {view: view for view in VIEWS})  # type: ignore[misc]


class JsonlOptions(Options):
    pictures: bool = Field(True, description="With the pictures and the live video.")


class CsvOptions(Options):
    table: LogView = Field(LogView("episodes"), description="Which of the log's tables.")


@dataclass(frozen=True)
class ExporterEntry(Entry[Exporter]):
    """An exporter; `name` is the file's extension without its dot."""

    unit: str = "record"  # what is counted
    single_episode: bool = False  # a file can hold only one episode


def _jsonl(options: JsonlOptions) -> Exporter:
    write = late("core.log.export.jsonl:export")
    return lambda store, episodes, to: write(store, episodes or _all_episodes(store), to, options.pictures)


def _csv(options: CsvOptions) -> Exporter:
    return lambda store, episodes, to: export_table(store, options.table.value, to, episodes)


def _parquet(options: Options) -> Exporter:
    return lambda store, episodes, to: late("core.log.export.judged:export")(store, to, episodes)


def _lerobot(options: Options) -> Exporter:
    write = late("core.log.export.lerobot:export")
    return lambda store, episodes, to: write(store, episodes or _all_episodes(store), to)


def _of_one(module: str) -> Callable[[Options], Exporter]:
    """Return what makes the exporter of a single episode in this module."""
    write = late(f"core.log.export.{module}:export")
    return lambda options: lambda store, episodes, to: write(store, episodes[0], to)


OURS = (
    ExporterEntry("jsonl", "JSON Lines", "Record for record, to be taken in again.", _jsonl, JsonlOptions),
    ExporterEntry("csv", "CSV", "A table of the log, for statistics programs.", _csv, CsvOptions, unit="row"),
    ExporterEntry("parquet", "Parquet", "Judged questions with their pictures, to train with.", _parquet,
                  missing=requires_package("pyarrow", "datasets"), unit="question"),
    ExporterEntry("lerobot", "LeRobot data set", "A folder of an arm's episodes with live video.", _lerobot,
                  missing=requires_package("pyarrow", "datasets"), unit="frame"),
    ExporterEntry("html", "Report", "A page for people, with the pictures.", _of_one("report"),
                  single_episode=True),
    ExporterEntry("mcap", "MCAP", "For Foxglove.", _of_one("foxglove"),
                  missing=requires_package("mcap_protobuf", "mcap"), single_episode=True),
    ExporterEntry("mp4", "Video", "What was looked at, with captions.", _of_one("video"),
                  missing=requires_package("av", "video"), unit="caption", single_episode=True),
)  # fmt: skip
EXPORTERS: Registry[Exporter] = Registry("exporter", OURS, ExporterEntry)


def extensions(episodes: int = 1) -> tuple[str, ...]:
    """Return the file extensions to which this number of episodes can be exported."""
    found = (e for e in EXPORTERS if isinstance(e, ExporterEntry))
    return tuple(f".{e.name}" for e in found if episodes == 1 or not e.single_episode)


def exporter_for(to: Path) -> ExporterEntry:
    """Return the exporter for such a file. Raises BadValue."""
    name = to.suffix.lower().removeprefix(".")
    if name not in EXPORTERS:
        raise BadValue(f"The ending of {to.name!r} names no format: take {', '.join(extensions())}.")
    entry = EXPORTERS[name]
    assert isinstance(entry, ExporterEntry)
    return entry


class Counted(list[str]):
    """Episodes that report how many of them were taken, each time that they are gone through."""

    def __init__(self, episodes: Iterable[str], report: Callable[[int, int], None]) -> None:
        super().__init__(episodes)
        self._report = report

    def __iter__(self) -> Iterator[str]:
        for done, episode in enumerate(super().__iter__()):
            self._report(done, len(self))
            yield episode


def export(
    store: Store, episodes: Sequence[str], to: Path, options: Mapping[str, object] | None = None
) -> int:
    """Write these episodes (full ids; none means all) and return how many of the entry's units were written.

    Without all of them there is no file, or the one that was there before. Raises ConsoleError.
    """
    exporter_for(to)
    with replacing(to) as part:
        return export_directly(store, episodes, part, options)


def export_directly(
    store: Store, episodes: Sequence[str], to: Path, options: Mapping[str, object] | None = None
) -> int:
    """Do as `export`, into a file that the caller removes if it fails. Raises ConsoleError, OSError."""
    entry = exporter_for(to)
    if entry.single_episode and len(episodes) != 1:
        raise BadValue(
            f"A .{entry.name} file holds one episode, and {len(episodes) or 'none'} is given: name one."
        )
    return entry.build(options=entry.read_options(options or {}))(store, episodes, to)


def export_table(store: Store, view: str, to: Path, episodes: Sequence[str] = ()) -> int:
    """Write one of VIEWS with its column names and return the number of rows.

    It covers all episodes or, with OF_EPISODES, these (full ids). Raises UnknownName, LogError, OSError.
    """
    known = OF_EPISODES if episodes else VIEWS
    if episodes and view in OVER_ALL:
        raise BadValue(f"The table {view} is of the whole log: name no episodes.")
    if view not in known:
        raise UnknownName("table to export", view, known)
    where = f" where episode in ({', '.join('?' * len(episodes))})" if episodes else ""
    with as_log_error(store.path):
        found = store.db.execute(f"select * from {view}{where}", tuple(episodes))

    def rows() -> Iterator[Sequence[object]]:  # an error of the log is none of the file's
        with as_log_error(store.path):
            yield from found

    with to.open("w", encoding="utf-8", errors="replace", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(column[0] for column in found.description)
        return sum(1 for row in rows() if writer.writerow(map(_cell, row)))


# Text that a spreadsheet takes for a formula is prefixed with an apostrophe: it may come from a model.
FORMULA = tuple("=+-@\t\r\n＝＋－＠")


def _cell(value: object) -> object:
    if not isinstance(value, str):
        return value if isinstance(value, int | float | None) else excerpt(value)
    return f"'{value}" if value.lstrip(" ").startswith(FORMULA) else value


def _all_episodes(store: Store) -> list[str]:
    return [s.episode for s in store.episodes(EpisodeFilter(kinds=()), descending=False, limit=-1)]
