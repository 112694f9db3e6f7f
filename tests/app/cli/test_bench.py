"""The verb `bench`: refused in a sentence, broken off and gone on with."""

from __future__ import annotations

import json
import os
import signal
import sqlite3
import subprocess
import sys
import time
from contextlib import closing, suppress
from pathlib import Path

import pytest

from tests.command import call
from tests.sampling import some

ROOT = Path(__file__).parents[3]
SMALL = (
    "--methods",
    "dkprompt,classical",
    "--tasks",
    "halve_egg",
    "--robot",
    "symbolic",
    "--profile",
    "perfect",
)
PATIENCE = 60.0  # seconds: processes that start on a busy machine


def bench(*words: str) -> tuple[int, str]:
    result = call("bench", *words)
    return result.exit_code, result.output


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (("--methods", "dkpromt"), "did you mean dkprompt"),
        (("--tasks", "halve_eg"), "halve_egg"),
        (("--profile", "perfec"), "perfect"),
        (("--openness", "much"), "The openness: 'much' is no number"),
        (("--accuracy", "1.2"), "take 0 to 1"),
        (("--workers", "0"), "take 1 or more"),
        (("--profile", "http://localhost:1/v1", "--workers", "2"), "take --workers 1"),
        (("--json", "nowhere/rows.json"), "its folder does not exist"),
    ],
)
def test_that_wrong_input_is_refused_in_a_sentence_before_the_first_trial(
    words: tuple[str, ...], why: str, tmp_path: Path
) -> None:
    code, said = bench(*SMALL, "--database", str(tmp_path / "t.db"), *words)
    assert code == 2 and why in said and "Traceback" not in said


@pytest.mark.long
def test_that_a_method_that_breaks_is_said_once_and_counted(tmp_path: Path) -> None:
    (tmp_path / "broken.py").write_text(
        "from core.methods.dkprompt import DKPrompt, DKPromptOptions\n"
        "from core.registry import Entry\n"
        "class Broken(DKPrompt):\n"
        "    def questions(self, context):\n"
        "        raise RuntimeError('out of luck')\n"
        "def make(domain_spec, problem, options, **_):\n"
        "    return Broken(domain_spec, problem, options, 'broken')\n"
        "ENTRIES = {'methods': [Entry('broken', 'Broken', 'It breaks.', make, DKPromptOptions)]}\n"
    )
    rows = tmp_path / "rows.json"
    words = ("--plugins", tmp_path, *SMALL, "--methods", "broken", "--trials", 2, "--workers", 1)
    command = [
        sys.executable,
        ROOT / "main.py",
        "bench",
        *words,
        "--json",
        rows,
        "--database",
        tmp_path / "t.db",
    ]
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, check=True)
    assert "2 trials ended with an error" in done.stderr and "Traceback" not in done.stderr
    assert done.stderr.count("out of luck") == 1
    report = tmp_path / "t.html"  # beside the database
    assert f"The report, for a browser: {report}" in done.stderr and "broken" in report.read_text()
    assert [(row["trials"], row["crashed"]) for row in json.loads(rows.read_text())] == [(2, 2)]


def start(path: Path, *words: str) -> subprocess.Popen[bytes]:
    command = [sys.executable, str(ROOT / "main.py"), "bench", *SMALL, "--workers", "2", "--database"]
    return subprocess.Popen(
        [*command, str(path), *words], start_new_session=True, cwd=ROOT, preexec_fn=hear_interrupts
    )


def hear_interrupts() -> None:
    """Take SIGINT as a program in the foreground does, even if the tests run in a shell's background."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def ignore_interrupts() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def finished(path: Path) -> int:
    with suppress(sqlite3.Error), closing(sqlite3.connect(path)) as db:
        return int(db.execute("select count(*) from trial").fetchone()[0])
    return 0


def wait_for(condition) -> None:
    end = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < end, "it takes too long"
        time.sleep(0.01)


def gone(group: int) -> bool:
    """Whether no process of it is left; one that has ended and that nobody waited for is none."""
    for path in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):  # it has just ended
            state, _, of = path.read_text().rpartition(")")[2].split()[:3]
            if int(of) == group and state != "Z":
                return False
    return True


@pytest.mark.long
@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="looks for processes in /proc")
@pytest.mark.parametrize(
    ("number", "code"),
    some([(signal.SIGINT, 130), (signal.SIGTERM, 130), (signal.SIGKILL, -9)], 3),
)
def test_that_a_bench_that_is_broken_off_leaves_no_process_and_goes_on(
    number: signal.Signals, code: int, tmp_path: Path
) -> None:
    path, rows = tmp_path / "trials.db", tmp_path / "rows.json"
    broken = start(path, "--trials", "2000", "--json", str(rows))
    try:
        wait_for(lambda: finished(path) >= 2)
        os.kill(broken.pid, number)
        assert broken.wait(PATIENCE) == code
        wait_for(lambda: gone(broken.pid))
    finally:
        with suppress(ProcessLookupError):
            os.killpg(broken.pid, signal.SIGKILL)
    done = finished(path)
    if number != signal.SIGKILL:
        assert sum(row["trials"] for row in json.loads(rows.read_text())) == done
    trials = ("--trials", str(done // 2 + 3), "--workers", "1")
    code, said = bench(*SMALL, *trials, "--database", str(path), "--resume", "--json", str(rows))
    assert code == 0, said
    other, anew = str(tmp_path / "other.db"), tmp_path / "anew.json"
    code, said = bench(*SMALL, *trials, "--database", other, "--json", str(anew))
    assert code == 0, said
    assert json.loads(rows.read_text()) == json.loads(anew.read_text())


@pytest.mark.long
@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="looks for processes in /proc")
def test_that_a_bench_that_is_watched_ends_when_nobody_watches_any_more(tmp_path: Path) -> None:
    path = tmp_path / "trials.db"
    command = [sys.executable, str(ROOT / "main.py"), "bench", *SMALL, "--trials", "2000", "--workers", "1"]
    watched = subprocess.Popen(
        [*command, "--database", str(path), "--follow"],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, start_new_session=True, preexec_fn=ignore_interrupts,
    )  # fmt: skip
    assert watched.stdin and watched.stdout
    try:
        told = next(form for form in map(json.loads, watched.stdout) if form["done"] >= 2)
        assert told["total"] == 4000 and {row["method"] for row in told["lines"]} <= {"dkprompt", "classical"}
        watched.stdin.close()
        rest = [json.loads(line) for line in watched.stdout]
        assert watched.wait(PATIENCE) == 130
        assert 2 <= told["done"] <= rest[-1]["done"] == finished(path) < 4000
        wait_for(lambda: gone(watched.pid))
    finally:
        with suppress(ProcessLookupError):
            os.killpg(watched.pid, signal.SIGKILL)
        watched.stdout.close()
