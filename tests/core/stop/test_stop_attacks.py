"""Whatever is done to its folders, `stop` delivers, or says that it could not, and never that nothing runs.

Each attack is made upon a program in another process, and `stop` is given in a third. `make check-long` does
it 20 times each with a whole run of the terminal, and prints the table of docs/safety.md.
"""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from statistics import median
from time import monotonic, sleep

import pytest

from core.install_paths import ROOT
from tests.core.stop.conftest import Place, Program, Start, verb
from tests.sampling import some

RUN = ("run", "boil_water", "--robot", "symbolic", "--pace", "60", "--no-pictures")
TIMES = 20
Attack = Callable[[Place, ExitStack], dict[str, str]]  # returns the environment of `stop`


# --- what is done -----------------------------------------------------------------------------------------


def removed(place: Place, stack: ExitStack) -> dict[str, str]:
    shutil.rmtree(place.runtime)
    return {}


def removed_and_made_anew(place: Place, stack: ExitStack) -> dict[str, str]:
    shutil.rmtree(place.runtime)
    place.sockets.mkdir(parents=True, mode=0o700)
    place.runtime.chmod(0o700)
    return {}


def both_removed(place: Place, stack: ExitStack) -> dict[str, str]:
    shutil.rmtree(place.runtime)
    shutil.rmtree(place.running)
    return {}


def sockets_removed(place: Place, stack: ExitStack) -> dict[str, str]:
    for path in (*place.sockets.glob("*.sock"), *place.running.glob("*.sock")):
        path.unlink()
    return {}


def other_entries(place: Place, stack: ExitStack) -> dict[str, str]:
    """What is no listener, before it and after it in their order; also foreign and dead sockets."""
    for number, folder in enumerate((place.sockets, place.running)):
        for first in "az":
            Path(folder, f"{first}-1-1.sock").mkdir()
            Path(folder, f"{first}-2-1.sock").symlink_to("/nowhere")
            Path(folder, f"{first}-2-2.sock").symlink_to(folder)
            Path(folder, f"{first}-4-1.sock").write_text("")
            os.mkfifo(Path(folder, f"{first}-5-1.sock"))
            Path(folder, f"{first}-6-1.running").mkdir()
            os.mkfifo(Path(folder, f"{first}-7-1.running"))
            for kind, name in ((socket.SOCK_STREAM, "8"), (socket.SOCK_DGRAM, "9")):
                sock = stack.enter_context(socket.socket(socket.AF_UNIX, kind))
                os.chdir(folder)  # a short path
                stack.callback(os.chdir, ROOT)
                sock.bind(f"{first}-{name}-{number}.sock")
                if kind is socket.SOCK_DGRAM:
                    sock.close()
    return {}


def flooded(place: Place, stack: ExitStack) -> dict[str, str]:
    code = """
import glob, socket, sys
sock = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
paths = [p for folder in sys.argv[1:] for p in glob.glob(folder + "/*.sock")]
print(flush=True)
while True:
    for path in paths:
        try: sock.sendto(b"x" * 64, socket.MSG_DONTWAIT, path)
        except OSError: pass
"""
    command = [sys.executable, "-c", code, str(place.sockets), str(place.running)]
    flood = stack.enter_context(subprocess.Popen(command, stdout=subprocess.PIPE))
    stack.callback(flood.kill)
    assert flood.stdout is not None and flood.stdout.readline()
    return {}


def not_set(place: Place, stack: ExitStack) -> dict[str, str]:
    return {"XDG_RUNTIME_DIR": ""}


def of_another_owner(place: Place, stack: ExitStack) -> dict[str, str]:
    place.sockets.chmod(0o755)
    if os.getuid() == 0:
        os.chown(place.sockets, 65534, 65534)
    return {}


def a_file(place: Place, stack: ExitStack) -> dict[str, str]:
    shutil.rmtree(place.sockets)
    place.sockets.write_text("")
    return {}


def full(place: Place, stack: ExitStack) -> dict[str, str]:
    """Of a file system of its own, all space and all inodes are used up."""
    with suppress(OSError), open(place.runtime / "space", "wb", buffering=0) as file:
        while file.write(b"x" * 4096):
            pass
    with suppress(OSError):
        for number in range(1 << 16):
            (place.runtime / f"inode-{number}").touch()
    with pytest.raises(OSError, match="No space left"):
        (place.runtime / "one more").touch()
    return {}


def read_only(place: Place, stack: ExitStack) -> dict[str, str]:
    """Another file system lies over the one with its sockets."""
    subprocess.run(["mount", "-t", "tmpfs", "-o", "ro,mode=700", "none", place.runtime], check=True)
    stack.callback(subprocess.run, ["umount", "-l", place.runtime], check=True)
    return {}


def nothing(place: Place, stack: ExitStack) -> dict[str, str]:
    return {}


ATTACKS: dict[str, Attack] = {
    "removed": removed,
    "removed and made anew": removed_and_made_anew,
    "removed, and that beside the log too": both_removed,
    "its sockets removed": sockets_removed,
    "folders, links, files, dead and foreign sockets in it": other_entries,
    "the queue flooded": flooded,
    "not set where `stop` is given": not_set,
    "of another owner": of_another_owner,
    "a file in its place": a_file,
    "full": full,
    "read-only": read_only,
}
BEFORE: dict[str, Attack] = {  # done before the program starts
    "full from the start": full,
    "read-only from the start": read_only,
}
MOUNTED = {"full", "read-only", *BEFORE}
LENGTHS = {"105 characters long": 105, "250 characters long": 250}


@contextmanager
def attacked(name: str, place: Place, patch: pytest.MonkeyPatch, start: Start) -> Iterator[dict[str, str]]:
    """Start the program and attack; yield the environment of `stop`."""
    with ExitStack() as stack:
        if name in LENGTHS:
            place = Place(place.runtime / ("x" * (LENGTHS[name] - len(str(place.runtime)) - 1)), place.data)
            place.runtime.mkdir(mode=0o700)
            patch.setenv("XDG_RUNTIME_DIR", str(place.runtime))
        if name in MOUNTED:
            mount = ["mount", "-t", "tmpfs", "-o", "size=64k,nr_inodes=16,mode=700", "none", place.runtime]
            if subprocess.run(mount, capture_output=True, check=False).returncode:
                pytest.skip("a file system cannot be mounted here")
            stack.callback(subprocess.run, ["umount", "-l", place.runtime], check=True)
        BEFORE.get(name, nothing)(place, stack)
        start()
        yield ATTACKS.get(name, nothing)(place, stack)
        place.runtime.mkdir(mode=0o700, exist_ok=True)  # which the test's end removes


@pytest.mark.parametrize("name", [*some(ATTACKS, 2), *some(BEFORE, 2), *some(LENGTHS, 2)])
def test_that_stop_delivers_or_says_that_it_could_not(
    name: str, place: Place, start: Start, monkeypatch: pytest.MonkeyPatch
) -> None:
    programs: list[Program] = []
    with attacked(name, place, monkeypatch, lambda: programs.append(start()) or programs[0]) as environment:
        done = verb(**environment)
        (program,) = programs
        said = done.stdout + done.stderr
        assert "Traceback" not in said and done.returncode in (0, 3), said
        if name == "its sockets removed":
            assert f"{program.name}: cannot be reached (it has no socket), so it was sent SIGTERM" in said
            assert done.returncode == 3 and program.process.wait(5)
        else:
            assert program.hears("stopped"), said
            assert f"{program.name}: a robot was stopped; it stood still after 0.25 s." in said
        if done.returncode == 3:
            assert "cannot be reached" in said or "so a program may not have been found" in said


# --- 20 times each, with whole programs -------------------------------------------------------------------


class Run:
    """`main.py run` with a robot that takes a minute for each step."""

    def __init__(self) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "main.py", *RUN], cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
        )

    def wait_for_motion(self, place: Place) -> None:
        end = monotonic() + 60
        while not any(place.data.rglob("*.running")) and not any(place.runtime.rglob("*.running")):
            assert monotonic() < end and self.process.poll() is None
            sleep(0.02)
        sleep(0.2)


@pytest.mark.long
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("name", [*ATTACKS, *BEFORE, *LENGTHS])
def test_that_a_run_is_stopped_20_times(
    name: str, place: Place, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    codes, seconds, ended = Counter[int](), list[float](), 0
    for number in range(TIMES):
        own = Place(tmp_path / f"r{number}", tmp_path / f"d{number}")
        if name not in LENGTHS:
            own = Place(place.runtime / f"{number}", place.data / f"{number}")
        for folder in (own.runtime, own.data):
            folder.mkdir(mode=0o700, parents=True)
        monkeypatch.setenv("XDG_RUNTIME_DIR", str(own.runtime))
        monkeypatch.setenv("XDG_DATA_HOME", str(own.data))
        runs: list[Run] = []

        def start(runs: list[Run] = runs, own: Place = own) -> Program:
            runs.append(Run())
            runs[0].wait_for_motion(Place(Path(os.environ["XDG_RUNTIME_DIR"]), own.data))
            return Program.__new__(Program)

        with attacked(name, own, monkeypatch, start) as environment:
            began = monotonic()
            done = verb(**environment)
            try:
                out, _ = runs[0].process.communicate(timeout=10)
                ended += 1
                seconds.append(monotonic() - began)
                assert b"Stopped from a terminal" in out or b"SIGTERM" in out, out
            except subprocess.TimeoutExpired:
                runs[0].process.kill()
            codes[done.returncode] += 1
            assert "Traceback" not in done.stdout + done.stderr
    print(f"| {name} | {ended} of {TIMES} | {dict(codes)} | {median(seconds):.2f} s, {max(seconds):.2f} s |")
    assert ended == TIMES and set(codes) <= {0, 3}
