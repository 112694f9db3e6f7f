"""The emulator's cameras, through its admin port."""

from __future__ import annotations

from dataclasses import dataclass
from time import monotonic
from typing import cast

import numpy as np

from core.arm.arm_capabilities import PreflightCheck
from core.errors import BadValue, RobotError
from core.pictures import decode_as_stored, decode_depth
from robots.remote.wire_message import JsonValue, WireMessage
from robots.ur5e.emulator.admin_client import AdminClient
from robots.ur5e.emulator.renderer_process import DEPTH_UNIT_M
from robots.ur5e.emulator.scene import CAMERAS, VIEW
from robots.ur5e.tabletop.rgbd_image import RgbdImage


@dataclass(frozen=True)
class Ghost:
    """The arm as it would be with these joints, "blocked" if something is in its way; none without joints."""

    q: tuple[float, ...] = ()
    blocked: bool = False


class EmulatedCamera:
    """One connection; any one thread at a time. Raises RobotError if the emulator is gone.

    The view of the whole arm also shows the ghost of `leader`, a camera that any thread may give one.
    """

    names = CAMERAS

    def __init__(self, address: str, leader: EmulatedCamera | None = None) -> None:
        self.ghost, self._leader = Ghost(), leader or self
        self._client = AdminClient(address, timeout=30.0)

    def picture(self, camera: str) -> RgbdImage:
        """Return a picture taken after this call began."""
        return self._request(camera, False)

    def follow(self, camera: str) -> RgbdImage:
        """Return a live picture, colour only."""
        return self._request(camera, True)

    def _request(self, camera: str, plain: bool) -> RgbdImage:
        asked = monotonic()
        ghost = self._leader.ghost
        shown: dict[str, JsonValue] = {"ghost": ghost.q, "blocked": ghost.blocked} if camera == VIEW else {}
        message = self._client.ask("picture", camera=camera, plain=plain, **shown)
        if message.kind != "picture" or len(message.blobs) != 2 - plain:
            raise RobotError(f"The emulator sent no picture of {camera}: start it again.")
        return decode_picture(message, asked)

    def checks(self) -> tuple[PreflightCheck, ...]:
        return ()

    def close(self) -> None:
        self._client.close()


def decode_picture(message: WireMessage, timestamp: float) -> RgbdImage:
    """Return the picture in a renderer's reply. Raises RobotError if it cannot be read."""
    colour, *deep = message.blobs or (b"",)
    try:
        rgb = decode_as_stored(colour)
        raw = decode_depth(deep[0]) if deep else np.zeros(rgb.shape[:2], np.uint16)
    except BadValue as error:
        raise RobotError("The emulator sent a picture that cannot be read: start it again.") from error
    pose = np.eye(4)
    pose[:3] = np.array(message.numbers("pose")).reshape(3, 4)
    boxes = cast(dict[str, tuple[float, float, float, float]], message.body.get("boxes", {}))
    return RgbdImage(
        message.text("camera"),
        timestamp,
        rgb,
        raw.astype(np.float32) * np.float32(DEPTH_UNIT_M),
        message.number("focal"),
        pose,
        {name: (box[0], box[1], box[2], box[3]) for name, box in boxes.items()},
        cast(dict[str, int], message.body.get("pixels", {})),
    )
