"""No search outlives whoever asked for it, however that ended."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import uuid
from pathlib import Path

import pytest

from core.planning.engines import downward
from tests.core.planning.shared import needs_fast_downward
from tests.core.planning.test_process import waited_for

pytestmark = [needs_fast_downward, pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")]
ROOT = Path(__file__).parents[3]
ENDLESS = """
from core.stop_token import StopToken
from core.planning.engines.engine import SearchLimits
from tests.core.planning.test_process import endless
problem, cancel = endless(), StopToken()
"""
WAYS = {
    "in a process of its own": """
from core.planning.planner_process import PlannerProcess
PlannerProcess("fast-downward").run(problem, SearchLimits(), cancel)
""",
    "here": """
from core.planning.engines.fast_downward import FastDownward
from core.planning.compiled import ground_task
FastDownward().search(ground_task(problem, 10**6, cancel), problem.state, SearchLimits(), cancel)
""",
    "for a better plan": """
from core.planning.engines.fast_downward import FastDownward, improve_plan
from core.planning.compiled import ground_task
task = FastDownward().task(ground_task(problem, 10**6, cancel), problem.state)
list(improve_plan(task, (None,) * 99, len, 600, cancel))
""",
    "in the translator": """
from core.planning.engines.downward import translate_problem
from tests.core.planning.shared import crowded
translate_problem(crowded(160), 600, cancel)
""",
}


def of(mark: str, word: str = "") -> list[int]:
    """The processes that were started under a mark, those with `word` in their command."""
    found = []
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit():
            try:
                marked = mark.encode() in (folder / "environ").read_bytes()
                if marked and word in (folder / "cmdline").read_text().replace("\0", " "):
                    found.append(int(folder.name))
            except OSError:
                continue  # it ended
    return found


def seen(mark: str, word: str) -> list[int]:
    """Waits for such processes; one search may follow another, so they may be gone by now."""
    found: list[int] = []

    def look() -> bool:
        found.extend(() if found else of(mark, word))
        return bool(found)

    assert waited_for(look, 60)
    return found


def start(code: str, mark: str) -> subprocess.Popen[bytes]:
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "MARK": mark}
    return subprocess.Popen([sys.executable, "-c", ENDLESS + code], env=environment)


@pytest.mark.parametrize("way", [pytest.param(w, marks=pytest.mark.long) if w == "here" else w for w in WAYS])
def test_that_a_killed_parent_leaves_no_search(way: str) -> None:
    mark = uuid.uuid4().hex
    parent = start(WAYS[way], mark)
    word = "fast_downward.translate" if way == "in the translator" else "--search"
    try:
        seen(mark, word)
        parent.send_signal(signal.SIGKILL)
        parent.wait()
        assert waited_for(lambda: not of(mark))
    finally:
        for pid in of(mark):
            os.kill(pid, signal.SIGKILL)
        parent.wait()


@pytest.mark.long
def test_that_a_killed_planning_process_leaves_no_search() -> None:
    mark = uuid.uuid4().hex
    parent = start(WAYS["in a process of its own"], mark)
    try:
        seen(mark, "--search")
        for pid in of(mark, "-m core.planning.planner_process"):
            os.kill(pid, signal.SIGKILL)
        assert waited_for(lambda: not of(mark))
        assert parent.wait(10) == 1  # and it was told
    finally:
        for pid in of(mark):
            os.kill(pid, signal.SIGKILL)
        parent.wait()


def test_that_without_setpriv_python_does_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(downward, "_setpriv", lambda: None)
    assert (
        subprocess.run(downward.kill_with_parent(["/bin/echo", "so"], 0.5), capture_output=True).stdout
        == b"so\n"
    )
    monkeypatch.undo()
    assert (
        subprocess.run(downward.kill_with_parent(["/bin/echo", "so"], 0.5), capture_output=True).stdout
        == b"so\n"
    )
