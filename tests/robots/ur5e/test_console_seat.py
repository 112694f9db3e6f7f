"""Consoles of one user at one arm find each other; one holds the lock, whatever is sent and whoever dies."""

from __future__ import annotations

import json
import shutil
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import asdict
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
assert seat.take_lock(0)
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
    assert (str(anna.console), str(ben.console)) == ("Anna (console 1)", "Ben (console 2)")
    assert anna.take_lock(0)
    assert not ben.take_lock(0)
    anna.rename("window")
    found, held = ben.mover()
    assert held
    assert str(found) == "Anna (window 1)"
    anna.close()
    assert ben.mover() == (None, False)
    assert ben.take_lock(0)


def test_that_the_lock_is_handed_over_without_a_moment_in_which_nobody_has_it(sit: Sit) -> None:
    heard: list[ConsoleMessage] = []
    anna, ben, carl = sit("Anna"), sit("Ben", heard), sit("Carl")
    anna.take_lock(0)
    ben.asks = True
    assert anna.give(ben.console)
    assert not carl.take_lock(0)
    until(lambda: ben.moves and heard)
    assert not anna.moves
    assert heard[-1].kind == "given"
    assert str(carl.mover()[0]) == "Ben (console 2)"


def test_that_a_folder_that_is_removed_makes_no_second_console_the_mover(sit: Sit) -> None:
    """As a cleaner of /tmp does, or a logout."""
    heard: list[ConsoleMessage] = []
    anna = sit("Anna", heard)
    assert anna.take_lock(0)
    shutil.rmtree(runtime_folder())
    until(lambda: any(runtime_folder().glob("*.lock")) and any(runtime_folder().glob("*.seat")))
    ben = sit("Ben")
    assert not ben.take_lock(0)
    assert ben.mover() == (anna.console, True)
    assert ben.send(anna.console, "ask")
    until(lambda: heard)


def test_that_a_console_moves_no_more_if_another_one_took_the_arm_in_a_new_folder(sit: Sit) -> None:
    anna, ben = sit("Anna"), sit("Ben")
    assert anna.take_lock(0)
    anna._keep = lambda: None  # type: ignore[method-assign]  # suspended for a moment
    (runtime_folder() / "arm-192.0.2.7.lock").unlink()
    assert ben.take_lock(0)
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
    assert len(str(runtime_folder())) > 108 and ben.console.number == 2
    assert ben.send(anna.console, "ask")
    until(lambda: heard)


def test_that_a_lock_nobody_asked_for_is_let_go_of(sit: Sit) -> None:
    heard: list[ConsoleMessage] = []
    anna, ben = sit("Anna"), sit("Ben", heard)
    anna.take_lock(0)
    assert anna.give(ben.console)
    until(lambda: heard)
    assert not ben.moves
    assert not ben.mover()[1]


def test_that_a_console_that_left_is_not_given_the_lock_nor_one_that_came_in_its_place(sit: Sit) -> None:
    heard: list[ConsoleMessage] = []
    anna, ben = sit("Anna"), sit("Ben")
    anna.take_lock(0)
    ben.close()
    assert not anna.give(ben.console)
    carl = sit("Carl", heard)
    assert carl.console.number == ben.console.number
    anna.send(ben.console, "stop")
    anna.send(carl.console, "ask")
    until(lambda: heard)
    assert [message.kind for message in heard] == ["ask"]


def test_that_what_others_send_is_plain_text_and_nonsense_is_passed_over(sit: Sit) -> None:
    heard: list[ConsoleMessage] = []
    anna, ben = sit("Anna", heard), sit("B\x1b[31mn\n" + "x" * 500)
    assert ben.console.operator.isprintable() and len(ben.console.operator) == 40
    form = {"kind": "ask", "console": asdict(ben.console), "to": asdict(anna.console)}
    form["console"] |= {"host": "\x1b]0;evil\x07", "started": 1e300}
    where = str(runtime_folder() / "arm-192.0.2.7-1.seat")
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
        assert ben.console.number == 2
        assert ben.mover()[1]
        other.kill()
        other.wait()
    gone, held = ben.mover()
    assert gone is not None and gone.pid == other.pid
    assert not held
    assert sit("Carl").console.number == 1, "its number is free again"


def test_that_only_the_user_can_reach_a_seat(sit: Sit) -> None:
    sit("Anna").take_lock(0)
    folder = runtime_folder()
    assert folder.stat().st_mode & 0o077 == 0
    assert (folder / "arm-192.0.2.7.lock").stat().st_mode & 0o077 == 0


def test_that_a_new_episode_waits_until_the_one_before_has_let_go(sit: Sit) -> None:
    wait_until_left(ADDRESS, 5)  # nobody was there
    anna = sit("Anna")
    anna.take_lock(0)
    wait_until_left(ADDRESS, 0.1)
    assert anna.moves
    anna.close()
    wait_until_left(ADDRESS, 5)
