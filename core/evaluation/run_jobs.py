"""Run jobs, keep the row of each at once, and go on where they were broken off."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from typing import Generic

from core.evaluation.job import Executor, FailedJob, J, R
from core.evaluation.job_store import JobStore


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
