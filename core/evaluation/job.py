"""Define jobs of any kind, which run in several processes and whose rows are kept."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Mapping
from dataclasses import asdict, dataclass
from typing import Any, Generic, Protocol, TypeVar

from core.errors import ConsoleError
from core.stop_token import StopToken

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

    @property
    def group(self) -> str:
        """Return what jobs have in common that gain from what the same process keeps."""

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
