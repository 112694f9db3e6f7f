"""Arm, hand and camera, connected: real as a person has switched it on, or emulated and switched on here."""

from __future__ import annotations

import ipaddress
import os
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Protocol

from core.errors import RobotError, RobotNotReady
from core.install_paths import COMMAND
from core.ports import Embodiment
from robots.ur5e.arm import Arm
from robots.ur5e.emulator.process import EmulatorProcess, started
from robots.ur5e.gripper import Gripper
from robots.ur5e.kinematics import Matrix, flange
from robots.ur5e.setup import EMULATED, Setup, read
from robots.ur5e.tabletop.emulated_camera import EmulatedCamera
from robots.ur5e.tabletop.picture import Picture
from robots.ur5e.vision.cameras import TableCameras

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
    def world(self) -> Embodiment:
        return self.arm.embodiment

    @property
    def eye(self) -> str:
        """The camera that the table is looked at with."""
        return OVERHEAD if OVERHEAD in self.camera.names else self.camera.names[0]

    def close(self) -> None:
        self.arm.close()
        self.gripper.close()
        self.camera.close()
        if self.process is not None:
            self.process.close()


def open_rig(seed: int = 0, arm_named: str = "") -> Rig:
    """The arm that is named, here or by DKPROMPT_UR5E, else an emulator of our own. Moves nothing.

    Raises ConsoleError.
    """
    named = arm_named or os.environ.get(ARM, "")
    process = None if named else started("tabletop", seed)
    setup = setup_of(named) if process is None else replace(EMULATED, address=process.address)
    arm, gripper = Arm(setup), Gripper(setup.address)
    camera: Camera | None = None
    try:
        arm.connect()
        if arm.embodiment is Embodiment.EMULATED:  # nobody can be hurt, so no person is asked
            arm.power_on("the start of the emulator")
            gripper.activate()
        camera, live = _cameras(setup, arm)
        begin(arm)
    except BaseException:
        for part in (arm, gripper, camera, process):
            if part is not None:
                part.close()
        raise
    return Rig(setup, arm, gripper, camera, live, process)


def begin(arm: Arm) -> None:
    """Make it ready. A real arm that is not waits: a person switches it on and makes it ready, from the robot
    panel. Nothing is sent to it meanwhile, as somebody else may be at work with it."""
    try:
        arm.release_stop(0)
    except RobotNotReady as error:
        if arm.embodiment is not Embodiment.REAL:
            raise
        arm.trouble = str(error)


def _cameras(setup: Setup, arm: Arm) -> tuple[Camera, Callable[[], Callable[[str], Picture]]]:
    """Those of the setup file, checked; an emulator without any has its own. And a way to live pictures."""
    if not setup.cameras and arm.embodiment is Embodiment.EMULATED:
        return EmulatedCamera(setup.address), lambda: EmulatedCamera(setup.address).follow
    if not setup.cameras:
        raise RobotNotReady(
            "The setup file names no camera, and a real arm needs a calibrated depth camera over the table: "
            f"add [camera.overhead] (docs/calibration.md), or practise with `{COMMAND} emulate ur5e`."
        )
    cameras = TableCameras(setup.cameras, lambda: stands_at(arm))
    try:
        cameras.check()
    except BaseException:
        cameras.close()
        raise
    return cameras, lambda: cameras.follow


def stands_at(arm: Arm) -> Matrix:
    """The flange in the base frame, by the next data that come. Raises RobotError."""
    fresh = arm.receiver.wait(lambda s: True, 1.0)
    state = arm.state
    if state is None or not fresh:
        raise RobotError("The arm sends no data, so where its camera is is not known: check the link.")
    return flange(state.q)


def setup_of(named: str) -> Setup:
    """A setup file, or an address with the tool and payload of its own installation. Raises ConsoleError."""
    try:
        address = ipaddress.ip_address(named)
    except ValueError:
        return read(Path(named))
    return replace(EMULATED, address=named) if address.is_loopback else Setup(address=named)
