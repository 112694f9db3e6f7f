from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from core.errors import Cancelled, PlanningError
from core.planning import semantics
from core.planning.engines.engine import SearchLimits
from core.planning.planner_process import PlannerProcess
from core.planning_model import Literal, PlanStatus, Problem
from core.stop_token import StopToken
from tests.core.planning.shared import crowded, latency, needs_fast_downward
from tests.patience import AT_ONCE

ROOT = Path(__file__).parents[3]


def child(process: PlannerProcess) -> subprocess.Popen[bytes]:
    assert process._child
    return process._child


def endless() -> Problem:
    """No plan, nearly endless to prove: two things cannot be in one hand."""
    problem = crowded(40)
    things = [o.name for o in problem.objects if problem.domain.is_a(o.type, "movable")][:2]
    return replace(problem, goal=tuple(Literal("inhand", ("agent-n-01_1", thing)) for thing in things))


def gone(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return True
    return "zombie" in Path(f"/proc/{pid}/status").read_text()


def waited_for(what: Callable[[], bool], seconds: float = 10) -> bool:
    end = time.monotonic() + seconds
    while not what() and time.monotonic() < end:
        threading.Event().wait(0.01)
    return what()


def test_that_one_process_serves_one_problem_after_the_other(
    household: Callable[..., Problem], cancel: StopToken
) -> None:
    process = PlannerProcess("pyperplan")
    for problem in (household("halve_egg"), crowded(30), household("halve_egg", "printed")):
        plan = process.run(problem, SearchLimits(), cancel).plan
        assert plan.status is PlanStatus.FOUND and semantics.plan_faults(problem, plan) == ()
    pid = child(process).pid
    process.close()
    process.close()
    assert gone(pid)


def test_that_better_plans_travel_until_one_is_proven(
    household: Callable[..., Problem], cancel: StopToken
) -> None:
    problem = household("halve_egg")
    process = PlannerProcess("pyperplan")
    plan = process.run(problem, SearchLimits(), cancel).plan
    found = list(process.improve(problem, plan, 30, cancel))
    assert found[-1] == (plan.steps, True)
    assert len(process.run(problem, SearchLimits(), cancel).plan.steps) == 4  # and it goes on
    process.close()


def test_that_a_problem_used_before_travels(household: Callable[..., Problem], cancel: StopToken) -> None:
    problem = household("halve_egg")
    assert problem.digest and problem.all_objects and problem.domain.parents
    process = PlannerProcess("pyperplan")
    assert len(process.run(problem, SearchLimits(), cancel).plan.steps) == 4
    process.close()


def test_that_impossible_and_timeout_travel_apart(
    household: Callable[..., Problem], cancel: StopToken
) -> None:
    process = PlannerProcess("pyperplan")
    problem = household("halve_egg")
    impossible = replace(problem, goal=(Literal("hot", ("hard__boiled_egg-n-01_1",)),))
    assert process.run(impossible, SearchLimits(), cancel).plan.status is PlanStatus.IMPOSSIBLE
    assert process.run(problem, SearchLimits(expansions=1), cancel).plan.status is PlanStatus.TIMEOUT
    process.close()


def test_that_a_cancel_kills_it_at_once_and_the_next_one_works(
    household: Callable[..., Problem],
) -> None:
    process = PlannerProcess("pyperplan")
    killed: list[int] = []

    def cancelled(cancel: StopToken) -> None:
        with pytest.raises(Cancelled, match="enough"):
            process.run(endless(), SearchLimits(expansions=10**9), cancel)

    def once() -> float:
        assert len(process.run(household("halve_egg"), SearchLimits(), StopToken()).plan.steps) == 4
        killed.append(child(process).pid)
        return latency(cancelled)

    assert max(once() for _ in range(3)) < AT_ONCE
    assert all(map(gone, killed))


@needs_fast_downward
def test_that_a_cancelled_search_leaves_no_file(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    cancel, process = StopToken(), PlannerProcess("fast-downward")
    begun = threading.Thread(
        target=lambda: waited_for(lambda: any(tmp_path.glob("*/*/*"))) and cancel.end("enough")
    )
    begun.start()
    with pytest.raises(Cancelled, match="enough"):
        process.run(endless(), SearchLimits(expansions=10**9), cancel)
    begun.join()
    assert waited_for(lambda: not list(tmp_path.iterdir()))


def test_that_a_process_that_dies_is_told_and_replaced(
    household: Callable[..., Problem], cancel: StopToken
) -> None:
    process = PlannerProcess("pyperplan")
    process.run(household("halve_egg"), SearchLimits(), cancel)
    os.kill(child(process).pid, signal.SIGKILL)
    child(process).wait()
    with pytest.raises(PlanningError, match="The planning process ended"):
        process.run(household("halve_egg"), SearchLimits(), cancel)
    assert len(process.run(household("halve_egg"), SearchLimits(), cancel).plan.steps) == 4
    process.close()


def test_that_it_does_not_outlive_its_parent() -> None:
    code = (
        "import os\n"
        "from core.stop_token import StopToken\n"
        "from core.planning import domain_library\n"
        "from core.planning.engines.engine import SearchLimits\n"
        "from core.planning.planner_process import PlannerProcess\n"
        "process = PlannerProcess('pyperplan')\n"
        "process.run(domain_library.load_task('halve_egg')[1].problem, SearchLimits(), StopToken())\n"
        "print(process._child.pid, flush=True)\n"
        "os._exit(1)\n"
    )
    env = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run([sys.executable, "-c", code], env=env, capture_output=True, text=True)
    assert waited_for(lambda: gone(int(done.stdout)))


def test_that_a_cancel_reaches_a_process_that_does_not_read(household: Callable[..., Problem]) -> None:
    process = PlannerProcess("pyperplan")
    process.run(household("halve_egg"), SearchLimits(), StopToken())
    os.kill(child(process).pid, signal.SIGSTOP)
    large = crowded(6000)  # than the pipe holds
    killed = child(process).pid

    def cancelled(cancel: StopToken) -> None:
        with pytest.raises(Cancelled):
            process.run(large, SearchLimits(), cancel)

    assert latency(cancelled) < AT_ONCE
    assert gone(killed)
