"""What the driver does, and what a console must never do."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from dataclasses import replace
from threading import Event, Thread

import pytest

from core.cancel import Cancel
from core.errors import BadValue, RobotNotReady
from core.ports import Ending, World
from robots.ur5e import preflight
from robots.ur5e.arm import Arm
from robots.ur5e.kinematics import forward
from robots.ur5e.modes import Runtime
from robots.ur5e.recovery import Recovery, Stage
from robots.ur5e.setup import EMULATED, Limits, Setup
from tests.robots.ur5e.conftest import ROOT, Bench, Mover, connected, gone, patiently_ready, stays, until
from tests.robots.ur5e.test_protocols import ask, plain

PARENT = """
import sys, dataclasses
from core.cancel import Cancel
from robots.ur5e.arm import Arm
from robots.ur5e.setup import EMULATED
arm = Arm(dataclasses.replace(EMULATED, address=sys.argv[1], watchdog=float(sys.argv[2])))
arm.connect(); arm.ready(0)
a, *rest = arm.state.q
print(arm.link.pid, flush=True)
arm.move_joints((a - 1.5 if a > 3 else a + 1.5, *rest), Cancel(), 0.3)
"""


def test_that_nothing_moves_before_a_person_has_switched_it_on(off: Bench) -> None:
    arm = Arm(replace(EMULATED, address=off.address))
    try:
        arm.connect()
        with pytest.raises(RobotNotReady, match="powered off"):
            arm.ready(0)
        with pytest.raises(RobotNotReady, match="Only a person"):
            arm.power_on("")
        assert off.say("robotmode") == ["Robotmode: POWER_OFF"]
        arm.power_on("a person")
        assert off.say("robotmode") == ["Robotmode: RUNNING"]
    finally:
        arm.close()


def test_that_it_goes_where_it_is_told(arm: Arm, bench: Bench) -> None:
    assert arm.world is World.EMULATED
    assert arm.state is not None
    goal = forward(arm.state.q, arm.tcp)
    goal[2, 3] -= 0.05
    assert arm.move_line(goal, Cancel()).ending is Ending.DONE
    assert abs(arm.state.tool[2] - goal[2, 3]) < 1e-3
    goal[2, 3] += 0.05
    assert arm.move_line(goal, Cancel()).ending is Ending.DONE


def test_that_a_stop_ends_a_move_and_is_measured_until_standstill(arm: Arm, bench: Bench) -> None:
    move = Mover(arm)
    number = arm.halt()
    assert move.ended().ending is Ending.HALTED
    until(lambda: bool(arm.stops))
    assert arm.stops[0].number == number
    assert arm.stops[0].seconds is not None
    assert abs(bench.q[0] - move.goal) > 0.1
    stays(bench)


def test_that_after_a_stop_nothing_moves_until_it_is_released_by_its_number(arm: Arm, bench: Bench) -> None:
    first, second = arm.halt(), arm.halt()
    assert arm.state is not None
    q = arm.state.q
    assert arm.move_joints(q, Cancel()).ending is Ending.HALTED
    arm.ready(first)
    assert arm.move_joints(q, Cancel()).ending is Ending.HALTED
    arm.ready(second)
    stays(bench, 0.2)
    assert arm.move_joints(q, Cancel()).ending is Ending.DONE


@pytest.mark.parametrize("after", [0.0, 0.004, 0.008, 0.012, 0.02, 0.03])
def test_that_a_stop_while_the_move_is_being_sent_wins(arm: Arm, bench: Bench, after: float) -> None:
    assert arm.state is not None
    began, outcomes, asked = bench.q, [], Event()
    a, *rest = arm.state.q
    goal = (a - 1.0 if a > 3 else a + 1.0, *rest)

    def go() -> None:
        asked.set()
        outcomes.append(arm.move_joints(goal, Cancel(), 0.5))  # type: ignore[arg-type]

    moving = Thread(target=go)
    moving.start()
    asked.wait()
    Event().wait(after)
    number = arm.halt()
    moving.join(15)
    assert [o.ending for o in outcomes] == [Ending.HALTED]
    stays(bench)
    assert abs(bench.q[0] - began[0]) < 0.5
    arm.ready(number)
    stays(bench, 0.3)  # nor is it made when the program runs again


@pytest.mark.parametrize("process", ["the same", "a fresh"])
def test_that_a_jog_left_in_the_registers_is_not_taken_up_by_a_release(
    arm: Arm, bench: Bench, process: str
) -> None:
    number = arm.halt()
    until(lambda: arm.state is not None and arm.state.runtime is Runtime.STOPPED)
    if process == "a fresh":
        os.kill(arm.link.pid, signal.SIGKILL)
        until(lambda: not arm.link.pid and not arm.enabled)
        number = 99
    bench.own.fault("leftover")  # as a stop between speedJ and the next sign of life leaves it
    before = bench.q
    arm.ready(number)
    end = bench.own.ask("truth").number("now") + 0.5  # seconds of the arm's own time
    until(lambda: bench.own.ask("truth").number("now") > end)
    assert max(abs(a - b) for a, b in zip(before, bench.q, strict=True)) < 1e-3


def test_that_two_who_make_it_ready_at_once_do_not_disturb_each_other(bench: Bench) -> None:
    made = Arm(replace(EMULATED, address=bench.address))
    try:
        made.connect()
        both = [Thread(target=patiently_ready, args=(made,)) for _ in range(2)]
        for thread in both:
            thread.start()
        for thread in both:
            thread.join(30)
        assert made.enabled
        assert made.state is not None
        assert made.move_joints(made.state.q, Cancel()).ending is Ending.DONE
    finally:
        made.close()
        bench.mend()


def test_that_a_stop_during_the_check_stays(arm: Arm, bench: Bench) -> None:
    first = arm.halt()
    checking = Thread(target=lambda: arm.ready(first))
    checking.start()
    second = arm.halt()
    checking.join(15)
    assert arm.latch.halted
    assert arm.state is not None
    assert arm.move_joints(arm.state.q, Cancel()).ending is Ending.HALTED
    arm.ready(second)
    assert not arm.latch.halted
    stays(bench, 0.2)


def test_that_a_cancel_stops_the_arm_too(arm: Arm, bench: Bench) -> None:
    move = Mover(arm)
    move.cancel.end("the episode was ended")
    outcome = move.ended()
    assert (outcome.ending, outcome.detail) == (Ending.HALTED, "the episode was ended")
    stays(bench)


def test_that_a_limit_forbids_before_anything_moves(arm: Arm, bench: Bench) -> None:
    assert arm.state is not None
    before = bench.q
    goal = forward(arm.state.q, arm.tcp)
    goal[2, 3] = -0.1
    outcome = arm.move_line(goal, Cancel())
    assert outcome.ending is Ending.FAILED
    assert "outside the box" in outcome.detail
    a, *rest = arm.state.q
    assert arm.move_joints((a, rest[0] + 1.4, *rest[1:]), Cancel()).ending is Ending.FAILED  # type: ignore[arg-type]
    assert max(abs(x - y) for x, y in zip(before, bench.q, strict=True)) < 1e-4


def test_that_a_protective_stop_is_recovered_only_by_a_person(arm: Arm, bench: Bench) -> None:
    move = Mover(arm)
    bench.own.fault("protective")
    outcome = move.ended()
    assert outcome.ending is Ending.HALTED
    assert "protective stop" in outcome.detail
    with pytest.raises(RobotNotReady, match="protective stop"):
        arm.ready(99)
    wizard = Recovery(arm)
    assert wizard.stage is Stage.INSPECT
    with pytest.raises(RobotNotReady, match="cannot be unlocked now"):
        wizard.unlock()
    with pytest.raises(RobotNotReady, match="say who"):
        wizard.inspected("")
    wizard.inspected("a person")
    assert wizard.stage is Stage.WAIT
    until(lambda: wizard.stage is Stage.UNLOCK)
    assert bench.say("safetymode") == ["Safetymode: PROTECTIVE_STOP"], "nothing unlocks by itself"
    until(lambda: unlocked(wizard))
    assert arm.latch.halted
    stays(bench)
    arm.ready(99)
    assert not arm.latch.halted
    stays(bench)


def unlocked(wizard: Recovery) -> bool:
    """The controller counts its five seconds by its own clock, which a busy machine slows down."""
    try:
        wizard.unlock()
    except RobotNotReady as error:
        assert "until 5s after" in str(error)
        return False
    return True


@pytest.mark.parametrize("fault", ["safeguard", "emergency stop"])
def test_that_a_stop_by_the_controller_latches_ours(arm: Arm, bench: Bench, fault: str) -> None:
    move = Mover(arm)
    bench.own.fault(fault)
    assert move.ended().ending is Ending.HALTED
    assert arm.latch.halted
    bench.own.fault("safeguard closed")
    bench.own.fault("emergency stop released")
    stays(bench)


def test_that_a_lost_link_ends_the_move_and_nothing_moves_after_it(arm: Arm, bench: Bench) -> None:
    move = Mover(arm)
    bench.own.fault("drop")
    assert move.ended().ending is Ending.HALTED
    stays(bench)
    assert arm.move_joints((0,) * 6, Cancel()).ending is Ending.HALTED
    until(lambda: all(check.ok for check in arm.preflight()))
    stays(bench, 0.3)
    arm.ready(99)
    assert arm.state is not None
    assert arm.move_joints(arm.state.q, Cancel()).ending is Ending.DONE


def test_that_silence_of_the_controller_is_not_taken_for_standing(arm: Arm, bench: Bench) -> None:
    told: list[tuple[int, float | None]] = []
    arm.tell_standstill(lambda halt, seconds: told.append((halt, seconds)))
    move = Mover(arm)
    bench.own.fault("freeze", seconds=60.0)
    outcome = move.ended()
    assert outcome.ending is Ending.HALTED
    assert "may still move" in outcome.detail
    assert "not known to stand" in outcome.detail
    with pytest.raises(RobotNotReady, match="data"):
        arm.ready(99)
    until(lambda: bool(told))
    assert told == [(1, None)], "nobody knows whether it stands"
    bench.own.fault("thaw")
    stays(bench)
    until(lambda: len(told) > 1)
    assert told[1][0] == 1
    assert (told[1][1] or 0) > 5, "seen to stand only now"


def test_that_no_move_begins_while_the_program_is_paused(arm: Arm, bench: Bench) -> None:
    assert bench.say("pause") == ["Pausing program"]
    until(lambda: arm.state is not None and arm.state.runtime is Runtime.PAUSED)
    assert arm.state is not None
    a, *rest = arm.state.q
    outcome = arm.move_joints((a - 0.3, *rest), Cancel())  # type: ignore[arg-type]
    assert (outcome.ending, outcome.detail) == (Ending.HALTED, "the control program is paused")
    bench.say("play")
    stays(bench, 0.3)


def test_that_old_data_block_motion(arm: Arm, bench: Bench) -> None:
    bench.own.fault("freeze", seconds=3.0)
    until(lambda: arm.receiver.age > 0.2)
    assert arm.state is not None
    outcome = arm.move_joints(arm.state.q, Cancel())
    assert outcome.ending is Ending.HALTED
    assert "old" in outcome.detail


def test_that_the_death_of_the_control_process_stops_the_arm(arm: Arm, bench: Bench) -> None:
    move = Mover(arm)
    assert arm.link.pid
    os.kill(arm.link.pid, signal.SIGKILL)
    outcome = move.ended()
    assert outcome.ending is Ending.HALTED
    assert "ended by signal 9" in outcome.detail
    stays(bench)
    arm.ready(99)
    stays(bench, 0.3)


def test_that_a_silent_control_process_is_ended(arm: Arm, bench: Bench) -> None:
    assert arm.link.pid
    os.kill(arm.link.pid, signal.SIGSTOP)
    until(lambda: not arm.link.pid)
    until(lambda: arm.latch.halted)
    stays(bench, 0.2)


@pytest.mark.parametrize("watchdog", [4.0, 0.1], ids=["with the watchdog", "by the closed pipe alone"])
def test_that_killing_the_console_in_mid_move_stops_the_arm(bench: Bench, watchdog: float) -> None:
    console = subprocess.Popen(
        [sys.executable, "-c", PARENT, bench.address, str(watchdog)],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert console.stdout is not None
    child = int(console.stdout.readline())
    until(lambda: bench.moving)
    console.kill()
    console.wait()
    console.stdout.close()
    began = bench.q[0]
    stays(bench)
    assert abs(bench.q[0] - began) < 0.5, "it went on to its goal"
    until(lambda: gone(child))
    bench.mend()


def test_that_local_control_refuses_to_begin(arm: Arm, bench: Bench) -> None:
    arm.halt()
    bench.own.fault("local")
    with pytest.raises(RobotNotReady, match="Remote Control"):
        arm.ready(99)
    assert arm.latch.halted


def test_that_registers_in_use_are_named_with_the_way_out(bench: Bench) -> None:
    with plain(bench) as other:
        assert ask(other, b"I", b"input_int_register_0") == b"\1INT32"
        with pytest.raises(RobotNotReady, match=r"EtherNet/IP, PROFINET and\s+MODBUS"):
            connected(bench)


@pytest.mark.parametrize(("missing", "words"), [("tcp", "no tool centre point"), ("payload", "no payload")])
def test_that_nothing_moves_with_an_unset_tool_or_payload(missing: str, words: str, off: Bench) -> None:
    fresh = Bench(type(off.process)(off.address.rsplit(".", 1)[0] + ".254", "empty", cameras=False))
    try:
        fresh.power_up()
        with pytest.raises(RobotNotReady, match=words):
            connected(fresh, **{missing: None})
    finally:
        fresh.close()


@pytest.mark.parametrize(
    ("version", "ok"),
    [((5, 15, 2, 0), True), ((5, 9, 4, 0), False), ((3, 15, 8, 0), False), ((10, 7, 0, 0), False)],
)
def test_that_another_polyscope_is_named(version: tuple[int, ...], ok: bool) -> None:
    check = preflight.version(version)
    assert check.ok is ok
    assert ok or (f"PolyScope {version[0]}.{version[1]}" in check.reason and check.way_out)


def test_that_no_word_of_a_software_stop_calls_it_an_emergency_stop(arm: Arm) -> None:
    move = Mover(arm)
    arm.halt()
    detail = move.ended().detail.lower()
    assert "emergency" not in detail
    assert "e-stop" not in detail


def test_that_an_address_where_nobody_is_is_told_in_one_sentence() -> None:
    arm = Arm(Setup(address="127.0.99.99"))
    try:
        with pytest.raises(Exception, match=r"No UR controller answers at 127.0.99.99"):
            arm.connect(0.5)
    finally:
        arm.close()


def test_that_limits_out_of_range_are_refused() -> None:
    with pytest.raises(BadValue, match="tool_speed"):
        Limits(tool_speed=3)
    with pytest.raises(BadValue, match="box is empty"):
        Limits(lower=(0, 0, 1), upper=(1, 1, 0))


def test_that_a_dead_controller_leaves_the_console_alive() -> None:
    from robots.ur5e.emulator.process import EmulatorProcess
    from tests.robots.ur5e.conftest import fresh_address

    bench = Bench(EmulatorProcess(fresh_address(), "empty", cameras=False))
    bench.power_up()
    arm = connected(bench)
    try:
        move = Mover(arm)
        os.kill(bench.process.pid, signal.SIGKILL)
        outcome = move.ended()
        assert outcome.ending is Ending.HALTED
        assert "not known to stand" in outcome.detail
        with pytest.raises(RobotNotReady, match="data"):
            arm.ready(99)
    finally:
        arm.close()
        bench.close()


def test_that_closing_leaves_no_process(bench: Bench) -> None:
    arm = connected(bench)
    child = arm.link.pid
    assert child
    arm.close()
    arm.close()
    assert gone(child)
