"""Ask the system what a camera's source is, and which device. Opens nothing."""

from __future__ import annotations

import os
import stat
from enum import Enum
from pathlib import Path

import cv2

from core.errors import RobotError
from robots.ur5e.vision.camera_setup import CameraSetup

IMAGE_SUFFIXES = (".png", ".jpg", ".jpeg", ".bmp", ".tif", ".tiff", ".webp")
DEVICE_LINKS = (Path("/dev/v4l/by-id"), Path("/dev/v4l/by-path"))  # udev's names, which stay after a reboot


class SourceKind(Enum):
    """What delivers the pictures. Only a device and a picture file tell when theirs are from."""

    DEVICE = "device"
    PICTURE = "picture"  # a file that another program rewrites
    FILM = "film"  # a recording, shown over and over
    STREAM = "stream"  # an address, a pipe or a socket


def source_kind(source: int | str) -> SourceKind:
    """Return the kind of a source. Raises RobotError if it is not there, or no source."""
    if isinstance(source, int):
        return SourceKind.DEVICE
    if "://" in source:
        return SourceKind.STREAM
    path = Path(source)
    try:
        mode = path.stat().st_mode
    except OSError as error:
        if "%" in source:  # numbered pictures, as OpenCV counts them up
            return SourceKind.FILM
        cause = "is not there" if isinstance(error, FileNotFoundError) else f"({error.strerror})"
        remedy = "its cable, and " if source.startswith("/dev/") else ""
        raise RobotError(
            f"The camera's source {source} {cause}: check {remedy}`source` in the setup file."
        ) from None
    if stat.S_ISCHR(mode):
        return SourceKind.DEVICE
    if stat.S_ISFIFO(mode) or stat.S_ISSOCK(mode):
        return SourceKind.STREAM
    if not stat.S_ISREG(mode):
        raise RobotError(f"The camera's source {source} is neither a device nor a file: check `source`.")
    if not os.access(path, os.R_OK):
        raise RobotError(f"The camera's source {source} may not be read by you: change its permissions.")
    # OpenCV looks at the first bytes; a file that is just being written may have none yet.
    is_picture = cv2.haveImageReader(source) or path.suffix.lower() in IMAGE_SUFFIXES
    return SourceKind.PICTURE if is_picture else SourceKind.FILM


def device_of(setup: CameraSetup) -> str:
    """Return what names this camera after a reboot as well; "" for a RealSense until it is open.

    Of a device it is udev's name, of a stream its address, of a file its path from the calibration.
    """
    if setup.kind == "realsense":
        return f"RealSense {setup.source}" if isinstance(setup.source, str) and setup.source else ""
    folder = Path(setup.calibration).parent
    return " and ".join(_name(source, folder) for source in (setup.source, setup.depth) if source != "")


def _name(source: int | str, folder: Path) -> str:
    if isinstance(source, str) and "://" in source:
        return without_credentials(source)
    path = Path(f"/dev/video{source}") if isinstance(source, int) else Path(source)
    there = path.resolve()
    for links in DEVICE_LINKS:
        for link in sorted(links.iterdir()) if links.is_dir() else ():
            if link.resolve() == there:
                return link.name
    if path.parent in DEVICE_LINKS:
        return path.name  # it is not plugged in
    return str(there) if there.is_relative_to("/dev") else os.path.relpath(path, folder)


def without_credentials(address: str) -> str:
    """Return an address without the user name and password that it may contain."""
    scheme, _, rest = address.partition("://")
    return f"{scheme}://{rest.rpartition('@')[2]}"
