"""Define jobs of any kind, which run in several processes, and keep their rows in an SQLite file.

It holds with each row all that repeats the job. Only one process writes.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from contextlib import closing
from dataclasses import MISSING, asdict, dataclass, field, fields
from pathlib import Path
from typing import Any, Generic, Protocol, TypeVar, get_type_hints

from core.data_file import check
from core.errors import BadFile, ConsoleError
from core.log.database import DAMAGE_ERRORS, refuse_foreign_journals, restrict
from core.stop_token import StopToken
from core.text.untrusted_text import one_line

R_co = TypeVar("R_co", covariant=True)
R = TypeVar("R")
Kept = dict[object, Any]  # what a process keeps from one job to the next, such as planners with their plans


class Job(Protocol[R_co]):
    """Work that gives a row: a frozen value that can be hashed, and sent to another process.

    The row is a dataclass of text, numbers and truth values. An episode with its settings is one kind of job
    (`Trial`).
    """

    @property
    def key(self) -> str:
        """Return all that repeats the job; its row is stored under this."""

    def run(self, kept: Kept, cancel: StopToken) -> R_co:
        """Do the work, in any process. Whatever it raises costs this job only."""


J = TypeVar("J", bound=Job[Any])


@dataclass(frozen=True)
class JobKind(Generic[J, R]):
    """What a store and a table know of one kind of jobs."""

    name: str  # of one job, and of its table in the file
    row: type[R]
    columns: Mapping[str, Callable[[J], object]]  # of a job, by name, before those of its row
    key: str = "key"  # the name of the column of the keys

    def table(self, finished: Mapping[J, R]) -> list[dict[str, object]]:
        """Return a row for each job: its columns and its result's."""
        return [
            {name: of(job) for name, of in self.columns.items()} | asdict(row)  # type: ignore[call-overload]
            for job, row in finished.items()
        ]


@dataclass(frozen=True)
class FailedJob:
    """A job without a row, and why."""

    reason: str


class Executor(Protocol):
    """Runs jobs in several processes, here or elsewhere."""

    def run(self, jobs: Iterable[J]) -> Generator[tuple[J, Any], None, None]:
        """Yield each job with its row or a FailedJob, in the order of completion.

        Closing the iterator ends the processes; a job that is running then yields nothing. A process that
        dies costs only its current job.
        """


def run_job(job: Job[R], kept: Kept) -> R | FailedJob:
    """Run one job; whatever breaks costs this job only."""
    try:
        return job.run(kept, StopToken())
    except ConsoleError as error:
        return FailedJob(str(error))
    except Exception as error:
        return FailedJob(f"A part of the program broke ({type(error).__name__}: {error}).")


_BUSY_SECONDS = 30.0


class JobStore(Generic[J, R]):
    """Stores jobs of one kind; each is on disk when `put` returns. Raises BadFile."""

    def __init__(self, path: Path, kind: JobKind[J, R]) -> None:
        self._path, self._kind = path, kind
        self._fields = tuple(f.name for f in fields(kind.row))  # type: ignore[arg-type]
        self._remedy = f"Name another file for the {kind.name}s"
        names = (*kind.columns, *self._fields)
        if os.path.lexists(path) and not path.is_file():
            raise BadFile(path, "it is no regular file", remedy=self._remedy)
        refuse_foreign_journals(path)
        try:
            self._db = restrict(sqlite3.connect(path, timeout=_BUSY_SECONDS))
            found = set(self._db.execute("select type, name from sqlite_master"))
            if found - {("table", kind.name), ("index", f"sqlite_autoindex_{kind.name}_1")}:
                self._db.close()
                log = ("table", "episode") in found
                what = "this is an episode log" if log else f"it holds more than {kind.name}s"
                raise BadFile(path, what, remedy=self._remedy)
            with self._db:
                self._db.execute("pragma journal_mode=wal")
                self._db.execute("pragma synchronous=normal")
                columns = ", ".join((f"{kind.key} text primary key", *names))
                self._db.execute(f"create table if not exists {kind.name} ({columns})")
                here = {column for _, column, *_ in self._db.execute(f"pragma table_info({kind.name})")}
                for name in names:
                    if name not in here:  # an older version made the file
                        self._db.execute(f"alter table {kind.name} add column {name}")
        except DAMAGE_ERRORS as error:
            raise self._unusable(error) from error

    def put(self, job: J, row: R) -> None:
        values = {self._kind.key: job.key}
        values |= {name: of(job) for name, of in self._kind.columns.items()} | asdict(row)  # type: ignore
        marks = ", ".join("?" * len(values))
        try:
            with self._db:
                self._db.execute(
                    f"insert or replace into {self._kind.name} ({', '.join(values)}) values ({marks})",
                    tuple(values.values()),
                )
        except DAMAGE_ERRORS as error:
            raise self._unusable(error) from error

    def finished(self, jobs: Iterable[J]) -> dict[J, R]:
        """Return the stored rows of these jobs; a job without one is left out. Raises BadFile."""
        columns = ", ".join((self._kind.key, *self._fields))
        try:
            with closing(self._db.execute(f"select {columns} from {self._kind.name}")) as rows:
                here = {key: values for key, *values in rows}
        except DAMAGE_ERRORS as error:
            raise self._unusable(error) from error
        return {job: self._row(here[key]) for job in jobs if (key := job.key) in here}

    def forget(self, jobs: Iterable[J]) -> None:
        """Delete these jobs, which are to be run again."""
        kind = self._kind
        try:
            with self._db:
                self._db.executemany(
                    f"delete from {kind.name} where {kind.key} = ?", ((job.key,) for job in jobs)
                )
        except sqlite3.Error as error:
            raise self._unusable(error) from error

    def close(self) -> None:
        self._db.close()

    def __enter__(self) -> JobStore[J, R]:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _unusable(self, error: Exception) -> BadFile:
        what = f"the {self._kind.name}s cannot be kept there ({one_line(error, 200)})"
        return BadFile(self._path, what, remedy="Name another file")

    def _row(self, values: list[Any]) -> R:
        """Read a row; what a file of an older version lacks has its default."""
        given = dict(zip(self._fields, values, strict=True))
        hints = get_type_hints(self._kind.row)
        for f in fields(self._kind.row):  # type: ignore[arg-type]
            if given[f.name] is None and f.default is not MISSING:
                given[f.name] = f.default
            elif hints[f.name] in (bool, bool | None) and given[f.name] in (0, 1):
                given[f.name] = bool(given[f.name])
        return check(self._kind.row, given, self._path, self._remedy)


@dataclass
class JobResults(Generic[J, R]):
    """All that is known of the jobs: rows, and why there is none."""

    finished: dict[J, R]
    lost: dict[J, str] = field(default_factory=dict)


def run_jobs(
    jobs: Sequence[J],
    store: JobStore[J, R],
    executor: Executor,
    resume: bool = False,
    progress: Callable[[JobResults[J, R]], None] = lambda results: None,
) -> JobResults[J, R]:
    """Run the jobs, saving each row at once. With `resume`, those in `store` are not run again, but lost ones
    are; without it, they are forgotten first.

    `progress` is called after each job. Ctrl+C ends it with the jobs finished so far. Raises BadFile if a row
    cannot be saved.
    """
    if not resume:
        store.forget(jobs)
    found = JobResults(store.finished(jobs))
    progress(found)
    try:
        with closing(executor.run([job for job in jobs if job not in found.finished])) as results:
            for job, result in results:
                if isinstance(result, FailedJob):
                    found.lost[job] = result.reason
                else:
                    store.put(job, result)
                    found.finished[job] = result
                progress(found)
    except KeyboardInterrupt:
        pass
    return JobResults({job: found.finished[job] for job in jobs if job in found.finished}, found.lost)
