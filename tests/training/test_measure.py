"""How an eye is measured, and what pictures suffer before."""

from dataclasses import replace
from types import SimpleNamespace

import cv2
import numpy as np
import pytest

from core.vqa.eye.augment import augment
from core.vqa.eye.eye import NO, UNSEEN, YES, Eye, foreign_score
from core.vqa.eye.teaching.measure import figures_of as figures
from core.vqa.eye.teaching.measure import fit_sure
from tests.core.vqa.eye.kit import CARD, DARK, GREEN, QUESTION, RED, tiny_eye, write
from training.calibrate import OPPOSITE, calibrate, fit_foreign, fit_scale, fit_unseen
from training.covers import cover, fit_limit, fit_seams
from training.data import LabelledQuestions
from training.foreign import TESTING, training_picture, two_of_ours
from training.measure import CHANGES, answers, calibration_error, confusion
from training.patches import PATCHES
from training.photographs import photographs, piece


def asked(*labels: int) -> LabelledQuestions:
    """Ask about a red, a green and a dark picture, with these labels."""
    pictures = np.stack([picture[:16, :16] for picture in (RED, GREEN, DARK)])
    rows = np.array([(number, 0, label) for number, label in enumerate(labels)], np.int32)
    return LabelledQuestions(pictures, rows, (QUESTION,), ("", "", ""))


def test_that_right_opposite_and_unseen_answers_are_counted(tmp_path) -> None:
    eye = Eye(tiny_eye(tmp_path))
    right = figures(confusion(answers(eye, asked(YES, NO, UNSEEN), CHANGES["as they are"]).rows))
    assert (right.seen, right.right, right.opposite, right.unseen, right.unseen_right) == (2, 1, 0, 1, 1)
    wrong = figures(confusion(answers(eye, asked(NO, NO, YES), CHANGES["as they are"]).rows))
    assert (wrong.seen, wrong.right, wrong.opposite) == (3, pytest.approx(1 / 3, abs=1e-3), 0.3333)


def test_that_calibration_compares_how_sure_with_how_often_right(tmp_path) -> None:
    found = answers(Eye(tiny_eye(tmp_path)), asked(YES, NO, UNSEEN), CHANGES["as they are"])
    assert calibration_error(found) < 0.03
    wrong = answers(Eye(tiny_eye(tmp_path)), asked(NO, YES, YES), CHANGES["as they are"])
    assert calibration_error(wrong) > 0.9


def test_that_scaling_takes_back_what_is_too_sure() -> None:
    rng = np.random.default_rng(0)
    labels = rng.integers(0, 3, 1000)
    said = np.where(rng.random(1000) < 0.7, labels, rng.integers(0, 3, 1000))  # right in 80 %
    logits = 9 * np.eye(3, dtype=np.float32)[said]
    scale, shift = fit_scale(logits, labels)
    shares = np.exp(logits * scale + shift)
    assert (shares / shares.sum(1, keepdims=True)).max(1).mean() == pytest.approx(0.8, abs=0.05)


def test_that_an_answer_must_be_so_sure_that_few_are_opposite() -> None:
    labels = np.array([YES] * 995 + [NO] * 5)
    probabilities = np.tile(np.array([0.01, 0.98, 0.01], np.float32), (1000, 1))
    assert fit_sure(probabilities[:995], labels[:995], OPPOSITE) == 0.5
    probabilities[-5:] = 0.3, 0.6, 0.1
    assert fit_sure(probabilities, labels, OPPOSITE) == 0.61
    assert fit_sure(np.roll(probabilities, 1, 1), labels, OPPOSITE) == 0.5, "none says the opposite"


def test_that_nearly_all_that_cannot_be_seen_is_said_to_be_so() -> None:
    labels = np.array([UNSEEN] * 100 + [NO] * 100)
    probabilities = np.tile(np.array([0.2, 0.1, 0.7], np.float32), (200, 1))
    probabilities[100:] = 0.9, 0.05, 0.05
    assert fit_unseen(probabilities, labels) == 0.5
    probabilities[:5] = 0.6, 0.07, 0.33
    assert fit_unseen(probabilities, labels) == 0.32
    probabilities[:5] = 0.9, 0.05, 0.05
    assert fit_unseen(probabilities, labels) == 0.1, "what it takes for a plain no stays one"


@pytest.mark.long
def test_that_features_of_foreign_pictures_score_higher_than_ours() -> None:
    rng = np.random.default_rng(3)
    ours, theirs = rng.normal(5, 1, (300, 4)), rng.normal((9, 5, 5, 5), 1, (200, 4))
    head = fit_foreign(ours.astype(np.float32), theirs.astype(np.float32))
    assert np.mean(foreign_score(head, ours) < 0) > 0.95 and np.mean(foreign_score(head, theirs) > 0) > 0.95


@pytest.mark.long
def test_that_foreign_pictures_on_both_sides_of_ours_score_higher_too() -> None:
    rng = np.random.default_rng(3)
    ours, theirs = rng.normal(0, 1, (300, 4)), rng.normal(0, 1, (300, 4))
    theirs[:, 0] += 6 * rng.choice((-1, 1), 300)
    head = fit_foreign(ours.astype(np.float32), theirs.astype(np.float32))
    assert np.mean(foreign_score(head, ours) < 0) > 0.95 and np.mean(foreign_score(head, theirs) > 0) > 0.95


def test_that_an_answer_that_is_not_sure_is_not_given(tmp_path) -> None:
    folder = tiny_eye(tmp_path)
    unsure = {**Eye(folder).head, "scale": np.full((1, 3), 0.01, np.float32)}
    write(folder, replace(CARD, sure_limits={QUESTION.split(", ")[0]: 0.9}), unsure)
    found = answers(Eye(folder), asked(YES, NO, UNSEEN), CHANGES["as they are"])
    assert list(found.rows[:, 3]) == [UNSEEN] * 3
    assert list(found.given) == [False, False, True]


def test_that_what_probably_cannot_be_seen_is_said_to_be_so(tmp_path) -> None:
    folder = tiny_eye(tmp_path)
    shares = np.array([[0.55, 0.1, 0.35], [0.75, 0.05, 0.2]], np.float32)
    assert list(Eye(folder).choose(shares, [QUESTION] * 2)) == [NO, NO]
    write(folder, replace(CARD, unseen_limit=0.3), Eye(folder).head)
    assert list(Eye(folder).choose(shares, [QUESTION] * 2)) == [UNSEEN, NO]


@pytest.mark.long
def test_that_calibrating_keeps_our_pictures_and_writes_the_limits(tmp_path, monkeypatch) -> None:
    monkeypatch.setattr("training.calibrate._STRANGE", 1000)
    folder = tiny_eye(tmp_path)
    eye, one = Eye(folder), asked(YES, NO, UNSEEN)
    rows = [one.rows + np.array([3 * n, 0, 0], np.int32) for n in range(40)]
    known = LabelledQuestions(
        np.tile(one.pictures, (40, 1, 1, 1)), np.concatenate(rows), one.questions, ("",) * 120
    )
    calibrate(folder, eye.card, dict(eye.head), known, known)
    again = Eye(folder)
    assert again.card.distance_limit < 1e9
    assert not any(again.look(picture).foreign for picture in one.pictures)
    half_and_half = np.concatenate([RED[:16, :8], GREEN[:16, :8]], 1)
    assert again.look(half_and_half).foreign


def test_that_changed_and_foreign_pictures_are_pictures_of_the_same_size() -> None:
    rng = np.random.default_rng(0)
    ours = rng.integers(0, 256, (3, 64, 64, 3)).astype(np.uint8)
    made = [augment(ours[0], rng) for _ in range(40)] + [training_picture(rng, 64, ours) for _ in range(40)]
    made += [make(rng, 64, ours) for make in TESTING.values()]
    made += [two_of_ours(rng, 64, ours) for _ in range(20)]
    photos = [np.zeros((30, 90, 3), np.uint8), np.zeros((500, 300, 3), np.uint8)]
    made += [piece(rng, 64, photos) for _ in range(20)] + [
        training_picture(rng, 64, ours, photos) for _ in range(20)
    ]
    assert {(picture.shape, picture.dtype) for picture in made} == {((64, 64, 3), np.dtype(np.uint8))}


def test_that_a_patch_hides_a_part_of_the_picture() -> None:
    rng, grey = np.random.default_rng(1), np.full((256, 256, 3), 120, np.uint8)
    for name, patch in PATCHES.items():
        for _ in range(10):
            changed = (patch(grey, 255 - grey, rng) != grey).any(2).mean()
            assert 0.01 < changed < 0.55, name
    square = PATCHES["black square on 10 %"](grey, grey, rng)
    assert (square == 0).all(2).mean() == pytest.approx(0.1, abs=0.01)


def test_that_what_is_put_before_a_picture_to_train_with_is_where_it_is_said_to_be() -> None:
    rng, grey = np.random.default_rng(2), np.full((64, 64, 3), 120, np.uint8)
    ours = rng.integers(0, 256, (2, 64, 64, 3), np.uint8)
    for _ in range(20):
        changed, mask = cover(grey, ours, (), rng)
        away = cv2.dilate(mask, np.ones((11, 11), np.uint8)) == 0
        assert (changed[away] == grey[away]).all() and set(np.unique(mask)) <= {0, 1}


def test_that_a_limb_reaches_into_the_picture_from_an_edge(monkeypatch) -> None:
    monkeypatch.setattr("training.covers._LIMBS", 1)
    rng, grey = np.random.default_rng(2), np.full((64, 64, 3), 120, np.uint8)
    for _ in range(20):
        mask = cover(grey, grey[None], (), rng)[1]
        assert mask[[0, -1]].any() or mask[:, [0, -1]].any()
        assert 0.005 < mask.mean() < 0.6


def test_that_nearly_all_known_pictures_stay_below_the_limits_of_covers_and_seams() -> None:
    eye = SimpleNamespace(look=lambda rgb: SimpleNamespace(covers=np.array([-9.0, rgb.max() / 9 - 3])))
    pictures = np.repeat(np.arange(100, dtype=np.uint8), 3 * 80 * 80).reshape(100, 80, 80, 3)
    assert fit_limit(eye, pictures) >= 99 / 9 - 3, "those as they are, too"
    assert fit_limit(eye, pictures[:1]) == 0
    half = pictures.copy()
    half[:, :20, 40:] += 100  # a quarter of the rows meet in the middle
    seams, meeting = fit_seams(half)
    assert seams < 0.25 and meeting == pytest.approx(1.5 * 0.25)


def test_that_the_photographs_to_train_with_are_there() -> None:
    pytest.importorskip("skimage")
    found = photographs()
    assert len(found) > 10
    assert all(photo.ndim == 3 and min(photo.shape[:2]) > 256 and photo.dtype == np.uint8 for photo in found)
