"""Ports 30001 to 30003 and their read-only twins."""

from __future__ import annotations

import struct

import pytest

from tests.robots.ur5e.conftest import Bench, until
from tests.robots.ur5e.emulator.clients import connect, exactly, parts, state_packages


@pytest.mark.parametrize("port", [30001, 30011, 30002, 30012])
def test_that_a_version_comes_first_and_then_states(bench: Bench, port: int) -> None:
    with connect(bench.address, port) as sock:
        stream = state_packages(sock)
        kind, payload = next(stream)
        assert (kind, payload[9]) == (20, 3)
        assert b"URControl" in payload
        kind, payload = next(stream)
        assert kind == 16
        found = parts(payload)
        sizes = {k: 5 + len(v) for k, v in found.items()}
        mode = 46 if port in (30002, 30012) else 47
        assert sizes == {0: mode, 1: 251, 2: 37, 3: 75, 4: 101, 5: 225, 6: 445, 7: 61, 8: 9, 11: 26, 12: 8}
        assert struct.unpack_from(">7?B", found[0], 8) == (True, True, True, False, False, False, False, 7)
        joints = [struct.unpack_from(">d", found[1], 41 * i)[0] for i in range(6)]
        assert joints == pytest.approx(bench.q, abs=1e-3)


@pytest.mark.parametrize("port", [30003, 30013])
def test_that_the_realtime_port_tells_joints_500_times_a_second(bench: Bench, port: int) -> None:
    with connect(bench.address, port) as sock:
        times = []
        for _ in range(100):
            assert struct.unpack(">i", exactly(sock, 4)) == (1220,)
            values = struct.unpack(">152d", exactly(sock, 1216))
            times.append(values[0])
        assert times[-1] - times[0] == pytest.approx(99 * 0.002, abs=0.02)
        assert values[31:37] == pytest.approx(bench.q, abs=1e-3)
        assert values[94] == 7  # robot mode
        assert values[101] == 1  # safety mode


@pytest.mark.parametrize("port", [30001, 30002, 30003])
def test_that_a_script_is_taken(bench: Bench, port: int) -> None:
    with connect(bench.address, port) as sock:
        sock.sendall(f'textmsg("by {port}")\n'.encode())
        until(lambda: f"by {port}" in str(bench.own.ask("log").body))


@pytest.mark.parametrize("port", [30011, 30012, 30013])
def test_that_a_read_only_port_takes_none(bench: Bench, port: int) -> None:
    with connect(bench.address, port) as sock, connect(bench.address, port - 10) as other:
        sock.sendall(f'textmsg("by {port}")\n'.encode())
        other.sendall(f'sleep(0.3)\ntextmsg("after {port}")\n'.encode())
        until(lambda: f"after {port}" in str(bench.own.ask("log").body))
        assert f"by {port}" not in str(bench.own.ask("log").body)


def test_that_a_primary_client_is_told_of_programs_and_errors(bench: Bench) -> None:
    with connect(bench.address, 30001) as sock:
        said = []
        stream = state_packages(sock)
        sock.sendall(b'def told():\n  textmsg("my words ", 3)\nend\ndef bad():\n  nonsense()\nend\n')
        while sum(kind in (7, 10) for kind, _ in said) < 3:
            kind, payload = next(stream)
            if kind == 20:
                said.append((payload[9], payload[10:]))
        assert (0, b"my words 3") in said
        assert (7, struct.pack(">ii", 0, 0) + b"\x13PROGRAM_XXX_STARTEDtold") in said
        assert (10, struct.pack(">ii", 2, 3) + b"compile_error_name_not_found:nonsense:") in said
