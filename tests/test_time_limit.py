"""No test waits for ever."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
TESTS = """
import time
import pytest

def test_hangs():
    while True:
        time.sleep(0.01)

@pytest.mark.long
def test_takes_long():
    time.sleep(1.5)
"""


@pytest.mark.long
def test_that_a_test_that_hangs_fails_and_a_long_one_may_take_its_time(tmp_path: Path) -> None:
    (tmp_path / "test_two.py").write_text(TESTS)
    ran = [
        sys.executable,
        "-m",
        "pytest",
        "-p",
        "tests.conftest",
        "-c",
        str(ROOT / "pyproject.toml"),
        "-m",
        "",
    ]
    done = subprocess.run(
        [*ran, "-p", "no:cacheprovider", "-o", "timeout=1", tmp_path],
        cwd=ROOT,
        capture_output=True,
        text=True,
    )
    assert "Timeout (>1.0s)" in done.stdout
    assert "1 failed, 1 passed" in done.stdout


def test_that_there_is_a_time_limit(pytestconfig: pytest.Config) -> None:
    assert 0 < float(pytestconfig.getini("timeout")) <= 300


@pytest.mark.long
def test_that_a_worker_that_dies_fails_one_test_and_the_others_run(tmp_path: Path) -> None:
    dies = "import os\ndef test_a(): pass\ndef test_b(): os._exit(1)\ndef test_c(): pass"
    (tmp_path / "test_dies.py").write_text(dies)
    for number in range(5):
        (tmp_path / f"test_{number}.py").write_text("def test_a(): pass")
    ran = [sys.executable, "-m", "pytest", "-p", "tests.conftest", "-c", str(ROOT / "pyproject.toml")]
    done = subprocess.run(
        [*ran, "-p", "no:cacheprovider", "--workers", "2", tmp_path],
        cwd=ROOT, capture_output=True, text=True, timeout=60,
    )  # fmt: skip
    assert "1 failed, 7 passed" in done.stdout
