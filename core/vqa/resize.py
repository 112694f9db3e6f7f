"""The picture in the size that a person chose for the model."""

from __future__ import annotations

from core.errors import BadValue
from core.pictures import decode_png, encode_png

MIN_SIDE, MAX_SIDE = 32, 2048  # pixels


def check_size(side: int | None) -> None:
    """Raises BadValue."""
    if side is not None and not MIN_SIDE <= side <= MAX_SIDE:
        raise BadValue(
            f"A picture of {side} pixels is out of range: take {MIN_SIDE} to {MAX_SIDE}, or leave it out."
        )


def resize_png(png: bytes, side: int | None) -> bytes:
    """A PNG whose longer side has so many pixels; None: the very bytes that are logged.

    The same bytes and size give the same result, so what was sent can be made again from the log.
    """
    if side is None:
        return png
    import cv2

    rgb = decode_png(png)
    longest = max(rgb.shape[:2])
    if longest == side:
        return png
    height, width = (max(1, round(n * side / longest)) for n in rgb.shape[:2])
    how = cv2.INTER_AREA if side < longest else cv2.INTER_CUBIC
    return encode_png(cv2.resize(rgb, (width, height), interpolation=how).astype(rgb.dtype))
