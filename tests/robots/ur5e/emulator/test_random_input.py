"""No input of a client ends the controller or another client's link."""

from __future__ import annotations

import socket
import struct
from collections.abc import Callable
from random import Random
from threading import Thread

import pytest

from tests.robots.ur5e.conftest import Bench, until
from tests.robots.ur5e.emulator import random_input
from tests.robots.ur5e.emulator.clients import Rtde, connect

KINDS: dict[str, tuple[int, Callable[[Random], bytes]]] = {
    "primary": (30001, random_input.script),
    "secondary": (30002, random_input.script),
    "scripts": (30003, random_input.script),
    "dashboard": (29999, random_input.dashboard),
    "rtde": (30004, random_input.package),
    "gripper": (63352, random_input.gripper),
}
BATCH = 25  # lines before the others are asked whether all is well


class Watch:
    """Three clients that were there before, and want to go on as if nothing had happened."""

    def __init__(self, bench: Bench) -> None:
        self._rtde = Rtde(bench.address)
        self._rtde.outputs("timestamp,actual_q", 125)
        self._rtde.ask(b"S")
        self._dashboard = connect(bench.address, 29999)
        self._lines = self._dashboard.makefile("rb")
        self._lines.readline()
        self._gripper = connect(bench.address, 63352)
        self.packages, self.last, self.ended = 0, 0.0, False
        self._thread = Thread(target=self._follow, daemon=True)
        self._thread.start()

    def _follow(self) -> None:
        try:
            for payload in self._rtde.packages():
                now = struct.unpack_from(">Bd", payload)[1]
                assert now > self.last
                self.packages, self.last = self.packages + 1, now
        except (OSError, AssertionError):
            self.ended = True

    def check(self) -> None:
        self._dashboard.sendall(b"robotmode\n")
        assert self._lines.readline().startswith(b"Robotmode: ")
        self._gripper.sendall(b"GET STA\n")
        assert self._gripper.recv(100).startswith(b"STA ")
        seen = self.packages
        until(lambda: self.packages > seen or self.ended)
        assert not self.ended

    def close(self) -> None:
        for sock in (self._rtde.sock, self._dashboard, self._gripper):
            sock.shutdown(socket.SHUT_RDWR)
            sock.close()
        self._thread.join(5)


def pelt(bench: Bench, kind: str, count: int, seed: int) -> None:
    port, make = KINDS[kind]
    random, watch = Random(seed), Watch(bench)
    sock = None
    try:
        for number in range(count):
            sock = sock or connect(bench.address, port)
            data = make(random)
            try:
                sock.sendall(data)
                if kind in ("rtde", "gripper") and random.random() < 0.2:
                    sock.close()  # a buffer that waits for a wrong size takes nothing more
                    sock = None
            except OSError:  # this one may be closed
                sock.close()
                sock = None
            if number % BATCH == BATCH - 1:
                try:
                    watch.check()
                except AssertionError as error:
                    raise AssertionError(f"after {data!r}, {number} of seed {seed}: {error}") from error
            if number % 1000 == 999:
                bench.mend()
        watch.check()
    finally:
        watch.close()
        if sock is not None:
            sock.close()


@pytest.mark.parametrize("kind", KINDS)
def test_that_no_input_harms_the_others(bench: Bench, kind: str) -> None:
    pelt(bench, kind, 100, seed=1)


@pytest.mark.long
@pytest.mark.parametrize("kind", KINDS)
def test_that_ten_thousand_of_a_kind_harm_nobody(bench: Bench, kind: str) -> None:
    bench.mend()
    pelt(bench, kind, 10_000, seed=2)


@pytest.mark.parametrize("port", [29999, 30001, 30002, 30003, 30004, 30999, 63352])
def test_that_a_web_pages_post_is_not_heard(bench: Bench, port: int) -> None:
    bench.power_up()
    for origin in ("http://example.org", "null"):
        with connect(bench.address, port) as sock:
            sock.sendall(
                f"POST / HTTP/1.1\r\nHost: {bench.address}:{port}\r\nOrigin: {origin}\r\n"
                "Content-Type: text/plain\r\n\r\npower off\r\npopup hello\r\nSET ACT 1\r\n"
                'textmsg("heard")\r\n'.encode()
            )
            try:
                while sock.recv(1 << 16):
                    pass
            except ConnectionResetError:
                pass
    assert bench.say("robotmode") == ["Robotmode: RUNNING"]
    assert "heard" not in str(bench.own.ask("log").body)


def test_that_a_request_after_an_honest_line_closes_the_connection_too(bench: Bench) -> None:
    with connect(bench.address, 29999) as sock:
        sock.sendall(b"robotmode\nPOST / HTTP/1.1\r\n\r\npower off\r\n")
        with sock.makefile("rb") as file:
            assert file.read().split(b"\n")[1:] == [b"Robotmode: RUNNING", b""]
    assert bench.say("robotmode") == ["Robotmode: RUNNING"]
