"""What covers a part of a picture, and two pictures side by side."""

from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np
import pytest

from core.belief import Atom, Query, Verdict
from core.pictures import decode_picture, make_frame
from core.stop_token import StopToken
from core.vqa.answerers.eye_answerer import COVERED, EyeAnswerer
from core.vqa.data_files import RESOURCES
from core.vqa.eye.covers import cover_scores, halves, hidden, join, seam
from core.vqa.eye.eye import UNSEEN, Eye
from core.vqa.eye.eye_file import weakest
from tests.core.vqa.eye.kit import RED

KITCHEN = Path(__file__).parents[3] / "fixtures" / "eye" / "kitchen.jpg"


@pytest.fixture(scope="module")
def eye() -> Eye:
    return Eye(RESOURCES / "eye" / "household")


def test_that_behind_a_black_square_nothing_is_denied(eye: Eye) -> None:
    rgb = decode_picture(KITCHEN.read_bytes())
    covered = rgb.copy()
    covered[60:140, 90:170] = 0
    plain, square = eye.look(rgb), eye.look(covered)
    assert not plain.foreign and not square.foreign
    before, after = (eye.ask(sight, eye.card.questions) for sight in (plain, square))
    assert not before.hidden.any() and set(eye.choose(before.probabilities, eye.card.questions)) == {0, 1, 2}
    assert after.hidden.mean() > 0.5
    assert set(eye.choose(after.probabilities, eye.card.questions)[after.hidden]) == {UNSEEN}
    atom = Atom("closed", ("microwave_1",))
    frame = make_frame(covered, "top", 0.0, "here")
    (answer,) = EyeAnswerer([eye]).answer(frame, [Query(atom, "")], 1, StopToken()).answers
    assert (answer.verdict, answer.raw_reply) == (Verdict.UNKNOWN, COVERED)


def test_that_a_yes_counts_that_comes_from_elsewhere() -> None:
    covered, attention = np.zeros(64, bool), np.zeros((3, 64), np.float32)
    attention[[0, 1, 2], [0, 63, 63]] = 1
    said_yes = np.array([True, True, False])
    assert not hidden(covered, attention, said_yes).any()
    covered[9] = True  # beside the first cell
    assert list(hidden(covered, attention, said_yes)) == [True, False, True]


def test_that_one_odd_cell_covers_nothing() -> None:
    one, none = np.ones(1), np.zeros(1)
    head = {"cover_layer": np.eye(1), "cover_layer_bias": none, "cover": one, "cover_bias": -one}
    cells = np.zeros((64, 1), np.float32)
    cells[27] = 90
    assert cover_scores(head, cells).max() < -0.5
    cells[[18, 19, 20, 26, 27, 28, 34, 35, 36]] = 9
    assert cover_scores(head, cells)[27] == cover_scores(head, cells).max() > 2


def test_that_the_halves_of_two_pictures_meet_in_one_line() -> None:
    rng = np.random.default_rng(0)
    rough = [cv2.resize(rng.random((5, 5, 3)), (256, 256), interpolation=cv2.INTER_CUBIC) for _ in "ab"]
    one, other = (np.clip(255 * picture, 0, 255).astype(np.uint8) for picture in rough)
    for at in (60, 128, 200):
        both = np.concatenate([one[:, :at], other[:, at:]], 1)
        assert seam(both) > 0.8 > 0.3 > max(seam(one), seam(other), seam(np.rot90(both).copy()))
    edge = one // 2
    edge[:240, 128:] += 90
    assert 0.5 < seam(edge) < 0.6, "a door's edge is brighter on one side all along"
    joint = one.copy()
    joint[:, 126:129] //= 2
    assert seam(joint) < 0.3, "beside a joint the tiles look the same"
    assert seam(RED[:16, :16]) == 0, "a tiny picture has none"


def test_that_halves_that_differ_in_a_few_rows_only_meet_in_the_middle() -> None:
    rng = np.random.default_rng(0)
    rough = cv2.resize(rng.random((5, 5, 3)), (256, 256), interpolation=cv2.INTER_CUBIC)
    one = np.clip(255 * rough, 0, 255).astype(np.uint8)
    for shift, share in ((0, 40 / 256), (1, 0), (-1, 0)):
        both = one.copy()
        both[100:140, 128 + shift :] = 255 - both[100:140, 128 + shift :]
        assert halves(both) == pytest.approx(share, abs=0.03), "only the middle is looked at"
    both = cv2.GaussianBlur(both, (5, 5), 0)
    assert halves(both) == halves(one) == halves(RED[:16, :16]) == 0, "a soft edge is none"


@pytest.mark.parametrize("upright", [True, False])
def test_that_two_pictures_are_seen_to_meet_wherever_they_do(upright: bool) -> None:
    one = np.full((256, 256, 3), 120, np.uint8)
    one[:, 60:] = np.linspace(80, 180, 256, dtype=np.uint8)[:, None, None]
    both = one if upright else np.ascontiguousarray(one.transpose(1, 0, 2))
    assert join(both) > 0.6
    assert join(cv2.GaussianBlur(both, (5, 5), 0)) == join(RED[:16, :16]) == 0, "a soft edge is none"
    eye = Eye(RESOURCES / "eye" / "household")
    lenient = replace(eye.card, foreign_limit=1e9, distance_limit=1e9, seam_limit=1.0, halves_limit=1.0)
    assert eye.with_head(replace(lenient, join_limit=0.6), eye.head).look(both).foreign
    assert not eye.with_head(replace(lenient, join_limit=1.0), eye.head).look(both).foreign
    assert eye.card.join_limit < 0.8


@pytest.mark.parametrize("domain", ["household", "tabletop"])
def test_that_an_eye_takes_halves_for_a_foreign_picture(domain: str) -> None:
    eye = Eye(RESOURCES / "eye" / domain)
    lenient = replace(eye.card, foreign_limit=1e9, distance_limit=1e9, seam_limit=1.0, join_limit=1.0)
    rgb = np.full((480, 480, 3), 120, np.uint8)
    rgb[100:380, 240:] = 160
    assert eye.card.halves_limit < 0.5 and eye.with_head(lenient, eye.head).look(rgb).foreign
    assert not eye.with_head(replace(lenient, halves_limit=1.0), eye.head).look(rgb).foreign


@pytest.mark.parametrize("domain", ["household", "tabletop"])
def test_that_two_pictures_side_by_side_are_foreign_to_an_eye_that_has_the_limit(domain: str) -> None:
    eye = Eye(RESOURCES / "eye" / domain)
    assert eye.card.seam_limit < 1 and eye.card.cover_units and "covers" not in weakest(eye.card)
    rgb = np.full((480, 480, 3), 120, np.uint8)
    rgb[:, 240:] = np.linspace(80, 180, 480, dtype=np.uint8)[:, None, None]
    lenient = replace(eye.card, foreign_limit=1e9, distance_limit=1e9)
    assert eye.with_head(lenient, eye.head).look(rgb).foreign
    old = replace(lenient, seam_limit=1.0, halves_limit=1.0, join_limit=1.0, cover_units=0)
    assert not eye.with_head(old, eye.head).look(rgb).foreign and "covers" in weakest(old)
