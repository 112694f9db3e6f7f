"""Read what the bytes of a picture say of it before anything is decoded: its kind, its size and its turn.

A few bytes can claim any size, and the name of a file says nothing. Pure.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

PNG, _JPEG = b"\x89PNG\r\n\x1a\n", b"\xff\xd8\xff"
_WIDTH, _HEIGHT, _ORIENTATION = 0x0100, 0x0101, 0x0112  # tags of a TIFF, which EXIF data are as well
_SIZES = {
    0xC0,
    0xC1,
    0xC2,
    0xC3,
    0xC5,
    0xC6,
    0xC7,
    0xC9,
    0xCA,
    0xCB,
    0xCD,
    0xCE,
    0xCF,
}  # JPEG's frame headers
_LONE = {0x01, *range(0xD0, 0xD9)}  # JPEG's markers that nothing belongs to


@dataclass(frozen=True)
class PictureHeader:
    """Width and height in pixels, as stored; `orientation` is EXIF's, 1 (upright) to 8."""

    width: int
    height: int
    orientation: int = 1


def picture_header(data: bytes) -> PictureHeader | None:
    """Return what the bytes say; None if they are no JPEG, PNG, WebP, TIFF or BMP, or cut off before that."""
    try:
        if data.startswith(PNG):
            return _read(_png_parts(data))
        if data.startswith(_JPEG):
            return _read(_jpeg_parts(data))
        if data[:4] == b"RIFF" and data[8:12] == b"WEBP":
            return _read(_webp_parts(data))
        if data[:4] in (b"II*\0", b"MM\0*"):
            tags = _tags(data)
            return PictureHeader(tags[_WIDTH], tags[_HEIGHT], _turn(tags))
        if data.startswith(b"BM"):
            width, height = struct.unpack_from("<ii", data, 18)
            return PictureHeader(width, abs(height))
    except (struct.error, LookupError):
        pass
    return None


_Part = tuple[int, int] | bytes  # a size, or EXIF data


def _read(parts: Iterator[_Part]) -> PictureHeader | None:
    size, orientation = None, 1
    for part in parts:
        if isinstance(part, bytes):
            orientation = _turn(_tags(part))
        else:
            size = size or part
    return PictureHeader(*size, orientation) if size else None


def _png_parts(data: bytes) -> Iterator[_Part]:
    at = 8
    while at + 8 <= len(data):
        length, name = struct.unpack_from(">I4s", data, at)
        if name == b"IHDR":
            yield struct.unpack_from(">II", data, at + 8)
        elif name == b"eXIf":
            yield data[at + 8 : at + 8 + length]
        at += 12 + length


def _jpeg_parts(data: bytes) -> Iterator[_Part]:
    at = 2
    while data[at] == 0xFF:
        marker = data[at + 1]
        if marker == 0xFF or marker in _LONE:
            at += 1 if marker == 0xFF else 2
            continue
        (length,) = struct.unpack_from(">H", data, at + 2)
        if marker == 0xE1 and data[at + 4 : at + 10] == b"Exif\0\0":
            yield data[at + 10 : at + 2 + length]
        if marker in _SIZES:
            height, width = struct.unpack_from(">HH", data, at + 5)
            yield width, height
            return
        at += 2 + length


def _webp_parts(data: bytes) -> Iterator[_Part]:
    at = 12
    while at + 8 <= len(data):
        name, length = struct.unpack_from("<4sI", data, at)
        start = at + 8
        if name == b"VP8X":
            low, high = data[start + 4 : start + 7], data[start + 7 : start + 10]
            yield int.from_bytes(low, "little") + 1, int.from_bytes(high, "little") + 1
        elif name == b"VP8 ":
            width, height = struct.unpack_from("<HH", data, start + 6)
            yield width & 0x3FFF, height & 0x3FFF
        elif name == b"VP8L":
            (bits,) = struct.unpack_from("<I", data, start + 1)
            yield (bits & 0x3FFF) + 1, (bits >> 14 & 0x3FFF) + 1
        elif name == b"EXIF":
            yield data[start : start + length].removeprefix(b"Exif\0\0")
        at = start + length + length % 2


def _tags(tiff: bytes) -> dict[int, int]:
    """Return the whole numbers among the first tags of a TIFF or of EXIF data; none if it is neither."""
    order = {b"II": "<", b"MM": ">"}.get(tiff[:2])
    if order is None or len(tiff) < 10:
        return {}
    (at,) = struct.unpack_from(f"{order}I", tiff, 4)
    (count,) = struct.unpack_from(f"{order}H", tiff, at) if at + 2 <= len(tiff) else (0,)
    found: dict[int, int] = {}
    for entry in range(at + 2, min(at + 2 + 12 * count, len(tiff) - 11), 12):
        tag, kind = struct.unpack_from(f"{order}HH", tiff, entry)
        if kind in (3, 4):
            form = "H" if kind == 3 else "I"
            (found[tag],) = struct.unpack_from(f"{order}{form}", tiff, entry + 8)
    return found


def _turn(tags: Mapping[int, int]) -> int:
    named = tags.get(_ORIENTATION, 1)
    return named if 1 <= named <= 8 else 1
