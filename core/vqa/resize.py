"""Resize a picture to the size chosen for the model."""

from __future__ import annotations

from core.pictures import decode_picture, encode_png

MIN_SIDE, MAX_SIDE = 32, 2048  # pixels


def resize_png(png: bytes, side: int | None) -> bytes:
    """Return a PNG whose longer side has `side` pixels; None returns the logged bytes unchanged.

    The result depends only on bytes and size, so what was sent can be reproduced from the log.
    """
    if side is None:
        return png
    import cv2

    rgb = decode_picture(png)
    longest = max(rgb.shape[:2])
    if longest == side:
        return png
    height, width = (max(1, round(n * side / longest)) for n in rgb.shape[:2])
    how = cv2.INTER_AREA if side < longest else cv2.INTER_CUBIC
    return encode_png(cv2.resize(rgb, (width, height), interpolation=how).astype(rgb.dtype))
