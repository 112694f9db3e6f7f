"""Frames as Qt images."""

from __future__ import annotations

from collections import OrderedDict

import numpy as np
from numpy.typing import NDArray
from PySide6.QtGui import QImage

from core.ports import BoundingBox, Frame

KEPT = 12  # images of stills that are kept: several widgets show the same one, and those of earlier turns
_images: OrderedDict[str, QImage] = OrderedDict()


def image(frame: Frame) -> QImage | None:
    """Return the frame's image, None without pixels."""
    return None if frame.rgb is None else rgb_image(frame.rgb)


def rgb_image(pixels: NDArray[np.uint8]) -> QImage:
    """Return the image of pixels, H x W x 3, in the form that is painted fastest."""
    rgb = np.ascontiguousarray(pixels)
    height, width = rgb.shape[:2]
    shared = QImage(rgb.data, width, height, width * 3, QImage.Format.Format_RGB888)
    return shared.convertToFormat(QImage.Format.Format_RGB32)


def still(frame: Frame | None) -> QImage | None:
    """Return the frame's image from a cache, for a still that is shown repeatedly."""
    if frame is not None and frame.id not in _images and (made := image(frame)) is not None:
        _images[frame.id] = made
        while len(_images) > KEPT:
            _images.popitem(last=False)
    return None if frame is None else kept_still(frame.id)


def kept_still(frame: str) -> QImage | None:
    """Return the image of the frame with this id, None if it is no longer in the cache."""
    if frame in _images:
        _images.move_to_end(frame)
    return _images.get(frame)


def box_of(boxes: tuple[BoundingBox, ...], args: tuple[str, ...]) -> BoundingBox | None:
    """Return the box of a question's last argument that has one."""
    by_name = {box.name: box for box in boxes}
    return next((by_name[name] for name in reversed(args) if name in by_name), None)
