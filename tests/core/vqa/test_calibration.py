"""Confidence says what it is: raw, or calibrated on what people judged."""

import random
from pathlib import Path

import pytest

from core.belief import Verdict
from core.data_file import load_toml
from core.errors import BadFile, BadValue
from core.ports import Reply, ReplyToken
from core.stop_token import StopToken
from core.vqa.answerers.model_answerer import ModelAnswerer
from core.vqa.budget import Meter
from core.vqa.calibration import (
    JudgedConfidence,
    calibration_errors,
    calibrations,
    default_path,
    fit_calibration,
    write_calibration,
)
from core.vqa.prompt import load_prompt
from core.vqa.registry import make_answerer
from tests.core.vqa.kit import BOTH, FRAME


def overconfident(count: int, predicate: str = "closed", right: float = 0.6) -> list[JudgedConfidence]:
    """Claims .9 to .999 and is right less often."""
    luck = random.Random(7)
    return [
        JudgedConfidence(predicate, 0.9 + 0.099 * luck.random(), luck.random() < right) for _ in range(count)
    ]


def test_that_a_calibration_says_how_often_such_answers_are_right() -> None:
    judged = overconfident(400)
    made = fit_calibration("m", judged)
    before, after = calibration_errors(judged)
    assert before > 0.3 and after < 0.08
    assert made.probability("closed", 0.95) == pytest.approx(0.6, abs=0.08)
    assert "0.3" in made.about and "held out" in made.about


def test_that_a_predicate_with_answers_enough_has_its_own_curve() -> None:
    made = fit_calibration(
        "m", overconfident(200, "closed", 0.9) + overconfident(200, "inside", 0.4) + overconfident(9, "on")
    )
    assert set(made.predicates) == {"closed", "inside"}
    assert made.probability("closed", 0.95) > 0.8 > 0.55 > made.probability("inside", 0.95)
    assert made.probability("on", 0.95) == made.default.probability(0.95)


def test_that_a_model_that_was_always_right_is_not_called_infallible() -> None:
    made = fit_calibration("m", [JudgedConfidence("closed", 1.0, True) for _ in range(60)])
    assert 0.9 < made.probability("closed", 1.0) < 1


def test_that_few_answers_are_not_fitted() -> None:
    with pytest.raises(BadValue, match="Only 20 answers of 'm'"):
        fit_calibration("m", overconfident(20))


def test_that_what_is_written_is_read_again_and_found_by_the_models_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    made = fit_calibration("org/m:7b", overconfident(60))
    write_calibration(made, default_path("org/m:7b"))
    assert calibrations() == {"org/m:7b": made}
    default_path("broken").write_text("model = 1")
    with pytest.raises(BadFile, match=r"broken\.toml"):
        calibrations()


class Sure:
    """A model that says yes and no with these shares."""

    name = "m"

    def __init__(self, by: str = "m") -> None:
        self._by = by

    def ask(self, messages, pictures, cancel) -> Reply:  # type: ignore[no-untyped-def]
        tokens = (
            ReplyToken("yes", -0.05, (("no", -3.0),)),
            ReplyToken(";", 0.0),
            ReplyToken("no", -0.05, (("yes", -3.0),)),
        )
        return Reply("yes;no", self._by, tokens)


def test_that_answers_carry_the_calibrated_confidence_and_the_call_the_raw_one() -> None:
    made = fit_calibration("m", overconfident(400))
    call = ModelAnswerer(Sure(), load_prompt(), {"m": made}).answer(FRAME, BOTH, 1, StopToken())
    assert all(share is not None and share > 0.9 for share in call.confidences)
    for answer, raw in zip(call.answers, call.confidences, strict=True):
        assert raw is not None
        assert answer.confidence == made.probability(answer.atom.predicate, raw) < 0.7


def test_that_raw_confidence_is_not_passed_off_as_calibrated() -> None:
    made = fit_calibration("another", overconfident(400))
    for calibrated in ({}, {"another": made}):
        call = ModelAnswerer(Sure(), load_prompt(), calibrated).answer(FRAME, BOTH, 1, StopToken())
        assert [a.confidence for a in call.answers] == [None, None]
        assert len(call.confidences) == 2 and Verdict.UNKNOWN not in {a.verdict for a in call.answers}


def test_that_a_written_file_can_be_loaded_by_its_path(tmp_path: Path) -> None:
    made = fit_calibration("m", overconfident(60))
    write_calibration(made, tmp_path / "m.toml")
    assert load_toml(tmp_path / "m.toml", type(made)) == made
    assert make_answerer("ollama", meter=Meter()).name
