"""Check a calibration before a robot starts: which camera it is of, how good, where the table is."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np

from core.arm.arm_capabilities import PreflightCheck
from robots.ur5e.vision.calibration_file import CameraCalibration

IN_DOUBT = "in doubt: "
QUALITY_LIMITS = (1.0, 0.004, 0.01)  # pixels, metres, radians: beyond these a calibration is in doubt
LEVEL_TOLERANCE = (0.015, 0.05)  # metres and radians by which the table may deviate from the base's plane


def quality_warnings(reprojection: float, translation: float, rotation: float) -> str:
    """Return what speaks against using a calibration with these errors, "" for nothing."""
    pixels, far, about = QUALITY_LIMITS
    found = [
        (not reprojection <= pixels, f"the corners are off by {reprojection:.1f} pixels"),
        (not translation <= far, f"the views disagree by {translation * 1000:.1f} mm"),
        (not rotation <= about, f"the views disagree by {np.degrees(rotation):.1f}°"),
    ]
    return ", ".join(words for wrong, words in found if wrong)


def calibration_check(
    known: CameraCalibration, path: Path, device: str, grasps: bool, real: bool
) -> tuple[PreflightCheck, bool]:
    """Return the line for the preflight, and whether the robot may start.

    `device` names the camera that is there, "" while that is not known; `grasps` says that grasps are
    computed from its depth. A calibration of old, which names no device, is refused on a real arm only.
    """
    name = f"{known.camera} calibration"
    for reason, remedy in calibration_faults(known, device, grasps):
        return PreflightCheck(name, False, reason, remedy, by_hand=False), False
    if not known.device:
        reason = "it does not say which camera it was made with"
        remedy = f'if it was this one, add the line device = "{device}" to {path.name}, else calibrate again'
        return PreflightCheck(name, False, reason, remedy, by_hand=False), not real
    return PreflightCheck(name, True), True


def calibration_faults(known: CameraCalibration, device: str, grasps: bool) -> Iterator[tuple[str, str]]:
    """Yield why no robot starts with this calibration, each with its remedy; see `calibration_check`."""
    if known.device and device and known.device != device:
        reason = f"it was made with {known.device}, and this camera is {device}"
        yield reason, "plug the cameras in as they were, or calibrate again"
    if doubts := quality_warnings(known.reprojection, known.translation, known.rotation):
        yield IN_DOUBT + doubts, "calibrate again, with the arm at rest at each view"
    if known.table is None:
        if grasps:
            yield "it has no measure of the table", "calibrate again, with the view of the board on the table"
        return
    if reason := level_fault(known.table):
        yield reason, "this program needs it level with the base: mount it so, or calibrate again"


def level_fault(table: tuple[float, float]) -> str:
    """Return in words where a table of this height and tilt is not level with the arm's base, "" if it is."""
    height, tilt = table
    if abs(height) <= LEVEL_TOLERANCE[0] and tilt <= LEVEL_TOLERANCE[1]:
        return ""
    return f"the table is {height * 1000:+.0f} mm off the arm's base and tilted {np.degrees(tilt):.1f}°"
