"""A pedal stops by its events alone: recorded ones through a pipe, and a kernel device where there is one."""

from __future__ import annotations

import fcntl
import os
import re
import struct
import time
from collections.abc import Iterator
from pathlib import Path
from queue import Empty, SimpleQueue

import pytest

from robots.stop_pedal import PEDAL_PATH, StopPedal
from tests.patience import AT_ONCE

EVENT = struct.Struct("@llHHi")
KEY_B, KEY_ESC = 48, 1
# As a foot switch sends it: the scan code (type 4), the key (type 1), the end of the report (type 0).
PRESS = b"".join(EVENT.pack(0, 0, *event) for event in ((4, 4, 458757), (1, KEY_B, 1), (0, 0, 0)))
RELEASE = b"".join(EVENT.pack(0, 0, *event) for event in ((4, 4, 458757), (1, KEY_B, 0), (0, 0, 0)))
REPEATED = b"".join(EVENT.pack(0, 0, *event) for event in ((1, KEY_B, 2), (0, 0, 1)))


class Pedal:
    """The pipe that stands for the device, and what was stopped."""

    def __init__(self, path: Path, key: int = 0) -> None:
        self.path, self.stops = path, SimpleQueue[str]()
        os.mkfifo(path)
        self.read = StopPedal(str(path), key, self.stops.put)
        self.device = self.plug_in()

    def plug_in(self) -> int:
        device = os.open(self.path, os.O_WRONLY)  # waits until it is opened for reading
        until(lambda: not self.read.refusal)
        return device

    def send(self, data: bytes) -> None:
        os.write(self.device, data)

    def stopped(self) -> str:
        return self.stops.get(timeout=AT_ONCE)

    def nothing_stopped(self) -> bool:
        try:
            self.stops.get(timeout=0.1)
        except Empty:
            return True
        return False


def until(seen: object) -> None:
    end = time.monotonic() + 10
    while not seen():  # type: ignore[operator]
        assert time.monotonic() < end
        time.sleep(0.005)


@pytest.fixture
def pedal(tmp_path: Path) -> Iterator[Pedal]:
    made = Pedal(tmp_path / "event0")
    yield made
    os.close(made.device)


def test_that_a_press_stops_once_and_holds_until_it_is_released(pedal: Pedal) -> None:
    pedal.send(PRESS)
    assert pedal.stopped() == "The stop pedal was pressed."
    pedal.send(REPEATED)
    assert pedal.nothing_stopped()
    assert pedal.read.refusal == "the stop pedal is pressed"
    pedal.send(RELEASE)
    until(lambda: not pedal.read.refusal)
    assert pedal.nothing_stopped()
    pedal.send(PRESS)
    assert pedal.stopped()


def test_that_an_event_may_come_in_pieces(pedal: Pedal) -> None:
    for byte in PRESS:
        pedal.send(bytes((byte,)))
    assert pedal.stopped()


def test_that_only_the_key_that_is_named_stops(tmp_path: Path) -> None:
    made = Pedal(tmp_path / "event0", KEY_ESC)
    made.send(PRESS)
    assert made.nothing_stopped()
    made.send(EVENT.pack(0, 0, 1, KEY_ESC, 1))
    assert made.stopped()
    os.close(made.device)


def test_that_an_unplugged_pedal_stops_and_holds_until_it_is_back(pedal: Pedal) -> None:
    os.close(pedal.device)
    assert pedal.stopped() == "The stop pedal was unplugged."
    assert "was unplugged" in pedal.read.refusal
    pedal.device = pedal.plug_in()
    pedal.send(PRESS)
    assert pedal.stopped() == "The stop pedal was pressed."


def test_that_a_pedal_that_is_not_there_holds_everything(tmp_path: Path) -> None:
    stops = SimpleQueue[str]()
    pedal = StopPedal(str(tmp_path / "none"), 0, stops.put)
    until(lambda: "cannot be read: No such file" in pedal.refusal)
    assert stops.empty(), "nothing moves, so nothing is stopped"


@pytest.mark.parametrize(
    ("path", "taken"),
    [
        ("", True),
        ("/dev/input/by-id/usb-PCsensor_FootSwitch-event-kbd", True),
        ("/dev/input/by-path/pci-0000:00:14.0-usb-0:2:1.0-event-joystick", True),
        ("/dev/input/event3", False),  # another device after the next start
        ("/dev/input/by-id/usb-Gamepad-joystick", False),  # the old interface, with other events
        ("/dev/input/by-id/../../sda-event", False),
        ("/dev/input/by-id/usb-x-event-kbd\n", False),
    ],
)
def test_which_devices_a_setup_may_name(path: str, taken: bool) -> None:
    assert bool(re.search(PEDAL_PATH.removesuffix("$") + r"\Z", path)) is taken


UI_SET_EVBIT, UI_SET_KEYBIT, UI_DEV_CREATE, UI_DEV_DESTROY = 0x40045564, 0x40045565, 0x5501, 0x5502


@pytest.mark.skipif(not os.access("/dev/uinput", os.W_OK), reason="/dev/uinput cannot be opened here")
def test_that_a_device_of_the_kernel_stops() -> None:
    before = set(Path("/dev/input").glob("event*"))
    uinput = os.open("/dev/uinput", os.O_WRONLY)
    fcntl.ioctl(uinput, UI_SET_EVBIT, 1)
    fcntl.ioctl(uinput, UI_SET_KEYBIT, KEY_B)
    os.write(uinput, struct.pack("80sHHHHI", b"a test's pedal", 3, 1, 1, 1, 0) + bytes(4 * 64 * 4))
    fcntl.ioctl(uinput, UI_DEV_CREATE)
    try:
        until(lambda: set(Path("/dev/input").glob("event*")) - before)
        (device,) = set(Path("/dev/input").glob("event*")) - before
        stops = SimpleQueue[str]()
        pedal = StopPedal(str(device), 0, stops.put)
        until(lambda: not pedal.refusal)
        os.write(uinput, PRESS)
        assert stops.get(timeout=AT_ONCE) == "The stop pedal was pressed."
    finally:
        fcntl.ioctl(uinput, UI_DEV_DESTROY)
        os.close(uinput)
    assert stops.get(timeout=AT_ONCE) == "The stop pedal was unplugged."
