"""Connect arm, hand and camera: a real arm that a person switched on, or an emulated one, switched on."""

from __future__ import annotations

import ipaddress
import os
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Protocol

from core.arm.arm_capabilities import PreflightCheck
from core.errors import BadValue, RobotError, RobotNotReady
from core.host_address import host_address, resolved
from core.install_paths import COMMAND
from core.ports import Embodiment
from robots.ur5e.arm import Arm
from robots.ur5e.arm_name import names_a_file
from robots.ur5e.arm_setup import EMULATED_SETUP, ArmSetup, read_setup
from robots.ur5e.console_seat import wait_until_left
from robots.ur5e.emulator.admin_client import AdminClient, switch_on
from robots.ur5e.emulator.process import EmulatorProcess, start_emulator
from robots.ur5e.gripper.gripper import Gripper
from robots.ur5e.kinematics import Transform, flange_pose
from robots.ur5e.modes import RobotMode
from robots.ur5e.rtde_receiver import RtdeReceiver
from robots.ur5e.scene_file import DEFAULT_SCENE, read_scene
from robots.ur5e.tabletop.emulated_camera import EmulatedCamera
from robots.ur5e.tabletop.rgbd_image import RgbdImage
from robots.ur5e.vision.camera_setup import main_camera
from robots.ur5e.vision.cameras import TableCameras

_CLOSING_S = 8.0  # within which this process lets go of the arm of the episode before
ARM_ENV = "DKPROMPT_UR5E"  # an arm's address, or the path of its setup file; unset: our own emulator


class TableCamera(Protocol):
    """Colour and depth from a known pose. One thread at a time."""

    @property
    def names(self) -> tuple[str, ...]: ...

    def picture(self, camera: str) -> RgbdImage:
        """Return a picture taken after this call began. Raises RobotError."""

    def checks(self) -> tuple[PreflightCheck, ...]:
        """Return the lines of the preflight that are about the cameras. Any thread."""

    def close(self) -> None: ...


@dataclass(frozen=True)
class Hardware:
    """The devices of a tabletop robot. Its owner closes it."""

    setup: ArmSetup
    arm: Arm
    gripper: Gripper
    camera: TableCamera
    connect_live: Callable[[], Callable[[str], RgbdImage]]  # for live pictures, from another thread
    process: EmulatorProcess | None = None

    @property
    def world(self) -> Embodiment:
        return self.arm.embodiment

    @property
    def main_camera(self) -> str:
        """Return the camera that looks at the table."""
        return main_camera(self.camera.names)

    def picture(self) -> RgbdImage:
        """Take a picture of the table now. Raises RobotError."""
        return self.camera.picture(self.main_camera)

    def close(self) -> None:
        """Close every part, also if one of them fails. Idempotent."""
        parts = self.process, self.camera, self.gripper, self.arm
        with ExitStack() as stack:
            for part in parts:  # the arm first
                if part is not None:
                    stack.callback(part.close)


def open_hardware(seed: int = 0, arm_named: str = "", scene: str = DEFAULT_SCENE) -> Hardware:
    """Connect the arm named here or by ARM_ENV, else our emulator. Moves nothing. Raises ConsoleError.

    `scene` is what stands on the table.
    """
    setup, process = named_setup(arm_named), None
    with ExitStack() as parts:
        if setup is None:
            process = start_emulator(scene, seed)
            parts.callback(process.close)
            setup = replace(EMULATED_SETUP, address=process.address)
        setup = replace(setup, scene=scene)
        wait_until_left(setup.address, _CLOSING_S)
        arm = Arm(setup)
        parts.callback(arm.close)
        gripper = Gripper(arm)
        parts.callback(gripper.close)
        arm.connect()
        moves = not arm.handover.refusal
        if moves and arm.embodiment is Embodiment.EMULATED:  # nobody can be hurt, so nobody is asked
            switch_on(setup.address)
            arm.receiver.wait(lambda state: state.robot is RobotMode.RUNNING, 10)
        camera, live = _open_cameras(setup, arm)
        parts.callback(camera.close)
        if moves:
            make_ready(arm)
        parts.pop_all()
        return Hardware(setup, arm, gripper, camera, live, process)


@contextmanager
def opened_hardware(
    seed: int, arm_named: str, scene: str
) -> Iterator[tuple[Hardware, RgbdImage, AdminClient | None]]:
    """Open the hardware for a robot that is made with it: with a first picture, and an emulator's own link.

    What was opened is closed again if making the robot fails; else the robot closes it.
    """
    with ExitStack() as parts:
        hardware, admin = open_hardware(seed, arm_named, scene), None
        parts.callback(hardware.close)
        first = hardware.picture()
        if hardware.world is Embodiment.EMULATED:
            admin = AdminClient(hardware.setup.address)
            parts.callback(admin.close)
        yield hardware, first, admin
        parts.pop_all()


def make_ready(arm: Arm) -> None:
    """Make an emulated arm, or a real one that is switched on, ready.

    A real arm that is not switched on waits until a person does so, and makes it ready, in the robot panel.
    Nothing is sent to it until then, as somebody else may be working with it.
    """
    try:
        arm.release_stop(0)
    except RobotNotReady as error:
        if arm.embodiment is not Embodiment.REAL:
            raise
        arm.fault_reason = str(error)


def _open_cameras(setup: ArmSetup, arm: Arm) -> tuple[TableCamera, Callable[[], Callable[[str], RgbdImage]]]:
    """Return the setup file's cameras, checked, else the emulator's, and how to connect to live pictures."""
    if not setup.cameras and arm.embodiment is Embodiment.EMULATED:
        camera = EmulatedCamera(setup.address)
        return camera, lambda: EmulatedCamera(setup.address, camera).follow
    if not setup.cameras:
        raise RobotNotReady(
            "The setup file names no camera, and a real arm needs a calibrated depth camera over the table: "
            f"add [camera.overhead] (docs/calibration.md), or practise with `{COMMAND} emulate ur5e`."
        )
    real = arm.embodiment is not Embodiment.EMULATED
    colours = read_scene(setup.scene).colours
    cameras = TableCameras(setup.cameras, lambda: current_flange(arm.receiver), colours, real=real)
    try:
        cameras.wait_until_ready()
    except BaseException:
        cameras.close()
        raise
    return cameras, lambda: cameras.follow


def current_flange(receiver: RtdeReceiver) -> Transform:
    """Return the pose of the flange in the base frame, from the next data. Raises RobotError."""
    fresh, state = receiver.wait(lambda s: True, 2.0), receiver.latest
    if state is None or not fresh:
        raise RobotError(f"Where the arm's camera is is not known: {receiver.old_data(0.0)}.")
    return flange_pose(state.q)


def named_setup(arm: str = "") -> ArmSetup | None:
    """Return the setup of the arm named here or by ARM_ENV, else None. Raises ConsoleError."""
    named = arm or os.environ.get(ARM_ENV, "")
    return resolve_setup(named) if named else None


def require_setup(arm: str = "") -> ArmSetup:
    """Read the setup of the arm named here or by ARM_ENV. Blocks. Raises ConsoleError."""
    if (setup := named_setup(arm)) is None:
        raise BadValue(f"No arm is named: give --arm its address or setup file, or set {ARM_ENV}.")
    return setup


def resolve_setup(named: str) -> ArmSetup:
    """Read a setup file, or make the setup of an address, with the tool and payload of its own installation.

    Its address is the resolved one. Blocks. Raises ConsoleError.
    """
    if names_a_file(named):
        setup = read_setup(Path(named))
        return replace(setup, address=resolved(setup.address))
    address = resolved(host_address(named))
    emulated = ipaddress.ip_address(address).is_loopback
    return replace(EMULATED_SETUP, address=address) if emulated else ArmSetup(address=address)
