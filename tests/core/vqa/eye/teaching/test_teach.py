"""An eye that is taught with labels from the log."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from core.errors import BadValue, Cancelled
from core.log.store import Store
from core.stop_token import StopToken
from core.vqa.eye.eye import Eye, ImageFeatures
from core.vqa.eye.eye_file import head_shapes, shortfall
from core.vqa.eye.teaching import head_training
from core.vqa.eye.teaching.head_training import LEARNT, loss_and_gradient
from core.vqa.eye.teaching.labels import DRAWN, LabelSource, PictureLabel, choose, read_labels
from core.vqa.eye.teaching.teach import TaughtEye, teach, uncovered, warnings, with_pictures
from tests.core.vqa.eye.kit import BLUE, CARD, DARK
from tests.core.vqa.eye.teaching.kit import OTHER, lamp_picture, untaught_eye, write_log


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    with Store.open(write_log(tmp_path_factory.mktemp("log") / "log.db")) as store:
        yield store


@pytest.fixture
def labels(store: Store) -> tuple[PictureLabel, ...]:
    return choose(read_labels(store), tuple(LabelSource))


@pytest.fixture
def eye(tmp_path: Path) -> Eye:
    return Eye(untaught_eye(tmp_path / "eye"))


@pytest.fixture(autouse=True)
def fast(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(head_training, "EPOCHS", 30)
    monkeypatch.setattr(head_training, "RATE", 5e-3)


def taught(eye: Eye, labels: tuple[PictureLabel, ...], store: Store) -> TaughtEye:
    return teach(eye, labels, store.picture, StopToken(), lambda done, of: None)


def test_that_it_answers_labels_that_it_never_saw(
    eye: Eye, labels: tuple[PictureLabel, ...], store: Store
) -> None:
    found = taught(eye, labels, store)
    assert found.before["lit"].right <= 0.5 and found.after["lit"].right == 1
    assert found.learnt["lit"] == (6, 6, 0) and found.after["lit"].seen == 6
    card = found.eye.card
    assert card.parent == "1" and card.version != "1" and "12 labels" in card.trained_on
    assert card.figures["lit"] == found.after["lit"] and card.robots == ("kitchen",) and not card.drawn
    assert len(card.learnt) == 3 and warnings(found) == [shortfall(card)]
    assert (card.sure_limit, card.unseen_limit) == (0.5, 0.5)
    drawn = tuple(replace(label, episode=f"{DRAWN}{label.episode}") for label in labels)
    (warning,) = warnings(taught(eye, drawn, store))
    assert "measured on drawn pictures" in warning


def test_that_it_learns_words_that_it_never_heard(
    eye: Eye, labels: tuple[PictureLabel, ...], store: Store
) -> None:
    found = taught(eye, tuple(replace(x, atom=OTHER) for x in labels), store)
    assert not eye.knows("lit, lamp 2") and found.eye.knows("lit, lamp 2")
    assert found.before["lit"].right == 0 and found.after["lit"].right == 1
    assert found.eye.knows("lit, lamp 1")


def test_that_a_predicate_with_one_answer_is_left_out(
    eye: Eye, labels: tuple[PictureLabel, ...], store: Store
) -> None:
    with pytest.raises(BadValue, match=r"one answer only: lit \(yes\)"):
        taught(eye, tuple(replace(x, answer=1) for x in labels), store)


def test_that_it_is_cancelled_at_once(eye: Eye, labels: tuple[PictureLabel, ...], store: Store) -> None:
    cancel = StopToken()
    with pytest.raises(Cancelled):
        teach(eye, labels, store.picture, cancel, lambda done, of: cancel.end("enough"))


def test_that_the_gradient_is_that_of_the_loss() -> None:
    rng = np.random.default_rng(3)
    head = {name: rng.normal(0, 0.3, shape) for name, shape in head_shapes(CARD).items()}
    asked = (
        rng.normal(0, 1, (2, 16, 4)),
        np.array([0, 0, 1]),
        np.array([[0, 1, 0], [0, 0, 1], [0, 1, 1]]),
        np.array([0, 1, 2]),
    )
    slopes = loss_and_gradient(head, *asked)[1]  # type: ignore[arg-type]
    assert set(slopes) == set(LEARNT)
    for name, slope in slopes.items():
        way, size = slope / np.linalg.norm(slope), 0.01
        up, down = ({**head, name: head[name] + s * way} for s in (size, -size))
        rise = loss_and_gradient(up, *asked)[0] - loss_and_gradient(down, *asked)[0]  # type: ignore[arg-type]
        assert rise / (2 * size) == pytest.approx(np.linalg.norm(slope), rel=0.05, abs=2e-4), name


def test_that_pictures_it_took_for_foreign_become_its_own_and_others_do_not(tmp_path: Path) -> None:
    eye = Eye(untaught_eye(tmp_path / "eye"))
    head = {**eye.head, "known_whiten": np.eye(8, dtype=np.float32) * 20}
    eye = eye.with_head(replace(eye.card, foreign_limit=-1e9), head)
    known = np.stack([eye.look(np.array(lamp_picture(n % 2 == 0, n).rgb)).features for n in range(20)])
    wider = eye.with_head(*with_pictures(eye, known[:14], known[14:]))
    assert all(eye.is_foreign(features) for features in known)
    assert not any(wider.is_foreign(features) for features in known)
    assert all(wider.look(rgb).foreign for rgb in (BLUE, DARK))


def test_that_what_always_stands_before_a_camera_covers_nothing() -> None:
    none = np.zeros((16, 4), np.float32)
    card = replace(CARD, cover_limit=2.0, seam_limit=0.7, halves_limit=0.2, join_limit=0.3)
    clear = [ImageFeatures(none, False, np.full(16, 1.0, np.float32), 0.1, 0.1, 0.1)] * 9
    assert uncovered(card, clear) == card
    post = [ImageFeatures(none, False, np.full(16, 5.0, np.float32), 0.9, 0.4, 0.6)] * 9
    found = uncovered(card, post)
    assert (found.cover_limit, found.seam_limit, found.halves_limit, found.join_limit) == (5, 0.9, 0.4, 0.6)
    assert uncovered(card, [ImageFeatures(none, False, np.empty(0, np.float32), 0.1, 0.1, 0.1)]) == card
