"""One emulator for each test file, on a loopback address of its own: ur_rtde's ports cannot be moved."""

from __future__ import annotations

import math
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from random import SystemRandom
from threading import Thread
from time import monotonic, sleep

import pytest

from core.arm.arm_capabilities import JogCommand, JogFrame
from core.errors import RobotNotReady
from core.ports import StepResult
from core.stop_token import StopToken
from robots.ur5e.arm import Arm
from robots.ur5e.arm_services import ArmServices
from robots.ur5e.arm_setup import EMULATED_SETUP, ArmLimits
from robots.ur5e.emulator.admin_client import AdminClient
from robots.ur5e.emulator.process import EmulatorProcess
from robots.ur5e.gripper.gripper import Gripper
from tests.permitted import move_joints

ROOT = Path(__file__).parents[3]
UP = JogCommand(JogFrame.BASE, 2, 0.2)
FAST = ArmLimits(tool_speed=1.0, tool_acceleration=2.5, joint_speed=2.5, joint_acceleration=5.0)
_taken: list[socket.socket] = []  # as long as this process lives


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--times", type=int, default=20, help="how often each fault strikes in the long check")
    parser.addoption("--luck", default="", help="other random moments, for a run that goes on another")


def fresh_address() -> str:
    """An address for one emulator. None is given twice, also not to another test process: where an emulator
    has died, an arm that looks for it must not meet the next one.
    """
    while True:
        draw = SystemRandom()
        address = f"127.{draw.randrange(64, 128)}.{draw.randrange(256)}.{draw.randrange(2, 252)}"
        sock = socket.socket()
        try:
            sock.bind((address, 29998))
        except OSError:
            sock.close()
        else:
            _taken.append(sock)
            return address


class Bench:
    """An emulator with a person at its pendant."""

    def __init__(self, process: EmulatorProcess) -> None:
        self.process, self.address = process, process.address
        self.own = AdminClient(self.address)

    def say(self, *lines: str) -> list[str]:
        """Lines for the dashboard, and what it replies."""
        with socket.create_connection((self.address, 29999), 5) as sock, sock.makefile("rw") as file:
            file.readline()
            replies = []
            for line in lines:
                file.write(line + "\n")
                file.flush()
                replies.append(file.readline().strip())
            return replies

    def power_up(self) -> None:
        self.say("brake release")
        until(lambda: self.say("robotmode") == ["Robotmode: RUNNING"])

    def mend(self) -> None:
        """What a person at the pendant would do after a fault."""
        for fault in ("thaw", "remote", "safeguard closed", "emergency stop released"):
            self.own.inject_fault(fault)
        if self.say("safetymode") == ["Safetymode: PROTECTIVE_STOP"]:
            until(lambda: self.say("unlock protective stop") == ["Protective stop releasing"], 30)
        if self.say("safetymode") == ["Safetymode: VIOLATION"]:
            self.say("close safety popup", "restart safety")
        self.say("stop")
        if self.say("robotmode") != ["Robotmode: RUNNING"]:
            self.power_up()

    def truth(self) -> dict[str, object]:
        return dict(self.own.ask("truth").body)

    @property
    def q(self) -> list[float]:
        return list(self.truth()["q"])  # type: ignore[call-overload]

    @property
    def moving(self) -> bool:
        return bool(self.truth()["moving"])

    def run(self, code: str, timeout: float = 60) -> str:
        """Code with ur_rtde in a process of its own, which its defects may end."""
        done = subprocess.run(
            [sys.executable, "-c", f"ADDRESS = {self.address!r}\n{code}"],
            capture_output=True,
            text=True,
            timeout=timeout,
            cwd=ROOT,
            check=False,
        )
        assert done.returncode == 0, done.stderr + done.stdout
        return done.stdout

    def close(self) -> None:
        self.own.close()
        self.process.close()


def until(condition: Callable[[], bool], seconds: float = 15) -> None:
    end = monotonic() + seconds
    while not condition():
        assert monotonic() < end, "it never came about"
        sleep(0.01)


@pytest.fixture(scope="module")
def off() -> Iterator[Bench]:
    """Powered off, as it starts."""
    bench = Bench(EmulatorProcess(fresh_address(), "empty", cameras=False))
    yield bench
    bench.close()


@pytest.fixture(scope="session")
def running() -> Iterator[Bench]:
    """The bench of all test files of a worker: to start one takes a second."""
    bench = Bench(EmulatorProcess(fresh_address(), "empty", cameras=False))
    bench.power_up()
    yield bench
    bench.close()


@pytest.fixture(scope="module")
def bench(running: Bench) -> Bench:
    """Running, brakes released, and where the tests before have left it. A file may have one of its own."""
    running.mend()
    return running


@pytest.fixture(scope="module")
def kept(bench: Bench) -> Iterator[list[Arm]]:
    """The arm that one test leaves to the next: it takes long until a control process can move one."""
    arms: list[Arm] = []
    yield arms
    for arm in arms:
        arm.close()


@pytest.fixture
def arm(bench: Bench, kept: list[Arm]) -> Iterator[Arm]:
    """Ready to move, with a person's word; it and the bench are put right again afterwards. Another one, if
    the last has lost its link, its process or its console.
    """
    if kept:
        made = kept[0]
        patiently_ready(made, made.latch.last_halt())
    else:
        made = connected(bench)
        kept.append(made)
    setup, pid = made.setup, made.control.pid
    try:
        yield made
    finally:
        if made.control.pid:
            made.halt()
        bench.mend()
        made.setup = setup
        made.on_standstill(lambda halt, seconds: None)
        if made.control.pid != pid or made.receiver.link_losses:
            kept.remove(made)
            made.close()


@pytest.fixture
def alone(bench: Bench, kept: list[Arm]) -> Bench:
    """With no arm at it that another test has left."""
    while kept:
        kept.pop().close()
    return bench


@pytest.fixture
def gripper(arm: Arm) -> Iterator[Gripper]:
    made = Gripper(arm)
    yield made
    made.close()


@pytest.fixture
def panel(arm: Arm, gripper: Gripper) -> Iterator[ArmServices]:
    """It has asked the controller by now."""
    made = ArmServices(arm, gripper)
    made.preflight()
    until(lambda: made.preflight()[3].ok)
    yield made
    made.close_services()


@contextmanager
def fast_arms() -> Iterator[None]:
    """Emulated tabletop robots move faster than they may beside people: tests wait for them."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("robots.ur5e.tabletop.hardware.EMULATED_SETUP", replace(EMULATED_SETUP, limits=FAST))
        yield


def connected(bench: Bench, **setup: object) -> Arm:
    made = Arm(replace(EMULATED_SETUP, address=bench.address, **setup))  # type: ignore[arg-type]
    try:
        made.connect()
        patiently_ready(made)
    except BaseException:
        made.close()
        raise
    return made


def gone(pid: int) -> bool:
    """No such process, or one that has ended and waits for nobody."""
    stat = Path(f"/proc/{pid}/stat")
    return not stat.exists() or stat.read_text().rsplit(")", 1)[1].split()[0] == "Z"


def descendants(parent: int) -> dict[int, str]:
    """Every process under this one, with its command."""
    parents: dict[int, int] = {}
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            state, of = (entry / "stat").read_text().rpartition(")")[2].split()[:2]
        except OSError:  # it has just ended
            continue
        if state != "Z":
            parents[int(entry.name)] = int(of)
    found, new = dict[int, str](), {parent}
    while new := {pid for pid, of in parents.items() if of in new}:
        found.update({pid: command(pid) for pid in new})
    return found


def command(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/cmdline").read_text().replace("\0", " ")
    except OSError:
        return ""


def patiently_ready(arm: Arm, up_to: int = 0, seconds: float = 20) -> None:
    """As a person who tries again: on a machine that is too busy, old data refuse a start."""
    end = monotonic() + seconds
    while True:
        try:
            return arm.release_stop(up_to)
        except RobotNotReady as error:
            if " s old" not in str(error) or monotonic() > end:
                raise


class Mover:
    """A move in a thread of its own, as the loop's."""

    def __init__(self, arm: Arm, turn: float = 1.0, scale: float = 0.6) -> None:
        self.cancel = StopToken()
        self.outcome: StepResult | None = None
        assert arm.state is not None
        a, *rest = arm.state.q
        goal = (a + (turn if a <= math.pi else -turn), *rest)
        self.goal = goal[0]
        self._thread = Thread(target=self._go, args=(arm, goal, scale))
        self._thread.start()
        until(lambda: bool(self.outcome) or (arm.state is not None and not arm.state.at_standstill))
        if self.outcome is not None:
            raise RobotNotReady(f"It did not begin to move: {self.outcome.detail}.")

    def _go(self, arm: Arm, goal: tuple[float, ...], scale: float) -> None:
        self.outcome = move_joints(arm, goal, self.cancel, scale)

    def ended(self) -> StepResult:
        self._thread.join(30)
        assert self.outcome is not None, "the move never ended"
        return self.outcome


def stays(bench: Bench, seconds: float = 0.4) -> None:
    """The arm stands, and goes on standing."""
    until(lambda: not bench.moving)
    before = bench.truth()
    end = float(before["now"]) + seconds  # type: ignore[arg-type]
    until(lambda: bench.own.ask("truth").number("now") > end)
    after = bench.q
    assert max(abs(a - b) for a, b in zip(before["q"], after, strict=True)) < 2e-3, "it moved again"  # type: ignore[call-overload]
