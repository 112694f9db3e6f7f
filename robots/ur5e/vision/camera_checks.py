"""The preflight of cameras that are not opened: their sources and calibrations, by looking at files alone."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from core.arm.arm_capabilities import PreflightCheck
from core.errors import BadFile, RobotError
from robots.ur5e.vision.calibration_check import calibration_check
from robots.ur5e.vision.calibration_file import REMEDY, CameraCalibration, read_calibration
from robots.ur5e.vision.camera_reader import FRAME_TIMEOUT_S, NO_CLOCK
from robots.ur5e.vision.camera_setup import CameraSetup
from robots.ur5e.vision.image_file import ImageFile
from robots.ur5e.vision.intrinsics import size_fault
from robots.ur5e.vision.source_kind import SourceKind, device_of, source_kind


def failed_check(name: str, sentence: str) -> PreflightCheck:
    """Return a failed check; what follows the sentence's first colon is its remedy."""
    reason, _, remedy = sentence.rstrip(".").partition(": ")
    return PreflightCheck(name, False, reason, remedy)


def camera_checks(setup: CameraSetup, grasps: bool, real: bool) -> tuple[PreflightCheck, PreflightCheck]:
    """Return a line for the source and one for the calibration. `grasps`, `real`: see `calibration_check`."""
    source, calibration, known = f"{setup.mount} camera", f"{setup.mount} calibration", None
    path = Path(setup.calibration)
    try:
        known = read_calibration(path)
    except BadFile as error:
        line = PreflightCheck(calibration, False, f"{path.name}: {error.reason}", REMEDY)
    else:
        line, _ = calibration_check(known, path, device_of(setup), grasps, real)
    trouble = next(_troubles(setup, known, real), "")
    return (failed_check(source, trouble) if trouble else PreflightCheck(source, True)), line


def _troubles(setup: CameraSetup, known: CameraCalibration | None, real: bool) -> Iterator[str]:
    if setup.kind == "realsense":
        return  # it is known only once it is open
    sizes = [setup.size] if setup.size != (0, 0) else []
    for source, is_depth in ((setup.source, False), (setup.depth, True)):
        if source == "":
            continue
        try:
            kind = source_kind(source)
            if kind is SourceKind.PICTURE:
                picture = ImageFile(Path(str(source)), is_depth)
                shot = picture.read()
                sizes.append((shot.value.shape[1], shot.value.shape[0]))
                if shot.age > FRAME_TIMEOUT_S:
                    yield picture.silence
            elif kind is not SourceKind.DEVICE and real:
                yield NO_CLOCK
        except RobotError as error:
            yield str(error)
    for size in sizes:
        if known is not None and size != (known.intrinsics.width, known.intrinsics.height):
            yield size_fault(size, known.intrinsics)
