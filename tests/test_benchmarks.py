"""Every benchmark and every script that measures runs, on as little as shows that it does."""

from __future__ import annotations

import os
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
RUN = {  # with TINY=1 and these words
    "benchmarks/asking.py": (),
    "benchmarks/bench.py": (),
    "benchmarks/careful.py": (),
    "benchmarks/console.py": ("--only", "stop"),
    "benchmarks/eye.py": (),
    "benchmarks/kitchen.py": ("skills",),
    "benchmarks/log.py": (),
    "benchmarks/loop.py": (),
    "benchmarks/planning.py": (),
    "benchmarks/planning_large.py": (),
    "benchmarks/remote.py": (),
    "benchmarks/review.py": (),
    "benchmarks/stop.py": ("1", "halt"),
    "benchmarks/stop_under_load.py": ("--only", "nothing"),
    "benchmarks/ur5e.py": ("stop",),
    "scripts/careful_table.py": ("table.jsonl", "--episodes", "0"),
    "scripts/measure_careful.py": ("skips", "--tasks", "halve_egg", "--episodes", "1"),
}
NEEDS = {  # an optional package, without which it cannot run
    "benchmarks/planning.py": "up_fast_downward",
    "benchmarks/planning_large.py": "up_fast_downward",
    "benchmarks/stop.py": "rtde_control",
    "benchmarks/ur5e.py": "rtde_control",
}
PARTS = {"benchmarks/large_problems.py", "benchmarks/sizes.py"}  # of benchmarks
FROM_A_COMMIT = "scripts/"  # whose seeds follow from the commit


@pytest.mark.parametrize("file", RUN)
def test_that_it_runs(file: str, tmp_path: Path) -> None:
    if file in NEEDS and find_spec(NEEDS[file]) is None:
        pytest.skip(f"{NEEDS[file]} is not installed")
    if file.startswith(FROM_A_COMMIT) and not (ROOT / ".git").exists():
        pytest.skip("this is no git repository")
    environment = {**os.environ, "TINY": "1", "PYTHONPATH": str(ROOT), "TMPDIR": str(tmp_path)}
    words = [str(tmp_path / word) if word.endswith(".jsonl") else word for word in RUN[file]]
    command = [sys.executable, str(ROOT / file), *words]
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr[-2000:]
    assert done.stdout


def test_that_no_benchmark_is_left_out() -> None:
    assert {str(f.relative_to(ROOT)) for f in (ROOT / "benchmarks").glob("*.py")} <= {*RUN, *PARTS}


@pytest.mark.long
def test_that_the_window_can_be_photographed(tmp_path: Path) -> None:
    command = [sys.executable, "scripts/screenshots.py", "--scene", "newcomer", "--out", str(tmp_path)]
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "QT_QPA_PLATFORM": "offscreen"}
    subprocess.run(command, cwd=ROOT, env=environment, check=True, timeout=600)
    assert len(list(tmp_path.glob("newcomer_*.png"))) == 4
