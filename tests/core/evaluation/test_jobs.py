"""Jobs that are no episodes: the same processes, store, resuming and table."""

from __future__ import annotations

import csv
import io
import os
import signal
from dataclasses import dataclass
from multiprocessing import active_children
from pathlib import Path
from pickle import PicklingError

import pytest

from core.errors import BadFile, BadValue
from core.evaluation.job import JobKind, JobResults, JobStore, Kept, run_jobs
from core.evaluation.table import as_csv
from core.evaluation.workers import LocalProcesses
from core.stop_token import StopToken


@dataclass(frozen=True)
class Square:
    n: int
    even: bool | None
    met: int  # how many this process had before


@dataclass(frozen=True)
class Squaring:
    n: int
    dies: bool = False

    @property
    def key(self) -> str:
        return str(self.n)

    def run(self, kept: Kept, cancel: StopToken) -> Square:
        if self.dies:
            os.kill(os.getpid(), signal.SIGKILL)
        if self.n == 3:
            raise BadValue("Three is no number today: take four.")
        kept["met"] = kept.get("met", -1) + 1
        return Square(self.n**2, self.n % 2 == 0, kept["met"])


SQUARES: JobKind[Squaring, Square] = JobKind("square", Square, {"number": lambda job: job.n})


def run(path: Path, jobs: list[Squaring], resume: bool = False) -> JobResults[Squaring, Square]:
    with JobStore(path, SQUARES) as store:
        return run_jobs(jobs, store, LocalProcesses(2), resume)


@pytest.mark.long
def test_that_any_job_runs_is_kept_and_goes_on_where_it_was_broken_off(tmp_path: Path) -> None:
    path, jobs = tmp_path / "squares.db", [Squaring(n) for n in range(6)]
    first = run(path, [Squaring(n, dies=n == 4) for n in range(6)])
    lost = {job.n: why for job, why in first.lost.items()}
    assert lost == {3: "Three is no number today: take four.", 4: "Its process died (exit code -9)."}
    assert [row.n for row in first.finished.values()] == [0, 1, 4, 25]
    second = run(path, jobs, resume=True)
    assert [row.n for row in second.finished.values()] == [0, 1, 4, 16, 25] and len(second.lost) == 1
    assert second.finished[jobs[4]] == Square(16, True, 0)  # the only one that was run again
    assert max(row.met for row in second.finished.values()) >= 1 and second.finished[jobs[0]].even is True


def test_that_the_table_has_the_columns_of_the_kind(tmp_path: Path) -> None:
    found = run(tmp_path / "squares.db", [Squaring(5)])
    (row,) = csv.DictReader(io.StringIO(as_csv(SQUARES.table(found.finished))))
    assert row == {"number": "5", "n": "25", "even": "False", "met": "0"}


def test_that_a_file_of_other_jobs_is_refused(tmp_path: Path) -> None:
    run(tmp_path / "squares.db", [])
    other: JobKind[Squaring, Square] = JobKind("root", Square, {})
    with pytest.raises(BadFile, match="it holds more than roots"):
        JobStore(tmp_path / "squares.db", other)


def test_that_a_job_that_cannot_be_sent_leaves_no_process() -> None:
    job = Squaring(5)
    object.__setattr__(job, "why", lambda: "a function of a function")
    with pytest.raises((AttributeError, PicklingError)):
        list(LocalProcesses(1).run([job]))
    assert active_children() == []
