"""Convert between stills and bytes, of this program or from anywhere.

No file, no clock; OpenCV and numpy are imported only when needed.
"""

from __future__ import annotations

import os
import struct
from collections.abc import Mapping
from contextlib import suppress
from hashlib import sha256
from typing import TYPE_CHECKING, Any

from core.errors import BadValue
from core.ports import Frame

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


MAX_PIXELS = 40_000_000  # a few bytes can claim any size; no camera of ours has more
JPEG_SCAN, MAX_SCANS = b"\xff\xda", 100  # each passes over all pixels again, and costs a few bytes


def make_frame(
    rgb: NDArray[np.uint8],
    camera: str,
    timestamp: float,
    viewpoint: str,
    depth: NDArray[np.float32] | None = None,
) -> Frame:
    """Return a still image with the PNG bytes that a model receives, identified by their SHA-256.

    `rgb` is H x W x 3, uint8; `depth` is H x W, in metres; `timestamp` is in seconds of the robot's monotonic
    clock. The arrays are made read-only, not copied. The same pixels give the same bytes and id. Raises
    BadValue.
    """
    png = encode_png(rgb)
    for array in (rgb, depth):
        if array is not None:
            _read_only(array)
    return Frame(picture_id(png), camera, timestamp, viewpoint, rgb, png, depth)


def blank_frame(camera: str, timestamp: float, viewpoint: str) -> Frame:
    """Return the frame of a world without rendering (`--no-pictures`); its id is empty."""
    return Frame("", camera, timestamp, viewpoint)


def picture_id(png: bytes) -> str:
    """Return the id of a still image: the SHA-256 of its bytes, in hex."""
    return sha256(png).hexdigest()


def encode_png(rgb: NDArray[np.uint8]) -> bytes:
    """Encode H x W x 3, uint8, RGB as PNG. Raises BadValue for any other array."""
    import cv2
    import numpy as np

    if rgb.ndim != 3 or rgb.shape[2] != 3 or rgb.dtype != np.uint8 or 0 in rgb.shape:
        raise BadValue(f"A picture must be height x width x 3 of uint8, not {rgb.shape} of {rgb.dtype}.")
    # As fast as OpenCV's own choice on rendered stills, at a third of its size.
    made, png = cv2.imencode(".png", rgb[..., ::-1], [cv2.IMWRITE_PNG_COMPRESSION, 3])
    if not made:
        raise BadValue("OpenCV could not write this picture as PNG.")
    return png.tobytes()


def decode_picture(data: bytes) -> NDArray[np.uint8]:
    """Decode a JPEG, PNG, WebP, TIFF or BMP from anywhere into H x W x 3, uint8, RGB, read-only.

    It is upright, as its EXIF says. Raises BadValue for other bytes, a picture that is cut off, and one of
    more than MAX_PIXELS.
    """
    return _upright(*_decode_rgb(data))


def decode_as_stored(data: bytes) -> NDArray[np.uint8]:
    """Decode as `decode_picture` does, but leave the pixels where the lens had them."""
    return _decode_rgb(data)[0]


def decode_depth(data: bytes) -> NDArray[Any]:
    """Decode a depth image as it is stored, with its own type and channels. Raises BadValue."""
    import cv2

    return _decode(data, cv2.IMREAD_UNCHANGED)[0]


def frame_of_picture(
    data: bytes, camera: str, timestamp: float, viewpoint: str, depth: NDArray[np.float32] | None = None
) -> Frame:
    """Return the frame of a picture from anywhere, as `decode_picture` reads it; a model receives it as PNG.

    `depth` is as large as the picture is stored, and is turned with it. An upright PNG keeps its bytes and so
    its id. For the rest see `make_frame`. Raises BadValue.
    """
    stored, turn = _decode_rgb(data)
    if depth is not None and depth.shape != stored.shape[:2]:
        sizes = " and ".join(f"{size[1]} x {size[0]}" for size in (stored.shape, depth.shape))
        raise BadValue(
            f"The picture and its depth differ in size, {sizes} pixels: give both from one camera."
        )
    rgb, depth = _upright(stored, turn), None if depth is None else _upright(depth, turn)
    if turn == 1 and data.startswith(PNG):
        return Frame(picture_id(data), camera, timestamp, viewpoint, rgb, data, depth)
    return make_frame(rgb, camera, timestamp, viewpoint, depth)


def _decode_rgb(data: bytes) -> tuple[NDArray[np.uint8], int]:
    import cv2
    import numpy as np

    bgr, turn = _decode(data, cv2.IMREAD_COLOR | cv2.IMREAD_IGNORE_ORIENTATION)
    return _read_only(np.ascontiguousarray(bgr[..., ::-1], dtype=np.uint8)), turn


def _decode(data: bytes, how: int) -> tuple[NDArray[Any], int]:
    """Return the pixels as stored, and their EXIF orientation."""
    import cv2
    import numpy as np

    size = picture_size(data)
    if size is None:
        raise BadValue(f"These {len(data)} bytes are no picture: JPEG, PNG, WebP, TIFF and BMP are.")
    if size[0] * size[1] > MAX_PIXELS:
        claim, most = f"{size[0]} x {size[1]}", f"{MAX_PIXELS / 1e6:.0f} million"
        raise BadValue(f"This picture claims {claim} pixels: make it smaller, {most} at most.")
    if "OPENCV_LOG_LEVEL" not in os.environ:  # what is wrong is said below, once
        cv2.utils.logging.setLogLevel(cv2.utils.logging.LOG_LEVEL_SILENT)
    pixels, turn = None, 1
    if (not data.startswith(PNG) or png_is_whole(data)) and data.count(JPEG_SCAN) <= MAX_SCANS:
        with suppress(cv2.error):
            pixels, kinds, metadata = cv2.imdecodeWithMetadata(np.frombuffer(data, np.uint8), flags=how)
            exif = dict(zip(kinds, metadata, strict=True)).get(cv2.IMAGE_METADATA_EXIF)
            turn = 1 if exif is None else exif_orientation(exif.tobytes())
    if pixels is None:
        raise BadValue(f"This picture of {len(data)} bytes is cut off or damaged: copy or take it again.")
    return pixels, turn


def _upright(array: NDArray[Any], orientation: int) -> NDArray[Any]:
    """Return an array, H x W or H x W x 3, as EXIF says that it is to be seen; read-only."""
    import numpy as np

    if orientation >= 5:
        array = array.swapaxes(0, 1)
    if orientation in (3, 4, 7, 8):
        array = array[::-1]
    if orientation in (2, 3, 6, 7):
        array = array[:, ::-1]
    return _read_only(np.ascontiguousarray(array))


def _read_only(array: NDArray[Any]) -> NDArray[Any]:
    array.flags.writeable = False
    return array


# --- what the first bytes claim --------------------------------------------------------------------------


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
