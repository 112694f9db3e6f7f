"""Read what the first bytes of a picture claim, as a few can claim any size: its size and its turn. Pure."""

from __future__ import annotations

import struct
from collections.abc import Mapping
from contextlib import suppress

PNG, JPEG = b"\x89PNG\r\n\x1a\n", b"\xff\xd8\xff"
_JPEG_SIZES = {*range(0xC0, 0xD0)} - {0xC4, 0xC8, 0xCC}  # the markers before the size
_JPEG_LONE = {0x01, *range(0xD0, 0xD9)}  # the markers that nothing belongs to
_WIDTH, _HEIGHT, _ORIENTATION = 0x0100, 0x0101, 0x0112  # tags of a TIFF, which EXIF data are as well


def picture_size(data: bytes) -> tuple[int, int] | None:
    """Return width and height in pixels, as stored; None if this is no JPEG, PNG, WebP, TIFF or BMP."""
    try:
        if data.startswith(PNG):
            return struct.unpack_from(">II", data, 16)
        if data.startswith(JPEG):
            return _jpeg_size(data)
        if data.startswith(b"RIFF"):
            return _webp_size(data)
        if data.startswith(b"BM"):
            width, height = struct.unpack_from("<ii", data, 18)
            return width, abs(height)
        tags = _tiff_tags(data)
        return tags[_WIDTH], tags[_HEIGHT]
    except (struct.error, LookupError):
        return None


def png_is_whole(data: bytes) -> bool:
    """Return True if all parts of a PNG are there; memory is taken for as many bytes as a part claims."""
    at, name = 8, b""
    while at + 12 <= len(data) and name != b"IEND":
        length, name = struct.unpack_from(">I4s", data, at)
        at += 12 + length
    return name == b"IEND" and at <= len(data)


def exif_orientation(exif: bytes) -> int:
    """Return how EXIF data say that a picture is turned, 1 (upright) to 8; 1 if they do not say it."""
    named = _tiff_tags(exif).get(_ORIENTATION, 1)
    return named if 1 <= named <= 8 else 1


def _jpeg_size(data: bytes) -> tuple[int, int]:
    at = 2
    while data[at] == 0xFF:
        marker = data[at + 1]
        if marker in _JPEG_SIZES:
            height, width = struct.unpack_from(">HH", data, at + 5)
            return width, height
        if marker in _JPEG_LONE or marker == 0xFF:
            at += 1 if marker == 0xFF else 2
        else:
            at += 2 + int.from_bytes(data[at + 2 : at + 4], "big")
    raise LookupError


def _webp_size(data: bytes) -> tuple[int, int]:
    match data[8:16]:
        case b"WEBPVP8X":
            return 1 + int.from_bytes(data[24:27], "little"), 1 + int.from_bytes(data[27:30], "little")
        case b"WEBPVP8 ":
            width, height = struct.unpack_from("<HH", data, 26)
            return width & 0x3FFF, height & 0x3FFF
        case b"WEBPVP8L":
            (bits,) = struct.unpack_from("<I", data, 21)
            return 1 + (bits & 0x3FFF), 1 + (bits >> 14 & 0x3FFF)
    raise LookupError


def _tiff_tags(tiff: bytes) -> Mapping[int, int]:
    """Return the whole numbers among the first tags of a TIFF or of EXIF data; none if it is neither."""
    order, found = {b"II": "<", b"MM": ">"}.get(tiff[:2]), dict[int, int]()
    if order is None:
        return found
    with suppress(struct.error):  # it is cut off
        (at,) = struct.unpack_from(f"{order}I", tiff, 4)
        (count,) = struct.unpack_from(f"{order}H", tiff, at)
        for entry in range(at + 2, at + 2 + 12 * count, 12):
            tag, kind = struct.unpack_from(f"{order}HH", tiff, entry)
            if kind in (3, 4):
                (found[tag],) = struct.unpack_from(f"{order}{'H' if kind == 3 else 'I'}", tiff, entry + 8)
    return found
