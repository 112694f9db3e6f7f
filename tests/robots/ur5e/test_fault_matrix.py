"""The fault matrix: each fault at a random moment of a step, in a window or a terminal that moves an arm.

Demanded of each: the arm stands within the stated time (docs/stop.md); it stays so, whatever is approved,
until a person has released the stop and approved the step anew; no process is left 3 s after the program's
end. A sample runs with `make test`. All of it, each twenty times: `pytest -m long -s --times 20 [--luck WORD]
tests/robots/ur5e/test_fault_matrix.py [-k "link"]`, which prints a line of the table for each.
"""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import cycle
from random import Random
from statistics import median
from threading import Event, Thread

import pytest

from core.arm.handover import HandoverChoice, SharedArm
from core.errors import RobotError
from core.ports import StepStatus
from robots.ur5e.arm import Arm
from robots.ur5e.arm_setup import EMULATED_SETUP
from tests.app.episode.test_ways_out import locked_by_another
from tests.core.vqa.mock.test_hostile_server import answering, read_request, reply
from tests.permitted import move_joints
from tests.robots.ur5e.conftest import Bench, descendants, patiently_ready, stays, until
from tests.robots.ur5e.program import InTerminal, Place, Program, Window

LONGEST = 0.8  # seconds of the step that a fault may wait; the step takes longer
BRAKING = 0.3  # seconds: `stop` takes 0.29 s at most on a busy machine (docs/stop.md), with its braking
BUSY = 1.0  # seconds more in `make test`, where other tests run beside it
HOSTILE = (
    b'{"choices": [' + b"[[]]," * 1_500_000 + b"1]}",
    reply("<b>yes</b><img src=file:///dev/zero>" * 100_000),
    reply("\x1b]0;stopped\x07\x1b[2J\u202e" * 100_000),
    b"[" * 7_999_999,
)


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Place]:
    made = Place(tmp_path_factory.mktemp("program"))
    yield made
    made.close()


# --- the faults -------------------------------------------------------------------------------------------
# Each strikes, and returns from when the arm's standstill counts: None, from its beginning.

Strike = Callable[[Bench, Program, Place], float | None]


def to(process: Callable[[Bench, Program], int], number: signal.Signals) -> Strike:
    return lambda bench, program, place: os.kill(process(bench, program), number)


def console(bench: Bench, program: Program) -> int:
    return program.pid


def guard(bench: Bench, program: Program) -> int:
    return program.guard


def inject(name: str, **values: float) -> Strike:
    return lambda bench, program, place: bench.own.inject_fault(name, **values)


def then_key(strike: Strike) -> Strike:
    def struck(bench: Bench, program: Program, place: Place) -> float:
        strike(bench, program, place)
        began = time.monotonic()
        program.key()
        return began

    return struck


def for_a_moment(begin: Strike, end: Strike) -> Strike:
    """What nothing moves in counts from its end."""

    def struck(bench: Bench, program: Program, place: Place) -> float:
        begin(bench, program, place)
        time.sleep(1.2)
        counts = time.monotonic()
        end(bench, program, place)
        return counts

    return struck


def controlled(number: signal.Signals) -> Strike:
    return lambda bench, program, place: os.kill(bench.process.pid, number)


def key(bench: Bench, program: Program, place: Place) -> None:
    program.key()


def frozen_screen(bench: Bench, program: Program, place: Place) -> None:
    assert isinstance(program, Window)
    program.say("freeze 1.5")


def full_disk(bench: Bench, program: Program, place: Place) -> None:
    assert isinstance(program, Window)
    program.say("full")


def room(bench: Bench, program: Program, place: Place) -> None:
    assert isinstance(program, Window)
    program.say("room")


def closed_under_lock(bench: Bench, program: Program, place: Place) -> float:
    for name in ("window.toml", "console.toml", "window.ini"):
        place.held.enter_context(locked_by_another(program.files / name))
    began = time.monotonic()
    program.process.terminate()
    return began


def hostile_replies(bench: Bench, program: Program, place: Place) -> None:
    """One after the other is read, and was not asked for by the loop."""
    assert isinstance(program, Window)
    listener, bodies = socket.create_server(("127.0.0.1", 0)), cycle(HOSTILE)
    sent = Event()

    def serve() -> None:
        with suppress(OSError):
            while True:
                connection, _ = listener.accept()
                with suppress(OSError), connection:
                    read_request(connection)
                    answering(next(bodies))(connection)
                    sent.set()  # and is being read

    def end() -> None:
        program.say("ask")
        listener.shutdown(socket.SHUT_RDWR)
        listener.close()

    Thread(target=serve, daemon=True).start()
    place.held.callback(end)
    program.say(f"ask http://127.0.0.1:{listener.getsockname()[1]}/v1")
    assert sent.wait(15)


def second_console(bench: Bench, program: Program, place: Place) -> None:
    """It watches, wants a motion, which is refused, and asks for the arm."""
    place.second = second = Arm(replace(EMULATED_SETUP, address=bench.address))
    place.held.callback(second.close)
    second.connect()
    second.handover.attend("terminal", lambda news: None)
    for wanted in (lambda: second.release_stop(0), lambda: move_joints(second, (0.0,) * 6)):
        with pytest.raises(RobotError, match="moves this arm"):
            wanted()
    chosen(second, HandoverChoice.ASK)


def handed_over_and_back(bench: Bench, program: Program, place: Place) -> None:
    """Whoever has the arm moves it, and the other does not; each finds it halted."""
    assert isinstance(program, Window)
    second = place.second
    assert second is not None
    program.say("hand over GIVE")
    chosen(second, HandoverChoice.TAKE)
    assert second.handover.refusal == "" and second.latch.halted
    program.approve_stopped()
    program.say("release")
    stays(bench, 0.3)
    patiently_ready(second, second.latch.last_halt())
    assert second.state is not None
    a, *rest = second.state.q
    assert move_joints(second, (a - 0.1, *rest)).status is StepStatus.DONE
    program.say("hand over ASK")
    until(lambda: HandoverChoice.GIVE in shared_by(second).choices)
    chosen(second, HandoverChoice.GIVE)
    until(lambda: HandoverChoice.TAKE in shared_by(second).choices)

    def taken() -> bool:
        program.say("hand over TAKE")  # which its window may not offer yet
        time.sleep(0.3)
        return not shared_by(second).free

    until(taken)


def chosen(console: Arm, choice: HandoverChoice) -> None:
    until(lambda: choice in shared_by(console).choices)
    assert console.handover.choose(choice) == ""


def shared_by(console: Arm) -> SharedArm:
    shared = console.handover.shared
    assert shared is not None
    return shared


def hang_up(bench: Bench, program: Program, place: Place) -> None:
    assert isinstance(program, InTerminal)
    program.hang_up()


thaw = inject("thaw")


@dataclass(frozen=True)
class Fault:
    name: str
    strike: Strike
    within: float = 0.0  # seconds that pass before the stop, as docs/stop.md says
    kind: str = "window"
    ends: bool = False  # the program does not outlive it
    before: Strike | None = None  # the step is approved
    mend: Strike = thaw  # once the arm stands
    sampled: bool = True


DEAD = "controller killed"
KILL, SUSPEND, RESUME = signal.SIGKILL, signal.SIGSTOP, signal.SIGCONT
HEARTBEAT = 0.6  # seconds
WATCHDOG = 1 / EMULATED_SETUP.watchdog
FAULTS = (
    Fault("frozen screen", frozen_screen, HEARTBEAT),
    Fault("console suspended", to(console, SUSPEND), HEARTBEAT, mend=to(console, RESUME), sampled=False),
    Fault("guard suspended", to(guard, SUSPEND), WATCHDOG, sampled=False),
    Fault("guard killed", to(guard, KILL), sampled=False),
    Fault("link cut", inject("drop"), WATCHDOG, sampled=False),
    Fault("gripper's link dead, and Esc", then_key(inject("gripper silent")), sampled=False),
    Fault("hostile replies, and Esc", key, before=hostile_replies),
    Fault("second console, and Esc", then_key(second_console), mend=handed_over_and_back, sampled=False),
    Fault("controller frozen", for_a_moment(inject("freeze", seconds=60.0), inject("thaw")), sampled=False),
    Fault("controller suspended", for_a_moment(controlled(SUSPEND), controlled(RESUME)), sampled=False),
    Fault(
        "controller slow, and Esc",
        for_a_moment(then_key(inject("slow", late=0.15)), inject("thaw")),
        sampled=False,
    ),
    Fault("protective stop", inject("protective"), sampled=False),
    Fault("safeguard stop", inject("safeguard"), sampled=False),
    Fault("emergency stop", inject("emergency stop"), sampled=False),
    Fault("violation", inject("violation"), sampled=False),
    Fault("local control, and Esc", then_key(inject("local")), sampled=False),
    Fault("full disk, and Esc", then_key(full_disk), mend=room, sampled=False),
    Fault("settings locked, and closed", closed_under_lock, ends=True, sampled=False),
    Fault("console killed", to(console, KILL), ends=True),
    Fault(
        "terminal suspended",
        to(console, SUSPEND),
        HEARTBEAT,
        "terminal",
        mend=to(console, RESUME),
        sampled=False,
    ),
    Fault("terminal hung up", hang_up, kind="terminal", ends=True, sampled=False),
    Fault("terminal killed", to(console, KILL), kind="terminal", ends=True, sampled=False),
    Fault(DEAD, controlled(KILL), sampled=False),
)


# --- what is demanded -------------------------------------------------------------------------------------


def survive(fault: Fault, place: Place, luck: Random) -> float:
    """Strike once; return the seconds to standstill."""
    bench, program = place.at(fault.kind)
    stays(bench, 0.2)  # released, and not yet approved
    with place.held:
        if fault.before is not None:
            fault.before(bench, program, place)
        begin(bench, program)
        children = {program.pid: "", **descendants(program.pid)}
        time.sleep(luck.uniform(0, LONGEST))
        assert bench.moving, "the step had ended before the fault"
        began = time.monotonic()
        began = fault.strike(bench, program, place) or began
        if fault.name == DEAD:
            return outlived(program)
        until(lambda: not bench.moving)
        took = time.monotonic() - began
        stays(bench, 0.3)
        fault.mend(bench, program, place)
        program.approve_stopped()
        stays(bench, 0.4)
        if fault.ends:
            program.ended(children, 15)
    bench.mend()
    return max(0.0, took)


def begin(bench: Bench, program: Program) -> None:
    """Approve a step; again where a stop that the person had not seen when they released one holds it."""
    for _ in range(3):
        program.waits()
        program.approve()
        end = time.monotonic() + 8
        while time.monotonic() < end:
            if bench.moving:
                return
            time.sleep(0.01)
    raise AssertionError("it did not begin to move")


def outlived(program: Program) -> float:
    """The arm cannot be seen any more: the program lives, and releases nothing."""
    assert isinstance(program, Window)
    until(lambda: program.phase == "STOPPED")
    program.say("release")
    time.sleep(0.5)
    assert program.phase == "STOPPED" and program.alive
    return 0.0


@pytest.mark.parametrize("fault", [f for f in FAULTS if f.sampled], ids=lambda f: f.name)
def test_that_a_fault_in_mid_step_is_survived(fault: Fault, place: Place) -> None:
    luck = time.time_ns() % 10_000
    print(f"luck {luck}")
    assert survive(fault, place, Random(luck)) < fault.within + BRAKING + BUSY


@pytest.mark.long
@pytest.mark.parametrize("fault", FAULTS, ids=lambda f: f.name)
def test_that_it_is_survived_at_any_moment(fault: Fault, place: Place, pytestconfig: pytest.Config) -> None:
    times, word = pytestconfig.getoption("times", 20), pytestconfig.getoption("luck", "")
    luck, took, failed = Random(word + fault.name), list[float](), list[str]()
    for n in range(times):
        try:
            took.append(survive(fault, place, luck))
            if took[-1] > fault.within + BRAKING:
                failed.append(f"{n}: stood after {took[-1]:.3f} s")
        except (AssertionError, RobotError, OSError, subprocess.TimeoutExpired) as error:
            failed.append(f"{n}: {error}")
            with suppress(Exception):
                place.close()
    ms = [1000 * t for t in took] or [0.0]
    load = os.getloadavg()[0]
    print(
        f"| {fault.name} | {times} | {median(ms):.0f} ms | {max(ms):.0f} ms | {len(failed)} | load {load:.1f}"
    )
    assert not failed, failed
