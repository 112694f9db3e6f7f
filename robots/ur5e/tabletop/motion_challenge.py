"""A challenge that the arm gives the camera: what was taken away must be gone from the picture. Pure."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from robots.ur5e.tabletop.rgbd_image import RgbdImage

_CHANGED, _SHARE = 16, 0.1  # levels by which a pixel must differ, and the share of the thing's box that must


@dataclass(frozen=True)
class MotionChallenge:
    """A thing that the hand has taken, and a picture from before, which shows it where it was."""

    thing: str
    before: RgbdImage

    def fault(self, after: RgbdImage) -> str:
        """Return in a sentence that this picture cannot be from after the motion; "" if it may be."""
        box = self.before.boxes.get(self.thing)
        if box is None or self.before.camera != after.camera or self.before.rgb.shape != after.rgb.shape:
            return ""
        left, top, right, bottom = (round(v) for v in box)
        old, new = (p.rgb[top:bottom, left:right].astype(np.int16) for p in (self.before, after))
        if not old.size or float((np.abs(old - new).max(axis=2) > _CHANGED).mean()) > _SHARE:
            return ""
        return (
            f"The gripper holds the {self.thing}, and the {after.camera} camera still shows it where it was: "
            "its picture repeats itself or is late. Look at the camera, and at what the gripper holds."
        )
