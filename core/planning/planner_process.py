"""Plan in a separate process, so that a long search neither blocks this one nor outlives a cancel.

`PlannerProcess` is the client; `python -m core.planning.planner_process` is the server, which caches what it
has grounded.
"""

from __future__ import annotations

import json
import resource
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing
from dataclasses import replace

from core.errors import PlanningError
from core.planning.cancellable_process import CancellableProcess, Send, serve
from core.planning.engines.downward import MEMORY
from core.planning.engines.engine import SearchLimits
from core.planning.search import PlanSearch, SearchResult
from core.planning_model import Plan, Problem, Step
from core.stop_token import StopToken
from core.work import Work, work_in_force

PROCESS_UNITS = 100_000_000  # of work for one problem; the caller can end it at any time
_Request = tuple[Problem, SearchLimits, Plan | None]  # with a plan: improve it


class PlannerProcess(CancellableProcess):
    """The client, which starts the process when first needed. Not thread-safe."""

    def __init__(self, engine: str, options: Mapping[str, str] | None = None) -> None:
        super().__init__("core.planning.planner_process", (engine, json.dumps(dict(options or {}))))

    def run(self, problem: Problem, limits: SearchLimits, cancel: StopToken) -> SearchResult:
        """Plan like `PlanSearch.run`. A cancel kills the process."""
        (found,) = self.answers((_without_caches(problem), limits, None), _check(cancel))
        return SearchResult(*found)

    def improve(
        self, problem: Problem, plan: Plan, seconds: float, cancel: StopToken
    ) -> Iterator[tuple[tuple[Step, ...], bool]]:
        """Improve a plan like `PlanSearch.improve`. A cancel, or closing the iterator, kills the process."""
        request = _without_caches(problem), SearchLimits(seconds=seconds), plan
        with closing(self.answers(request, _check(cancel))) as answers:
            yield from answers


def _without_caches(problem: Problem) -> Problem:
    return replace(problem, domain=replace(problem.domain))


def _check(cancel: StopToken) -> Callable[[], None]:
    work = work_in_force()  # which may end on a cancel that the caller does not know of

    def check() -> None:
        cancel.check()
        work.check()

    return check


# --- the server -------------------------------------------------------------------------------------


def _answer(search: PlanSearch, request: _Request, send: Send) -> None:
    problem, limits, plan = request
    try:
        with Work(PROCESS_UNITS):
            if plan is None:
                send(tuple(search.run(problem, limits, StopToken())))
            else:
                for better in search.improve(problem, plan, limits.seconds, StopToken()):
                    send(better)
    except MemoryError:
        raise PlanningError(
            f"Planning for {problem.name!r} takes more than half of the machine's memory."
        ) from None


def _limit_memory() -> None:
    """Allow this process half of the machine's memory, so that it cannot take the console's."""
    _, hard = resource.getrlimit(resource.RLIMIT_AS)
    most = MEMORY // 2 if hard == resource.RLIM_INFINITY else min(hard, MEMORY // 2)
    resource.setrlimit(resource.RLIMIT_AS, (most, most))


if __name__ == "__main__":
    _limit_memory()
    made = PlanSearch(sys.argv[1], json.loads(sys.argv[2]))
    serve(lambda request, send: _answer(made, request, send))
