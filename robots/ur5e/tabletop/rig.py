"""Arm, hand and camera, connected: real as a person has switched it on, or emulated and switched on here."""

from __future__ import annotations

import ipaddress
import os
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Protocol

from core.errors import RobotNotReady
from core.ports import World
from robots.ur5e.arm import Arm
from robots.ur5e.emulator.process import EmulatorProcess, started
from robots.ur5e.gripper import Gripper
from robots.ur5e.setup import EMULATED, Setup, read
from robots.ur5e.tabletop.emulated_camera import EmulatedCamera
from robots.ur5e.tabletop.picture import Picture

OVERHEAD = "overhead"
ARM = "DKPROMPT_UR5E"  # an arm's address, or the path of its setup file; unset: an emulator of our own


class Camera(Protocol):
    """Colour and depth from where it is known to stand. One thread at a time."""

    @property
    def names(self) -> tuple[str, ...]: ...

    def picture(self, camera: str) -> Picture:
        """One that was taken after this call began. Raises RobotError."""
        ...

    def close(self) -> None: ...


@dataclass(frozen=True)
class Rig:
    """What a robot of this kind is made of; whoever has it closes it."""

    setup: Setup
    arm: Arm
    gripper: Gripper
    camera: Camera
    another_camera: Callable[[], Callable[[str], Picture]]  # for live pictures, from another thread
    process: EmulatorProcess | None = None

    @property
    def world(self) -> World:
        return self.arm.world

    def close(self) -> None:
        self.arm.close()
        self.gripper.close()
        self.camera.close()
        if self.process is not None:
            self.process.close()


def open_rig(seed: int = 0) -> Rig:
    """The arm that DKPROMPT_UR5E names, else an emulator of our own. Moves nothing. Raises ConsoleError."""
    named = os.environ.get(ARM, "")
    process = None if named else started("tabletop", seed)
    setup = setup_of(named) if process is None else replace(EMULATED, address=process.address)
    arm, gripper = Arm(setup), Gripper(setup.address)
    camera: Camera | None = None
    try:
        arm.connect()
        if arm.world is World.EMULATED:  # nobody can be hurt, so no person is asked
            arm.power_on("the start of the emulator")
            gripper.activate()
            camera = EmulatedCamera(setup.address)
        else:
            camera = _real_camera()
        arm.ready(0)
    except BaseException:
        for part in (arm, gripper, camera, process):
            if part is not None:
                part.close()
        raise
    return Rig(setup, arm, gripper, camera, lambda: EmulatedCamera(setup.address).picture, process)


def _real_camera() -> Camera:
    raise RobotNotReady(
        "A real arm needs a calibrated depth camera over the table, and this version reads only the "
        "emulated one: start `python main.py emulate ur5e`, or drive the arm itself from the robot panel."
    )


def setup_of(named: str) -> Setup:
    """A setup file, or an address with the tool and payload of its own installation. Raises ConsoleError."""
    try:
        address = ipaddress.ip_address(named)
    except ValueError:
        return read(Path(named))
    return replace(EMULATED, address=named) if address.is_loopback else Setup(address=named)
