"""An eye in files, and the answerer that asks it."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from core.belief import Atom, Query, QueryTopic, Verdict
from core.errors import AnswererError, BadFile, BadValue
from core.pictures import make_frame
from core.ports import Answerer, Frame, StatesErrorRates
from core.stop_token import StopToken
from core.vqa.answerers.eye_answerer import EyeAnswerer
from core.vqa.data_files import user_dir
from core.vqa.eye.eye import Eye
from core.vqa.eye.eye_file import PredicateFigures, eye_folders
from core.vqa.eye.questions import question_key
from core.vqa.registry import EYE, make_answerer, uses_network
from tests.core.vqa.eye.kit import BLUE, DARK, GREEN, QUESTION, RED, tiny_eye

LIT = Query(Atom("lit", ("lamp-n-02_1",)), "Is the lamp on?")
DIM = Query(LIT.atom, "Is the lamp off?", negated=True)
OTHER = Query(Atom("lit", ("lamp-n-02_2",)), "Is the other lamp on?")
STEP = Query(LIT.atom, "Did it work?", topic=QueryTopic.STEP_SUCCEEDED)


@pytest.fixture
def eye(tmp_path: Path) -> Answerer:
    return EyeAnswerer([Eye(tiny_eye(tmp_path / "tiny"))])


def frame(rgb: np.ndarray) -> Frame:
    return make_frame(rgb.copy(), "eye", 0.0, "here")


def test_that_a_question_is_its_predicate_and_the_words_of_its_objects() -> None:
    atom = Atom("inside", ("hard__boiled_egg-n-01_1", "electric_refrigerator-n-01_1"))
    assert question_key(atom) == "inside, hard boiled egg 1, electric refrigerator 1"
    assert question_key(LIT.atom) == QUESTION


@pytest.mark.parametrize(
    ("rgb", "verdict", "said"),
    [
        (RED, Verdict.YES, "yes (100 %)"),
        (GREEN, Verdict.NO, "no (100 %)"),
        (DARK, Verdict.UNKNOWN, "cannot be seen (96 %)"),
        (BLUE, Verdict.UNKNOWN, "not a picture like those it was trained on"),
    ],
)
def test_that_it_answers_from_the_pictures_bytes(
    eye: Answerer, rgb: np.ndarray, verdict: Verdict, said: str
) -> None:
    (answer,) = eye.answer(frame(rgb), [LIT], 3, StopToken()).answers
    assert (answer.verdict, answer.raw_reply, answer.by) == (verdict, said, "tiny 1")
    assert (answer.confidence is None) == (verdict is Verdict.UNKNOWN)


def test_that_a_negated_question_is_answered_in_its_own_words_about_the_atom(eye: Answerer) -> None:
    (answer,) = eye.answer(frame(RED), [DIM], 0, StopToken()).answers
    assert answer.verdict is Verdict.YES and answer.raw_reply == "no (100 %)"


def test_that_what_it_was_not_trained_on_is_unknown_and_said_so(eye: Answerer) -> None:
    answers = eye.answer(frame(RED), [OTHER, LIT, STEP], 0, StopToken()).answers
    assert [a.verdict for a in answers] == [Verdict.UNKNOWN, Verdict.YES, Verdict.UNKNOWN]
    assert answers[0].raw_reply == answers[2].raw_reply == "not trained on this"


def test_that_a_frame_without_a_picture_answers_nothing(eye: Answerer) -> None:
    (answer,) = eye.answer(Frame("f"), [LIT], 0, StopToken()).answers
    assert answer.verdict is Verdict.UNKNOWN and answer.raw_reply == "there is no picture"


def test_that_bytes_that_are_no_picture_are_one_sentence(eye: Answerer) -> None:
    with pytest.raises(AnswererError, match="are no picture"):
        eye.answer(Frame("f", png=b"\x89PNG not really"), [LIT], 0, StopToken())


def test_that_it_states_the_error_rates_that_were_measured(tmp_path: Path) -> None:
    eye = Eye(tiny_eye(tmp_path))
    measured = replace(eye.card, figures={"lit": PredicateFigures(100, 0.76, 0.04, 0, 0.0)})
    answerer = EyeAnswerer([eye.with_head(measured, eye.head)])
    assert isinstance(answerer, StatesErrorRates)
    assert answerer.error_rates("lit") == pytest.approx((0.95, 0.05))
    assert EyeAnswerer([eye]).error_rates("lit") == (0.7, 0.25)
    assert answerer.error_rates("open") == (0.5, 0.5)


def test_that_it_is_chosen_by_name_and_opens_no_socket(tmp_path: Path) -> None:
    folder = str(tiny_eye(tmp_path))
    assert make_answerer("eye", options={"folder": folder}).name == "tiny 1"
    assert not uses_network("eye")


def test_that_an_eye_in_the_data_folder_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    if not eye_folders():  # one may be shipped
        lacks = EYE.missing()
        assert lacks is not None and lacks.problem == "There is no eye yet"
    mine = tiny_eye(user_dir("eye") / "mine")
    assert eye_folders()[0] == mine and EYE.missing() is None


def test_that_a_blank_picture_is_foreign(tmp_path: Path) -> None:
    eye = Eye(tiny_eye(tmp_path))
    assert eye.look(np.full((20, 30, 3), 128, np.uint8)).foreign and not eye.look(DARK).foreign


def test_that_without_an_eye_one_is_to_be_trained() -> None:
    with pytest.raises(BadValue, match="train one"):
        EyeAnswerer([])


def _cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 3])


def _another_size(path: Path) -> None:
    path.write_text(path.read_text().replace("side = 16", "side = 32"))


def _not_finite(path: Path) -> None:
    tiny_eye(path.parent, out_bias=np.array([0, np.nan, 0], np.float32))


def _wrong_shape(path: Path) -> None:
    tiny_eye(path.parent, out_bias=np.zeros(4, np.float32))


@pytest.mark.parametrize(
    ("name", "spoil"),
    [
        ("trunk.onnx", _cut),
        ("trunk.onnx", lambda path: path.write_bytes(b"")),
        ("trunk.onnx", Path.unlink),
        ("head.npz", _cut),
        ("head.npz", _not_finite),
        ("head.npz", _wrong_shape),
        ("eye.toml", _cut),
    ],
)
def test_that_a_broken_file_is_one_sentence(
    tmp_path: Path, name: str, spoil: Callable[[Path], object]
) -> None:
    folder = tiny_eye(tmp_path)
    spoil(folder / name)
    with pytest.raises(BadFile, match=name) as caught:
        Eye(folder)
    assert "\n" not in str(caught.value)


def test_that_a_trunk_of_another_size_is_one_sentence(tmp_path: Path) -> None:
    folder = tiny_eye(tmp_path)
    _another_size(folder / "eye.toml")
    answerer = EyeAnswerer([Eye(folder)])
    with pytest.raises(AnswererError, match="does not fit its card"):
        answerer.answer(frame(RED), [LIT], 0, StopToken())
