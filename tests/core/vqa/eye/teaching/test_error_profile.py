"""The error rates of an eye, as a profile that `careful`, `bench` and the simulated answerer take."""

from pathlib import Path

import pytest

from core.belief import Atom
from core.errors import BadValue
from core.log.store import Store
from core.vqa.answerers.profiles import is_profile, load_profile
from core.vqa.eye.eye import NO, UNSEEN, YES
from core.vqa.eye.teaching.labels import LabelSource, PictureLabel
from core.vqa.eye.teaching.measure import error_profile, read_viewpoints, write_profile
from tests.core.vqa.eye.kit import CARD
from tests.core.vqa.eye.teaching.kit import lamp_picture, write_log


def said(truth: int, answer: int, count: int, predicate: str = "lit") -> list[tuple[PictureLabel, int]]:
    atom = Atom(predicate, ("lamp_1",))
    return [
        (PictureLabel("e", f"{predicate} {truth} {answer} {n}", atom, truth, LabelSource.TRUTH, ""), answer)
        for n in range(count)
    ]


ANSWERED = [
    *said(YES, YES, 88),
    *said(YES, NO, 10),
    *said(NO, YES, 8),
    *said(NO, NO, 190),
    *said(YES, UNSEEN, 4),
    *said(UNSEEN, UNSEEN, 17),
    *said(UNSEEN, YES, 1),
    *said(NO, NO, 8, "open"),
]


def test_that_rates_are_measured_per_predicate_and_can_be_chosen_by_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    write_profile(error_profile(CARD, ANSWERED, {}))
    assert is_profile("tiny")
    found = load_profile("tiny")
    assert found.rates_for("lit").yes_if_true == pytest.approx(0.89)  # 89 of 100
    assert found.rates_for("lit").yes_if_false == pytest.approx(0.045)  # 9 of 200
    assert found.rates_for("open").yes_if_true == 0.5  # nobody knows
    assert (found.skip_unseen, found.skip) == (0.9, round(5 / 310, 4))


def test_that_an_error_is_as_persistent_as_it_was() -> None:
    """An eye that errs in three of four pictures, and always again, has a persistence near 1."""
    places = {label.picture: "here" for label, _ in ANSWERED}
    wrong, right = said(YES, NO, 60, "open"), said(NO, NO, 240, "open")
    places |= {label.picture: "here" for label, _ in (*wrong, *right)}
    assert error_profile(CARD, wrong + right, places).persistence == 1
    assert error_profile(CARD, wrong + right, {}).persistence == 0.67  # each from somewhere else


def test_that_labels_without_a_yes_or_no_make_no_profile() -> None:
    with pytest.raises(BadValue, match="No label"):
        error_profile(CARD, said(UNSEEN, UNSEEN, 3), {})


def test_that_the_log_knows_from_where_a_picture_was_taken(tmp_path: Path) -> None:
    with Store.open(write_log(tmp_path / "log.db", 1, 1)) as store:
        assert read_viewpoints(store) == {lamp_picture(True, 0).id: "here"}
