"""Labels of pictures that a simulator draws."""

import numpy as np

from core.belief import Atom
from core.pictures import decode_picture
from core.robots import DrawnStates
from core.stop_token import StopToken
from core.vqa.eye.eye import NO, UNSEEN, YES
from core.vqa.eye.teaching.drawn import drawn_labels

SCREW, NUT, PEG, CLIP = ASKED = tuple(Atom("ontable", (name,)) for name in ("screw", "nut", "peg", "clip"))


def draw(seed: int) -> DrawnStates:
    rgb = np.full((4, 4, 3), seed, np.uint8)
    yield rgb, ((True, True), (True, True), (False, True), (False, False))
    yield rgb + 1, ((False, None),) * 4


def test_that_of_a_drawn_picture_one_fact_is_learnt_that_holds_and_one_that_does_not() -> None:
    labels, pngs = drawn_labels(draw, (3, 7), ASKED, StopToken())
    assert [decode_picture(png)[0, 0, 0] for png in pngs.values()] == [3, 4, 7, 8]
    for seed in (3, 7):
        said = {label.atom: label.answer for label in labels if label.episode == f"drawn {seed}"}
        assert said.items() <= {SCREW: YES, NUT: YES, PEG: NO, CLIP: UNSEEN}.items()
        assert len(said) == len({SCREW, NUT} & {*said}) + 1 == 2, "what is hardly seen is none"
