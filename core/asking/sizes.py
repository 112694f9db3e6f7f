"""The picture in the size that a person chose for the model."""

from __future__ import annotations

from core.errors import BadValue
from core.pictures import encode, pixels

LEAST, MOST = 32, 2048  # pixels


def check_size(side: int | None) -> None:
    """Raises BadValue."""
    if side is not None and not LEAST <= side <= MOST:
        raise BadValue(
            f"A picture of {side} pixels is out of range: take {LEAST} to {MOST}, or leave it out."
        )


def sized(png: bytes, side: int | None) -> bytes:
    """A PNG whose longer side has so many pixels; None: the very bytes that are logged.

    The same bytes and size give the same result, so what was sent can be made again from the log.
    """
    if side is None:
        return png
    import cv2

    rgb = pixels(png)
    longest = max(rgb.shape[:2])
    if longest == side:
        return png
    height, width = (max(1, round(n * side / longest)) for n in rgb.shape[:2])
    how = cv2.INTER_AREA if side < longest else cv2.INTER_CUBIC
    return encode(cv2.resize(rgb, (width, height), interpolation=how).astype(rgb.dtype))
