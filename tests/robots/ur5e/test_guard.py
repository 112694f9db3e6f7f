"""What the arm's control process refuses by itself, whoever speaks to it: here, no console does."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from itertools import count
from queue import SimpleQueue
from time import sleep

import pytest

from core.arm.arm_capabilities import ACTIVATION, RecoveryStep
from core.stop.heartbeat import Heartbeat
from core.stop.stop_all import stop_all
from robots.remote.supervised_process import SupervisedProcess
from robots.remote.wire_message import JsonValue, WireMessage
from robots.ur5e.kinematics import HOME
from tests.robots.ur5e.between import Between
from tests.robots.ur5e.conftest import Bench, fresh_address, stays, until

POWER_ON, UNLOCK = str(RecoveryStep.POWER_ON), str(RecoveryStep.UNLOCK)
SLOWLY: dict[str, JsonValue] = {"speed": 0.05, "acceleration": 0.5}
FAR = (HOME[0] - 0.5, *HOME[1:])
ROBOTIQ: dict[str, JsonValue] = {"protocol": "robotiq"}
ACTUATORS: dict[str, tuple[str, str, dict[str, JsonValue]]] = {  # message, the permit's kind, its motion
    "joints": ("STEP", "a step", {"target": FAR, **SLOWLY}),
    "line": ("STEP", "a step", {"target": (0.4, 0.1, 0.4, 0, 3, 0), **SLOWLY}),
    "jog": ("JOG", "up", {"speed": (0.1,) * 6}),
    "freedrive": ("FREEDRIVE", "leading", {}),
    "grip": ("GRIPPER", "half", {"closed": 0.5, "speed": 0.4, "force": 0.1, "seconds": 3, **ROBOTIQ}),
    "activate": ("GRIPPER", ACTIVATION, {"seconds": 5, **ROBOTIQ}),
    POWER_ON: ("RECOVERY", POWER_ON, {}),
    UNLOCK: ("RECOVERY", UNLOCK, {}),
}
KINDS = {allows: what for allows, what, _ in ACTUATORS.values()} | {"LOOK": "left", "RESTORE": "a step"}


class Console:
    """Speaks to a control process over its pipe, as it likes."""

    def __init__(self, address: str) -> None:
        self.heard: SimpleQueue[WireMessage] = SimpleQueue()
        args = (address, "4", "20", "", "0")
        self.child = SupervisedProcess("robots.ur5e.control_process", args, self.heard.put, lambda why: None)
        self.stops = 0
        self._numbers, self._operations = count(1), count(1)
        self.child.extend_deadline(20)

    def send(self, kind: str, **body: JsonValue) -> None:
        self.child.send(kind, **body)

    def open(self, allows: str, what: str, **changes: JsonValue) -> int:
        """Show a permit; return its number."""
        number = next(self._numbers)
        self.send(
            "permit", **{"number": number, "stop": self.stops, "allows": allows, "what": what} | changes
        )
        return number

    def ask(self, kind: str, permit: JsonValue, **body: JsonValue) -> WireMessage:
        """Ask for a motion and return its answer."""
        operation = f"{kind} {next(self._operations)}"
        self.send(kind, permit=permit, operation=operation, **body)
        while (answer := self.heard.get(timeout=20)).text("operation") != operation:
            pass
        return answer

    def begin(self, kind: str, bench: Bench) -> int:
        """Show a permit and begin to move on it; return its number."""
        allows, what, body = ACTUATORS[kind]
        number = self.open(allows, what)
        self.send(kind, permit=number, operation=kind, **body)
        until(lambda: bench.moving)
        return number

    def told(self, kind: str) -> WireMessage:
        while (message := self.heard.get(timeout=20)).kind != kind:
            pass
        return message

    def stop(self, seen: float = 0) -> None:
        self.stops += 1
        self.send("stop", number=self.stops, seen=seen)

    def connect(self) -> None:
        """As after a release."""
        answer = self.ask("connect", 0, number=self.stops)
        assert answer.kind == "ended", answer


@pytest.fixture(scope="module")
def consoles(bench: Bench) -> Iterator[list[Console]]:
    """The last one serves the next test, unless a machine that is too busy has ended its process."""
    with tempfile.TemporaryDirectory(prefix="run-") as place, pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_RUNTIME_DIR", place)
        made: list[Console] = []
        yield made
        for console in made:
            console.child.close()


@pytest.fixture
def ready(consoles: list[Console], bench: Bench) -> Console:
    """In which a permit would be opened: the stop is the last one, and the program runs."""
    if not consoles or not consoles[-1].child.alive:
        consoles.append(Console(bench.address))
    consoles[-1].connect()
    return consoles[-1]


def world(bench: Bench) -> tuple[object, ...]:
    """Where everything is that the arm could move."""
    truth = bench.own.ask("truth")
    joints = tuple(round(q, 2) for q in truth.numbers("q"))
    return joints, round(truth.number("finger"), 3), *bench.say("robotmode", "safetymode")


def test_that_it_moves_nothing_on_old_data_whatever_a_console_says(bench: Bench) -> None:
    """Its links are held up in the middle: its own look at the arm, not ur_rtde's."""
    between = Between(fresh_address(), bench.address)
    console = Console(between.address)
    try:
        console.connect()
        between.held = True
        sleep(0.7)  # longer than data may be old
        permit = console.open("FREEDRIVE", "leading")
        assert "s old" in console.ask("freedrive", permit).text("why")
        stays(bench, 0.2)
    finally:
        console.child.close()
        between.close()


@pytest.mark.parametrize("kind", ACTUATORS)
def test_that_nothing_moves_without_a_permit_that_is_open_for_it(
    kind: str, ready: Console, bench: Bench
) -> None:
    allows, what, body = ACTUATORS[kind]
    before = world(bench)
    shown: dict[str, JsonValue] = {"none": 0, "no number": "all", "never shown": 10**6}
    for other, name in KINDS.items():
        if other != allows and (kind, other) != ("grip", "STEP"):
            shown[f"for {other}"] = number = ready.open(other, name)
            assert "permit" in ready.ask(kind, number, **body).text("why"), f"a permit for {other}"
            ready.send("close", permit=number)
    used = shown["used"] = ready.open(allows, what)
    ready.send("close", permit=used)
    ready.send("permit", number=used, stop=ready.stops, allows=allows, what=what)
    for name, stop in (("under a stop to come", 1), ("under an older stop", -1)):
        shown[name] = ready.open(allows, what, stop=ready.stops + stop)
    for name, number in shown.items():
        answer = ready.ask(kind, number, **body)
        assert (answer.kind, "permit" in answer.text("why")) == ("refused", True), name
    assert world(bench) == before


@pytest.mark.parametrize(
    ("kind", "other"), [("grip", "activate"), ("activate", "grip"), (POWER_ON, UNLOCK), (UNLOCK, POWER_ON)]
)
def test_that_a_permit_for_one_motion_of_a_kind_is_not_one_for_another(
    kind: str, other: str, ready: Console, bench: Bench
) -> None:
    before, number = world(bench), ready.open(*ACTUATORS[other][:2])
    assert "its permit is for" in ready.ask(kind, number, **ACTUATORS[kind][2]).text("why")
    ready.send("close", permit=number)
    assert world(bench) == before


def test_that_a_step_of_recovery_uses_up_its_permit(ready: Console, bench: Bench) -> None:
    number = ready.open(*ACTUATORS[POWER_ON][:2])
    assert ready.ask(POWER_ON, number).kind == "ended"
    assert "permit" in ready.ask(POWER_ON, number).text("why")


def test_that_one_permit_is_open_at_a_time_and_what_moves_on_it_ends_when_it_is_closed(
    ready: Console, bench: Bench
) -> None:
    first = ready.begin("joints", bench)
    second = ready.open("GRIPPER", "half")
    assert ready.ask("grip", second, **ACTUATORS["grip"][2]).kind == "refused"
    ready.send("close", permit=second)
    assert bench.moving
    ready.send("close", permit=first)
    stays(bench)
    assert "permit" in ready.ask("joints", first, **ACTUATORS["joints"][2]).text("why")


def test_that_a_stop_ends_what_was_permitted_before_it(ready: Console, bench: Bench) -> None:
    number, older = ready.begin("joints", bench), ready.stops
    ready.stop()
    stays(bench)
    ready.connect()
    late = ready.open("STEP", "a step", stop=older)
    for permit in (number, late):
        assert "permit" in ready.ask("joints", permit, **ACTUATORS["joints"][2]).text("why")
    stays(bench, 0.2)


def test_that_a_stop_of_its_own_ends_what_was_permitted_until_the_console_has_numbered_it(
    ready: Console, bench: Bench
) -> None:
    number, older = ready.begin("joints", bench), ready.stops
    stop_all()
    stays(bench)
    count = ready.told("stopped").number("count")
    for permit in (number, ready.open("STEP", "a step")):
        assert ready.ask("joints", permit, **ACTUATORS["joints"][2]).text("why") == "a stop came first"
    for kind in ("stops", "stop"):  # which is no new stop, so nobody has to release it
        ready.send(kind, number=ready.stops, seen=count)
    assert ready.ask("joints", ready.open("STEP", "a step"), **ACTUATORS["joints"][2]).text("why") == (
        "a stop came first"
    )
    ready.stop(seen=count)
    ready.connect()
    late = ready.open("STEP", "a step", stop=older)
    assert "permit" in ready.ask("joints", late, **ACTUATORS["joints"][2]).text("why")
    ready.send("close", permit=ready.begin("joints", bench))
    stays(bench)


def test_that_a_missing_heartbeat_closes_a_permit_on_which_nothing_moves_yet(
    ready: Console, bench: Bench
) -> None:
    number = ready.open("STEP", "a step")
    ready.child.heartbeat = Heartbeat()
    ready.child.heartbeat.beat()
    told = ready.told("stopped")
    assert "did not respond" in told.text("why")
    ready.child.heartbeat.beat(-1e6)  # and so it beats until the end of these tests
    ready.stop(seen=told.number("count"))
    ready.connect()
    assert "permit" in ready.ask("joints", number, **ACTUATORS["joints"][2]).text("why")
    stays(bench, 0.2)
