"""The emulator's cameras, by way of its own port."""

from __future__ import annotations

from time import monotonic
from typing import cast

import cv2
import numpy as np

from core.errors import RobotError
from robots.remote.framing import Message
from robots.ur5e.emulator.client import OwnClient
from robots.ur5e.emulator.painter import DEPTH_UNIT
from robots.ur5e.emulator.scene import CAMERAS
from robots.ur5e.tabletop.picture import Picture


class EmulatedCamera:
    """One connection; any one thread at a time. Raises RobotError when the emulator is gone."""

    names = CAMERAS

    def __init__(self, address: str) -> None:
        self._client = OwnClient(address, timeout=30.0)

    def picture(self, camera: str) -> Picture:
        """One that was taken after this call began."""
        asked = monotonic()
        message = self._client.ask("picture", camera=camera)
        if message.kind != "picture" or len(message.blobs) != 2:
            raise RobotError(f"The emulator sent no picture of {camera}: start it again.")
        return _picture(message, asked)

    def close(self) -> None:
        self._client.close()


def _picture(message: Message, taken: float) -> Picture:
    colour, depth = (np.frombuffer(blob, np.uint8) for blob in message.blobs)
    bgr = cv2.imdecode(colour, cv2.IMREAD_COLOR)
    raw = cv2.imdecode(depth, cv2.IMREAD_UNCHANGED)
    if bgr is None or raw is None:
        raise RobotError("The emulator sent a picture that cannot be read: start it again.")
    pose = np.eye(4)
    pose[:3] = np.array(message.numbers("pose")).reshape(3, 4)
    boxes = cast(dict[str, tuple[float, float, float, float]], message.body.get("boxes", {}))
    return Picture(
        message.text("camera"),
        taken,
        np.ascontiguousarray(bgr[..., ::-1], dtype=np.uint8),
        raw.astype(np.float32) * np.float32(DEPTH_UNIT),
        message.number("focal"),
        pose,
        {name: (box[0], box[1], box[2], box[3]) for name, box in boxes.items()},
        cast(dict[str, int], message.body.get("pixels", {})),
    )
