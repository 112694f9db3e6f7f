from hashlib import sha256

import numpy as np
import pytest

from core.errors import BadValue
from core.pictures import blank_frame, decode_png, encode_png, make_frame

rng = np.random.default_rng(0)


@pytest.mark.parametrize("shape", [(1, 1, 3), (2, 5, 3), (256, 256, 3)])
def test_that_pixels_survive_exactly_in_their_colours(shape: tuple[int, ...]) -> None:
    rgb = rng.integers(0, 256, shape, dtype=np.uint8)
    assert np.array_equal(decode_png(encode_png(rgb)), rgb)


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
    assert np.array_equal(decode_png(encode_png(rgb)), rgb)


@pytest.mark.parametrize(
    "rgb", [np.zeros((4, 4)), np.zeros((4, 4, 4), np.uint8), np.zeros((0, 4, 3), np.uint8)]
)
def test_that_an_array_that_is_no_picture_is_refused(rgb: np.ndarray) -> None:
    with pytest.raises(BadValue, match="height x width x 3"):
        encode_png(rgb)


@pytest.mark.parametrize("png", [b"", b"no picture", encode_png(np.zeros((9, 9, 3), np.uint8))[:40]])
def test_that_bytes_that_are_no_picture_are_refused(png: bytes) -> None:
    with pytest.raises(BadValue, match="no picture"):
        decode_png(png)


def test_that_a_blank_frame_has_no_bytes_and_no_name() -> None:
    frame = blank_frame("top", 1.0, "a")
    assert (frame.id, frame.png, frame.rgb) == ("", b"", None)
