"""The emulator as clients see it: ur_rtde as it is installed, and plain sockets."""

from __future__ import annotations

import socket
import struct

import pytest

from tests.robots.ur5e.conftest import Bench, until

HOME = "[3.14159, -1.57, 1.57, -1.57, -1.57, 0.0]"


@pytest.fixture(scope="module")
def bench(off: Bench) -> Bench:
    """One of its own, on which no program has been loaded."""
    off.power_up()
    return off


def test_that_it_starts_powered_off_in_remote_control(off: Bench) -> None:
    assert off.say("robotmode", "safetymode", "is in remote control", "running") == [
        "Robotmode: POWER_OFF",
        "Safetymode: NORMAL",
        "true",
        "Program running: false",
    ]


def test_that_no_program_starts_while_it_is_off(off: Bench) -> None:
    with socket.create_connection((off.address, 30003), 5) as sock:
        sock.sendall(b"def nothing():\n movej([1,-1.5,1.5,-1.5,-1.5,0])\nend\n")
        until(lambda: "nothing not started" in str(off.own.ask("log").body))
    assert not off.moving


def test_that_the_dashboard_speaks_polyscopes_words(bench: Bench) -> None:
    replies = bench.say("PolyscopeVersion", "get serial number", "isProgramSaved", "play", "nonsense", "quit")
    assert replies[0].startswith("URSoftware 5.15.2.")
    assert replies[1].isdigit()
    assert replies[2].startswith("True ")
    assert replies[3:] == ["Failed to execute: play", "could not understand: 'nonsense'", "Disconnected"]


def test_that_ur_rtde_moves_it_reads_where_it_is_and_is_told_of_its_operations(bench: Bench) -> None:
    out = bench.run(
        f"""
import time
from rtde_control import RTDEControlInterface
from rtde_receive import RTDEReceiveInterface
r, c = RTDEReceiveInterface(ADDRESS), RTDEControlInterface(ADDRESS)
assert c.setTcp([0, 0, 0.157, 0, 0, 0]) and c.setPayload(0.98, [0, 0, 0.058])
q = {HOME}
assert c.moveJ(q, 2.0, 4.0)
pose = r.getActualTCPPose()
pose[2] -= 0.05
assert c.getInverseKinematicsHasSolution(pose)
assert c.moveL(pose, 0.25, 1.2)
print(max(abs(a - b) for a, b in zip(r.getActualTCPPose()[:3], pose[:3])) < 1e-3)
print(r.getRobotMode(), r.getSafetyMode(), c.isProgramRunning())
before = c.getAsyncOperationProgressEx().operationId()
q[0] -= 1.0
c.moveJ(q, 0.5, 1.0, True)
end = time.monotonic() + 10
while not c.getAsyncOperationProgressEx().isAsyncOperationRunning() and time.monotonic() < end:
    time.sleep(0.005)
now = c.getAsyncOperationProgressEx()
print(now.isAsyncOperationRunning(), (now.operationId() - before) % 128)
c.stopJ(20.0)
time.sleep(0.2)
print(c.getAsyncOperationProgressEx().isAsyncOperationRunning())
c.stopScript(); c.disconnect(); r.disconnect()
"""
    )
    assert out.split() == ["True", "7", "1", "True", "True", "1", "False"]
    until(lambda: not bench.moving)


def test_that_ur_rtdes_io_sets_outputs_and_the_speed_slider(bench: Bench) -> None:
    out = bench.run(
        """
import time
from rtde_io import RTDEIOInterface
from rtde_receive import RTDEReceiveInterface
r, io = RTDEReceiveInterface(ADDRESS), RTDEIOInterface(ADDRESS)
io.setStandardDigitalOut(3, True); io.setSpeedSlider(0.4)
end = time.monotonic() + 10
while not (r.getDigitalOutState(3) and r.getTargetSpeedFraction() < 0.5) and time.monotonic() < end:
    time.sleep(0.01)
print(r.getDigitalOutState(3), round(r.getTargetSpeedFraction(), 3))
io.setSpeedSlider(1.0); io.disconnect(); r.disconnect()
"""
    )
    assert out.split() == ["True", "0.4"]


def test_that_a_register_has_one_owner_until_it_leaves(bench: Bench) -> None:
    first, second = plain(bench), plain(bench)
    assert ask(first, b"I", b"input_int_register_0") == b"\1INT32"
    assert ask(second, b"I", b"input_int_register_0") == b"\0IN_USE"
    first.close()
    until(lambda: ask(second, b"I", b"input_int_register_0") == b"\1INT32")
    second.close()


def test_that_an_unknown_variable_is_named(bench: Bench) -> None:
    with plain(bench) as sock:
        assert ask(sock, b"O", struct.pack(">d", 125) + b"timestamp,nonsense") == b"\0DOUBLE,NOT_FOUND"


def test_that_a_client_that_never_reads_holds_up_nobody(bench: Bench) -> None:
    with plain(bench) as deaf, plain(bench) as other:
        for sock in (deaf, other):
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            ask(sock, b"O", struct.pack(">d", 500) + b"timestamp,actual_q,target_q,actual_qd")
            ask(sock, b"S", b"")
        times = [struct.unpack_from(">d", frame(other)[1], 1)[0] for _ in range(1500)]
        assert times == sorted(times)
        assert times[-1] - times[0] >= 2.9
        until(lambda: bench.own.ask("status").number("dropped") > 0)


def test_that_another_protocol_closes_only_its_own_connection(bench: Bench) -> None:
    with plain(bench) as sock:
        sock.sendall(b"\0\0GET / HTTP/1.1\r\n\r\n")
        assert sock.recv(100) == b""
    assert bench.say("robotmode") == ["Robotmode: RUNNING"]


def test_that_the_gripper_activates_and_closes_on_nothing(bench: Bench) -> None:
    with socket.create_connection((bench.address, 63352), 5) as sock:
        assert talk(sock, "GET NONSENSE") == "NONSENSE ?"
        assert talk(sock, "SET ACT 1 GTO 1") == "ack"
        until(lambda: talk(sock, "GET STA") == "STA 3")
        assert talk(sock, "SET POS 255 SPE 255 FOR 100 GTO 1") == "ack"
        until(lambda: talk(sock, "GET OBJ") == "OBJ 3")
        assert int(talk(sock, "GET POS").split()[1]) > 245
        assert talk(sock, "SET POS 0 GTO 1") == "ack"
        until(lambda: talk(sock, "GET OBJ") == "OBJ 3")


def test_that_local_control_refuses_what_moves(bench: Bench) -> None:
    bench.own.inject_fault("local")
    try:
        assert bench.say("is in remote control") == ["false"]
        assert "not allowed" in bench.say("power off")[0]
    finally:
        bench.own.inject_fault("remote")
    assert bench.say("robotmode") == ["Robotmode: RUNNING"]


def test_that_an_emergency_stop_needs_power_and_brakes_again(bench: Bench) -> None:
    bench.own.inject_fault("emergency stop")
    assert bench.say("safetymode") == ["Safetymode: ROBOT_EMERGENCY_STOP"]
    assert bench.say("robotmode") == ["Robotmode: POWER_OFF"]
    bench.own.inject_fault("emergency stop released")
    assert bench.say("safetymode", "robotmode") == ["Safetymode: NORMAL", "Robotmode: POWER_OFF"]
    bench.power_up()


@pytest.mark.parametrize("address", ["0.0.0.0", "192.168.1.5"])
def test_that_it_listens_on_loopback_only_unless_told(address: str) -> None:
    from core.errors import BadValue
    from robots.ur5e.emulator.emulator import Emulator

    with pytest.raises(BadValue, match="loopback"):
        Emulator(address)


def test_that_a_taken_address_is_named_with_the_way_out(bench: Bench) -> None:
    from core.errors import RobotError
    from robots.ur5e.emulator.emulator import Emulator

    with pytest.raises(RobotError, match="another one may be running"):
        Emulator(bench.address)


def plain(bench: Bench) -> socket.socket:
    sock = socket.create_connection((bench.address, 30004), 5)
    assert ask(sock, b"V", struct.pack(">H", 2)) == b"\1"
    return sock


def frame(sock: socket.socket) -> tuple[bytes, bytes]:
    head = _exactly(sock, 3)
    size, kind = struct.unpack(">Hc", head)
    return kind, _exactly(sock, size - 3)


def ask(sock: socket.socket, kind: bytes, payload: bytes) -> bytes:
    sock.sendall(struct.pack(">Hc", 3 + len(payload), kind) + payload)
    answered, reply = frame(sock)
    assert answered == kind
    return reply


def talk(sock: socket.socket, line: str) -> str:
    sock.sendall(line.encode() + b"\n")
    return sock.recv(100).decode().strip()


def _exactly(sock: socket.socket, count: int) -> bytes:
    data = b""
    while len(data) < count:
        more = sock.recv(count - len(data))
        assert more, "closed"
        data += more
    return data
