"""Killed at any moment, or out of disk: what was handed on is there, the rest of the log is untouched."""

import multiprocessing
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import time
from multiprocessing.reduction import DupFd
from pathlib import Path

import pytest

from core.log.integrity.verify import verify
from core.log.recorder import Recorder
from core.log.store import Store
from tests.core.log import crashing, made

# A fork of a server that has imported everything starts in milliseconds.
programs = multiprocessing.get_context("forkserver")
programs.set_forkserver_preload(["tests.core.log.crashing", "core.log.schema", "cv2"])


def killed(path: Path, seconds: float, wait: bool) -> list[tuple[str, int]]:
    """Run a recording program, kill it that long after its start; what it had been told is on disk."""
    out, into = os.pipe()
    program = programs.Process(target=_child, args=(str(path), DupFd(into), wait))
    program.start()
    os.close(into)
    with open(out, "rb") as lines:
        assert lines.readline() == b"go\n"
        time.sleep(seconds)
        assert program.pid is not None
        os.kill(program.pid, signal.SIGKILL)
        said = lines.read().decode()
    program.join()
    assert program.exitcode == -signal.SIGKILL
    whole = said[: said.rfind("\n") + 1]  # the last line may be torn
    return [(id, int(number)) for id, number in (line.split() for line in whole.splitlines())]


def _child(path: str, pipe: DupFd, wait: bool) -> None:
    crashing.record_for_ever(path, pipe.detach(), wait)


def contents(store: Store) -> dict[str, list[tuple[int, int]]]:
    rows = store.db.execute("select e.id, number, crc from record r join episode e on e.nr = r.episode")
    found: dict[str, list[tuple[int, int]]] = {}
    for id, number, crc in rows:
        found.setdefault(id, []).append((number, crc))
    return found


def kill_often(path: Path, times: int, seed: int) -> int:
    rng, before, broken = random.Random(seed), {}, 0
    for i in range(times):
        told = killed(path, rng.uniform(0, 0.3), wait=bool(i % 2))
        with Store.open(path) as store:
            after = contents(store)
            assert {(id, n) for id, n in told} <= {(id, n) for id, rows in after.items() for n, _ in rows}
            assert all(after[id] == rows for id, rows in before.items())
            assert len(store.repaired) <= 1
            report = verify(store)
            assert report.findings == ()
            assert report.live == 0
            broken += len(store.repaired)
            assert report.interrupted == broken
        assert not Path(f"{path}-live").exists()
        before = after
    return broken


def test_that_a_killed_program_loses_nothing_that_it_was_told_is_written(tmp_path: Path) -> None:
    in_an_episode = (kill_often(tmp_path / f"log{seed}.db", 6, seed) for seed in range(9))
    assert any(in_an_episode), "on a busy machine it is killed before it begins"


@pytest.mark.long
@pytest.mark.parametrize("seed", range(1, 21))
def test_that_a_program_killed_at_500_moments_loses_nothing(tmp_path: Path, seed: int) -> None:
    kill_often(tmp_path / "log.db", 25, seed)


def test_that_a_program_killed_beside_another_leaves_the_other_alone(tmp_path: Path) -> None:
    path = tmp_path / "log.db"
    with Recorder.open(path) as recorder:
        events = recorder.record_events(made.episode(6))
        given = [next(events)]
        told = killed(path, 0.1, wait=True)
        with Store.open(path) as store:
            assert recorder.episode not in store.repaired
            assert {id for id, _ in told} - {""} <= set(contents(store))
        given += events
    with Store.open(path) as store:
        assert list(store.records(given[0].episode)) == given
        assert verify(store).is_intact


def check_filled(out: str, cause: str) -> None:
    assert cause in out.partition("raised:")[2].splitlines()[0]
    closed = out.partition("closed:")[2]  # nothing, if there was space again for what had waited
    assert out.count("fault:") >= (2 if closed else 1)  # the screen is told, of the stop too
    assert not closed or "could not be written" in closed.splitlines()[0]
    begun = int("whole: True of 1" in out)  # the disk may be full just where an episode begins
    if closed:
        assert f"repaired: {begun} broken: {begun} whole: True" in out
    else:  # what had waited may have had the episode's end among it
        assert re.search("repaired: 0 broken: [01] whole: True", out)
    assert "shown: True missing: 0" in out


@pytest.mark.long
def test_that_a_file_that_may_not_grow_stops_the_loop_and_loses_nothing(tmp_path: Path) -> None:
    (tmp_path / "ballast").write_bytes(b"")
    script = [sys.executable, "-m", "tests.core.log.crashing", "limit"]
    run = subprocess.run(
        [*script, tmp_path / "log.db", tmp_path / "ballast"], capture_output=True, text=True, timeout=60
    )
    assert not run.stderr
    check_filled(run.stdout, "disk")


def test_that_a_full_disk_stops_the_loop_and_loses_nothing(tmp_path: Path) -> None:
    if not shutil.which("unshare"):
        pytest.skip("needs unshare")
    disk = tmp_path / "disk"
    disk.mkdir()
    script = (
        'mount -t tmpfs -o size=2m tmpfs "$1" && head -c 500000 /dev/zero > "$1/ballast" && '
        'exec "$0" -m tests.core.log.crashing full "$1/log.db" "$1/ballast"'
    )
    alone = ["unshare", "--user", "--map-root-user", "--mount"]
    run = subprocess.run(
        [*alone, "sh", "-c", script, sys.executable, disk], capture_output=True, text=True, timeout=60
    )
    if "unshare" in run.stderr or "mount" in run.stderr:
        pytest.skip(f"this system gives nobody a small disk: {run.stderr.strip()}")
    assert not run.stderr
    check_filled(run.stdout, "disk is full")
