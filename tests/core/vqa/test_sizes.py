"""Pictures for the model in another size than the one that is logged."""

import base64

import numpy as np
import pytest

from core.config import Settings
from core.errors import BadValue
from core.pictures import decode_picture, encode_png, make_frame, resize_png
from core.stop_token import StopToken
from core.vqa.registry import ModelSettings, make_answerer
from tests.core.vqa.conftest import Serve
from tests.core.vqa.kit import BOTH, World

WIDE = np.zeros((60, 120, 3), np.uint8)
WIDE[:, :60] = (200, 30, 30)


def test_that_a_picture_stays_byte_for_byte_unless_another_size_is_chosen() -> None:
    png = encode_png(WIDE)
    assert resize_png(png, None) is png
    assert resize_png(png, 120) is png


@pytest.mark.parametrize(("side", "shape"), [(64, (32, 64, 3)), (480, (240, 480, 3))])
def test_that_the_longer_side_gets_the_chosen_size_and_the_colours_stay(
    side: int, shape: tuple[int, ...]
) -> None:
    made = decode_picture(resize_png(encode_png(WIDE), side))
    assert made.shape == shape
    assert tuple(made[5, 5]) == (200, 30, 30) and tuple(made[5, -5]) == (0, 0, 0)
    assert resize_png(encode_png(WIDE), side) == resize_png(encode_png(WIDE), side)


def test_that_the_model_gets_the_chosen_size_and_the_log_says_so(serve: Serve) -> None:
    server, frame = serve(), make_frame(WIDE, "eye", 0.0, "v")
    call = make_answerer(server.url, truth=World(), asking=ModelSettings(picture_size=64)).answer(
        frame, BOTH, 1, StopToken()
    )
    sent = server.received[-1].body["messages"][-1]["content"][0]["image_url"]["url"]
    assert decode_picture(base64.b64decode(sent.partition(",")[2])).shape == (32, 64, 3)
    assert call.prompt.endswith(", 64 px")
    assert call.answers[0].frame == frame.id


def test_that_a_size_out_of_range_is_refused() -> None:
    for side in (0, 16, 5000):
        with pytest.raises(BadValue, match="out of range"):
            Settings(picture_size=side)
