"""Consoles of one user at one arm find each other; one holds the lock, whatever is sent and whoever dies."""

from __future__ import annotations

import json
import os
import shutil
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import asdict, replace
from pathlib import Path

import pytest

from core.install_paths import ROOT
from core.stop.stop_folders import runtime_folder
from robots.ur5e.console_seat import ConsoleMessage, ConsoleSeat, wait_until_left
from tests.robots.ur5e.conftest import until

ADDRESS = "192.0.2.7"
Sit = Callable[..., ConsoleSeat]
HOLD = f"""
from robots.ur5e.console_seat import ConsoleSeat
seat = ConsoleSeat({ADDRESS!r}, print, lambda: None)
assert seat.take_lock()
print("sits", flush=True)
input()
"""


@pytest.fixture
def sit(monkeypatch: pytest.MonkeyPatch) -> Iterator[Sit]:
    made: list[ConsoleSeat] = []

    def sit(name: str, heard: list[ConsoleMessage] | None = None) -> ConsoleSeat:
        monkeypatch.setenv("DKPROMPT_OPERATOR", name)
        seat = ConsoleSeat(ADDRESS, (heard if heard is not None else []).append, lambda: None)
        made.append(seat)
        seat.begin()
        return seat

    yield sit
    for seat in made:
        seat.close()


def test_that_one_console_has_the_lock_and_the_others_see_who(sit: Sit) -> None:
    anna, ben = sit("Anna"), sit("Ben")
    assert str(ben.console) == f"Ben (console {os.getpid()})"
    assert anna.take_lock()
    assert not ben.take_lock()
    anna.rename("window")
    found, held = ben.mover()
    assert held
    assert str(found) == f"Anna (window {os.getpid()})"
    anna.close()
    assert ben.mover() == (None, False)
    assert ben.take_lock()


def test_that_a_folder_that_is_removed_makes_no_second_console_the_mover(sit: Sit) -> None:
    """As a cleaner of /tmp does, or a logout."""
    heard: list[ConsoleMessage] = []
    anna = sit("Anna", heard)
    assert anna.take_lock()
    shutil.rmtree(runtime_folder())
    until(lambda: any(runtime_folder().glob("*.lock")) and any(runtime_folder().glob("*.seat")))
    ben = sit("Ben")
    assert not ben.take_lock()
    assert ben.mover() == (anna.console, True)
    assert ben.send(anna.console, "ask")
    until(lambda: heard)


def test_that_a_console_moves_no_more_if_another_one_took_the_arm_in_a_new_folder(sit: Sit) -> None:
    anna, ben = sit("Anna"), sit("Ben")
    assert anna.take_lock()
    anna._keep = lambda: None  # type: ignore[method-assign]  # suspended for a moment
    (runtime_folder() / "arm-192.0.2.7.lock").unlink()
    assert ben.take_lock()
    del anna._keep
    until(lambda: not anna.moves)
    assert ben.moves


def test_that_consoles_find_each_other_in_a_folder_with_a_long_name(
    sit: Sit, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = tmp_path / ("x" * 120)
    place.mkdir(mode=0o700)
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(place))
    heard: list[ConsoleMessage] = []
    anna, ben = sit("Anna", heard), sit("Ben")
    assert len(str(runtime_folder())) > 108
    assert ben.send(anna.console, "ask")
    until(lambda: heard)


def test_that_what_was_sent_to_a_console_that_left_reaches_none_that_came_in_its_place(sit: Sit) -> None:
    heard: list[ConsoleMessage] = []
    anna, ben = sit("Anna"), sit("Ben")
    anna.take_lock()
    ben.close()
    carl = sit("Carl", heard)
    assert not anna.send(ben.console, "stop")
    assert anna.send(carl.console, "ask")
    until(lambda: heard)
    assert [message.kind for message in heard] == ["ask"]


def test_that_what_others_send_is_plain_text_and_nonsense_is_passed_over(sit: Sit) -> None:
    heard: list[ConsoleMessage] = []
    anna, ben = sit("Anna", heard), sit("B\x1b[31mn\n" + "x" * 500)
    assert ben.console.operator.isprintable() and len(ben.console.operator) == 40
    form = {"kind": "ask", "console": asdict(ben.console)}
    form["console"] |= {"host": "\x1b]0;evil\x07", "started": 1e300}
    where = str(runtime_folder() / anna.console.seat)
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as sock:
        for data in (b"\xff", b"{}", b"null", json.dumps(form).encode()):
            sock.sendto(data, where)
    until(lambda: heard)
    assert len(heard) == 1
    assert heard[0].console.host.isprintable()
    assert heard[0].console.since


def test_that_the_lock_ends_with_its_process_and_its_name_stays(sit: Sit) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", HOLD], cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as other:
        assert other.stdout is not None
        assert other.stdout.readline() == "sits\n"
        ben = sit("Ben")
        assert ben.mover()[1]
        other.kill()
        other.wait()
    gone, held = ben.mover()
    assert gone is not None and gone.pid == other.pid
    assert not held
    sit("Carl")
    assert not list(runtime_folder().glob(f"*-{other.pid}-*.seat")), "what it left is removed"


def test_that_no_message_leaves_the_folder(sit: Sit, tmp_path: Path) -> None:
    anna = sit("Anna")
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as sock:
        sock.bind(str(tmp_path / "elsewhere"))
        assert not anna.send(replace(anna.console, seat=str(tmp_path / "elsewhere")), "stop")


def test_that_only_the_user_can_reach_a_seat(sit: Sit) -> None:
    sit("Anna").take_lock()
    folder = runtime_folder()
    assert folder.stat().st_mode & 0o077 == 0
    assert (folder / "arm-192.0.2.7.lock").stat().st_mode & 0o077 == 0


def test_that_a_new_episode_waits_until_the_one_before_has_let_go(sit: Sit) -> None:
    wait_until_left(ADDRESS, 5)  # nobody was there
    anna = sit("Anna")
    anna.take_lock()
    wait_until_left(ADDRESS, 0.1)
    assert anna.moves
    anna.close()
    wait_until_left(ADDRESS, 5)
