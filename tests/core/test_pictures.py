import struct
from hashlib import sha256

import cv2
import numpy as np
import pytest

from core.errors import BadValue
from core.pictures import (
    blank_frame,
    decode_as_stored,
    decode_depth,
    decode_picture,
    encode_png,
    frame_of_picture,
    make_frame,
)

rng = np.random.default_rng(0)


@pytest.mark.parametrize("shape", [(1, 1, 3), (2, 5, 3), (256, 256, 3)])
def test_that_pixels_survive_exactly_in_their_colours(shape: tuple[int, ...]) -> None:
    rgb = rng.integers(0, 256, shape, dtype=np.uint8)
    assert np.array_equal(decode_picture(encode_png(rgb)), rgb)


def test_that_a_frame_is_named_by_the_bytes_that_the_model_gets() -> None:
    rgb = rng.integers(0, 256, (8, 8, 3), dtype=np.uint8)
    frame, again = make_frame(rgb, "top", 1.5, "a"), make_frame(rgb.copy(), "side", 2.5, "b")
    assert frame.id == sha256(frame.png).hexdigest() == again.id
    assert (frame.camera, frame.timestamp, frame.viewpoint) == ("top", 1.5, "a")


def test_that_the_arrays_of_a_frame_are_never_written_to() -> None:
    frame = make_frame(np.zeros((4, 4, 3), np.uint8), "top", 0.0, "", np.ones((4, 4), np.float32))
    assert frame.rgb is not None and frame.depth is not None
    for array in (frame.rgb, frame.depth):
        with pytest.raises(ValueError, match="read-only"):
            array[0, 0] = 1


def test_that_a_picture_upside_down_in_memory_is_taken_as_it_is_seen() -> None:
    rgb = rng.integers(0, 256, (6, 4, 3), dtype=np.uint8)[::-1]
    assert np.array_equal(decode_picture(encode_png(rgb)), rgb)


@pytest.mark.parametrize(
    "rgb", [np.zeros((4, 4)), np.zeros((4, 4, 4), np.uint8), np.zeros((0, 4, 3), np.uint8)]
)
def test_that_an_array_that_is_no_picture_is_refused(rgb: np.ndarray) -> None:
    with pytest.raises(BadValue, match="height x width x 3"):
        encode_png(rgb)


@pytest.mark.parametrize("png", [b"", b"no picture", encode_png(np.zeros((9, 9, 3), np.uint8))[:40]])
def test_that_bytes_that_are_no_picture_are_refused(png: bytes) -> None:
    with pytest.raises(BadValue, match=r"no picture|cut off"):
        decode_picture(png)


def test_that_a_blank_frame_has_no_bytes_and_no_name() -> None:
    frame = blank_frame("top", 1.0, "a")
    assert (frame.id, frame.png, frame.rgb) == ("", b"", None)


# --- from anywhere ---

SCENE = cv2.resize(rng.integers(0, 256, (5, 7, 3), dtype=np.uint8), (56, 40))
KINDS = {
    ".png": 0,
    ".jpg": 20,
    ".webp": 25,
    ".tif": 0,
    ".bmp": 0,
}  # the worst pixel after the way there and back


def coded(kind: str, turn: int = 0, rgb: np.ndarray = SCENE) -> bytes:
    """The bytes of a picture, with an EXIF orientation unless it is 0."""
    bgr, exif = rgb[..., ::-1].copy(), b"MM\0*" + struct.pack(">IHHHIHHI", 8, 1, 0x0112, 3, 1, turn, 0, 0)
    if not turn:
        return cv2.imencode(kind, bgr)[1].tobytes()
    made, data = cv2.imencodeWithMetadata(
        kind, bgr, [cv2.IMAGE_METADATA_EXIF], [np.frombuffer(exif, np.uint8)]
    )
    assert made
    return data.tobytes()


@pytest.mark.parametrize("kind", KINDS)
def test_that_a_picture_is_known_by_its_bytes(kind: str) -> None:
    read = decode_picture(coded(kind))
    assert read.shape == SCENE.shape and np.abs(read.astype(int) - SCENE).mean() <= KINDS[kind]
    assert not read.flags.writeable


@pytest.mark.parametrize("kind", [".jpg", ".png", ".webp"])
@pytest.mark.parametrize("turn", range(1, 9))
def test_that_a_picture_is_turned_by_its_exif_as_opencv_does(kind: str, turn: int) -> None:
    data = coded(kind, turn)
    theirs = cv2.imdecode(np.frombuffer(data, np.uint8), cv2.IMREAD_COLOR)[..., ::-1]
    assert np.array_equal(decode_picture(data), theirs)
    assert decode_as_stored(data).shape == SCENE.shape


def test_that_depth_is_turned_with_its_picture_and_the_model_gets_png() -> None:
    depth = np.arange(40 * 56, dtype=np.float32).reshape(40, 56)
    data = coded(".jpg", 6)
    frame = frame_of_picture(data, "top", 1.0, "a", depth)
    assert frame.rgb is not None and frame.depth is not None
    assert frame.rgb.shape == (56, 40, 3) and np.array_equal(frame.depth, np.rot90(depth, -1))
    assert np.array_equal(decode_picture(frame.png), frame.rgb) and frame.png.startswith(b"\x89PNG")
    assert frame.id == sha256(frame.png).hexdigest()
    with pytest.raises(BadValue, match="differ in size, 56 x 40 and 40 x 40 pixels"):
        frame_of_picture(data, "top", 1.0, "a", depth[:, :40])


def test_that_an_upright_png_keeps_its_bytes() -> None:
    data = coded(".png")
    assert frame_of_picture(data, "top", 1.0, "a").png == data
    assert frame_of_picture(coded(".png", 3), "top", 1.0, "a").png != coded(".png", 3)


@pytest.mark.parametrize("kind", KINDS)
def test_that_a_picture_that_is_cut_off_is_refused_in_silence(
    kind: str, capfd: pytest.CaptureFixture
) -> None:
    data = coded(kind)
    for kept in (0, 5, 13, 30, 60, len(data) // 2, len(data) - 20):
        with pytest.raises(BadValue, match=r"are no picture|cut off or damaged"):
            decode_picture(data[:kept])
    assert capfd.readouterr().err == ""


def claims(kind: str, side: int) -> bytes:
    """A small picture whose header claims to be so many pixels high and wide."""
    data = bytearray(coded(kind))
    places = {".png": (16, ">II"), ".bmp": (18, "<II"), ".webp": (21, "<I")}
    at, form = places.get(kind) or (data.index(b"\xff\xc0") + 5, ">HH")
    struct.pack_into(form, data, at, *((side - 1 | side - 1 << 14,) if kind == ".webp" else (side, side)))
    return bytes(data)


@pytest.mark.parametrize(
    ("kind", "side"), [(".png", 60_000), (".jpg", 60_000), (".bmp", 60_000), (".webp", 16_000)]
)
def test_that_a_bomb_is_refused_by_the_size_that_it_claims(kind: str, side: int) -> None:
    with pytest.raises(BadValue, match=f"claims {side} x {side} pixels: make it smaller, 40 million at most"):
        decode_picture(claims(kind, side))


def test_that_a_png_whose_part_claims_more_bytes_than_there_are_is_refused() -> None:
    data = bytearray(coded(".png"))
    struct.pack_into(">I", data, data.index(b"IDAT") - 4, 2**30)
    with pytest.raises(BadValue, match="cut off or damaged"):
        decode_picture(bytes(data))


def test_that_a_jpeg_of_endless_scans_is_refused() -> None:
    data = coded(".jpg")
    at = data.index(b"\xff\xda")
    with pytest.raises(BadValue, match="cut off or damaged"):
        decode_picture(data[:at] + data[at:-2] * 101 + data[-2:])


@pytest.mark.parametrize(
    "data",
    [
        b"GIF89a" + bytes(99),
        b"%PDF-1.7",
        b"<svg/>",
        b"\x89PNG\r\n\x1a\n",
        b"\xff\xd8\xff" * 99,
        b"BM",
        b"II*\0",
    ],
)
def test_that_other_bytes_are_refused(data: bytes) -> None:
    with pytest.raises(BadValue, match="are no picture"):
        decode_picture(data)


def test_that_exif_that_makes_no_sense_turns_nothing() -> None:
    data = coded(".jpg", 6)
    whole = data.index(b"MM\0*")
    for at, new in (
        (whole + 4, b"\xff" * 4),
        (whole + 18, b"\0\x63"),
        (whole, b"??"),
    ):
        assert decode_picture(data[:at] + new + data[at + len(new) :]).shape == SCENE.shape


def test_that_depth_keeps_its_numbers() -> None:
    depth = rng.integers(0, 60_000, (8, 9), dtype=np.uint16)
    assert np.array_equal(decode_depth(cv2.imencode(".png", depth)[1].tobytes()), depth)
