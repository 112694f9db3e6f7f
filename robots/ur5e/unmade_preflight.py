"""The preflight of an arm that is not made yet: its data, two questions to its dashboard, and no command."""

from __future__ import annotations

from contextlib import closing

from core.arm.arm_capabilities import PreflightCheck
from core.errors import RobotError
from core.install_paths import as_called_here
from core.ports import Embodiment
from core.robots import PreflightReport
from robots.ur5e import preflight
from robots.ur5e.arm_setup import ArmSetup
from robots.ur5e.dashboard import DashboardClient
from robots.ur5e.emulator.admin_client import verify_emulator
from robots.ur5e.gripper.gripper import gripper_reader
from robots.ur5e.rtde_receiver import RtdeReceiver
from robots.ur5e.vision.camera_checks import camera_checks
from robots.ur5e.vision.camera_setup import main_camera

_DATA_S = 2.0  # within which data must come


def listen(setup: ArmSetup) -> PreflightReport:
    """Return what the arm of this setup is, and which conditions of a motion it meets.

    Sends no command and claims nothing: neither the control program, nor the speed slider, nor the seat of
    the console that moves the arm. Blocks for seconds if nothing answers.
    """
    receiver, dashboard = RtdeReceiver(setup.address, claims=False), DashboardClient(setup.address)
    try:
        receiver.wait(lambda state: True, _DATA_S)
        state = receiver.latest
        data = preflight.data_check(state, receiver.old_data(setup.limits.fresh))
        if state is None or not data.ok:
            return PreflightReport(None, (data, *(_cameras_checks(setup, None) if setup.cameras else ())))
        embodiment, remote = _ask(setup.address, dashboard)
        checks = (
            data,
            preflight.version_check(receiver.version),
            remote,
            *preflight.state_checks(state, setup),
            _gripper_check(setup, receiver),
            *_cameras_checks(setup, embodiment),
        )
        return PreflightReport(embodiment, checks)
    finally:
        receiver.close()
        dashboard.close()


def _ask(address: str, dashboard: DashboardClient) -> tuple[Embodiment | None, PreflightCheck]:
    """Ask the dashboard who it is and whether it takes commands; None if it does not answer."""
    try:
        is_emulated = verify_emulator(address, dashboard.ask("get serial number"))
        remote = preflight.remote_control_check(dashboard.ask("is in remote control"))
    except RobotError as error:
        return None, preflight.remote_control_check("", str(error))
    return Embodiment.EMULATED if is_emulated else Embodiment.REAL, remote


def _gripper_check(setup: ArmSetup, receiver: RtdeReceiver) -> PreflightCheck:
    """Ask the gripper whether it holds something: an episode begins with an empty hand."""
    with closing(gripper_reader(setup, receiver)) as gripper:
        try:
            return preflight.gripper_check(True, "", bool(gripper.state().holding))
        except RobotError as error:
            return preflight.gripper_check(False, str(error))


def _cameras_checks(setup: ArmSetup, embodiment: Embodiment | None) -> tuple[PreflightCheck, ...]:
    """Return two lines for each camera. What does not prove to be emulated needs one."""
    real = embodiment is not Embodiment.EMULATED
    if real and not setup.cameras:
        remedy = as_called_here("add [camera.overhead] (docs/calibration.md)")
        return (PreflightCheck("camera", False, "the setup file names none", remedy),)
    main = main_camera([c.mount for c in setup.cameras]) if setup.cameras else ""
    return tuple(line for c in setup.cameras for line in camera_checks(c, c.mount == main, real))
