"""Calibrate a model's raw log-probabilities on answers that people judged.

Logistic calibration (Platt 1999, with his targets against overfitting) of the raw confidence's log-odds, for
all predicates together, and separately for each one with enough answers.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, field
from itertools import pairwise
from pathlib import Path

import numpy as np
from pydantic.dataclasses import dataclass

from core.data_file import FILE, load_toml, write_toml
from core.errors import BadValue
from core.vqa.data_files import available_names, user_dir

MIN_ANSWERS = 50  # minimum number of judged answers for a fit
FOLDS = 5
BINS = 10
CLIP = 1e-4  # limits raw confidences to 1e-4..1 - 1e-4
PRIOR = 0.01  # keeps the slope finite for perfectly separable answers


@dataclass(frozen=True, config=FILE)
class JudgedConfidence:
    """An answer that a person judged: its raw confidence, 0..1, and whether it was correct."""

    predicate: str
    raw_confidence: float
    correct: bool


@dataclass(frozen=True, config=FILE)
class LogisticFit:
    """P(correct) = 1 / (1 + exp(-(slope * log-odds(raw) + shift)))."""

    slope: float
    shift: float
    answers: int  # number of answers it was fitted on

    def probability(self, raw: float) -> float:
        log_odds = self.slope * _log_odds(raw) + self.shift
        return 1 / (1 + math.exp(-min(700.0, max(-700.0, log_odds))))


@dataclass(frozen=True, config=FILE)
class ConfidenceCalibration:
    """`calibrations/NAME.toml` in the data folder. `model` is the name under which answers are logged."""

    model: str
    about: str
    default: LogisticFit
    predicates: Mapping[str, LogisticFit] = field(default_factory=dict)

    def probability(self, predicate: str, raw: float) -> float:
        """Return how often such an answer is correct, 0..1."""
        return self.predicates.get(predicate, self.default).probability(raw)


def fit_calibration(model: str, judged: Sequence[JudgedConfidence]) -> ConfidenceCalibration:
    """Fit a calibration to judged answers. Raises BadValue if there are too few."""
    if len(judged) < MIN_ANSWERS:
        raise BadValue(
            f"Only {len(judged)} answers of {model!r} with a confidence were judged, and calibrating takes "
            f"{MIN_ANSWERS}: override or label more of them."
        )
    by: dict[str, list[JudgedConfidence]] = {}
    for one in judged:
        by.setdefault(one.predicate, []).append(one)
    before, after = calibration_errors(judged)
    about = f"{len(judged)} judged answers; expected calibration error {before:.3f} raw, {after:.3f} held out"
    own_curves = {
        name: _fit_logistic(found) for name, found in sorted(by.items()) if len(found) >= MIN_ANSWERS
    }
    return ConfidenceCalibration(model, about, _fit_logistic(judged), own_curves)


def calibration_errors(judged: Sequence[JudgedConfidence]) -> tuple[float, float]:
    """Return the expected calibration errors: raw, and calibrated with five-fold cross-validation."""
    held_out = [0.0] * len(judged)
    for fold in range(FOLDS):
        curve = _fit_logistic([j for i, j in enumerate(judged) if i % FOLDS != fold])
        for i in range(fold, len(judged), FOLDS):
            held_out[i] = curve.probability(judged[i].raw_confidence)
    raw, right = [j.raw_confidence for j in judged], [j.correct for j in judged]
    return expected_calibration_error(raw, right), expected_calibration_error(held_out, right)


def write_calibration(calibration: ConfidenceCalibration, path: Path) -> None:
    """Write a calibration file. Raises BadFile."""
    write_toml(path, asdict(calibration))


def default_path(model: str) -> Path:
    """Return where a model's calibration is looked for."""
    return (
        user_dir("calibrations") / f"{''.join(c if c.isalnum() or c in '.-_' else '_' for c in model)}.toml"
    )


def calibrations() -> Mapping[str, ConfidenceCalibration]:
    """Return the user's calibrations by model name. Raises BadFile."""
    found = (
        load_toml(user_dir("calibrations") / f"{name}.toml", ConfidenceCalibration)
        for name in available_names("calibrations")
    )
    return {calibration.model: calibration for calibration in found}


def _log_odds(raw: float) -> float:
    share = min(1 - CLIP, max(CLIP, raw))
    return math.log(share / (1 - share))


def _fit_logistic(judged: Sequence[JudgedConfidence]) -> LogisticFit:
    """Fit with Newton's method on two parameters; the problem is convex, so it converges."""
    x = np.array([[_log_odds(j.raw_confidence), 1.0] for j in judged])
    right = sum(j.correct for j in judged)
    high, low = (right + 1) / (right + 2), 1 / (len(judged) - right + 2)
    y = np.array([high if j.correct else low for j in judged])
    theta = np.array([1.0, 0.0])
    pull = np.array([1.0, 0.0])  # towards the raw confidence
    for _ in range(100):
        p = 1 / (1 + np.exp(-np.clip(x @ theta, -30, 30)))
        gradient = x.T @ (p - y) + PRIOR * (theta - pull)
        hessian = (x * (p * (1 - p))[:, None]).T @ x + PRIOR * np.eye(2)
        step = np.linalg.solve(hessian, gradient)
        theta = theta - step * min(1.0, 5.0 / max(1e-9, float(np.abs(step).max())))
        if float(np.abs(step).max()) < 1e-8:
            break
    return LogisticFit(round(float(theta[0]), 6), round(float(theta[1]), 6), len(judged))


def expected_calibration_error(probabilities: Sequence[float], correct: Sequence[bool]) -> float:
    """Return the expected calibration error over up to ten bins with equal numbers of answers."""
    ranked = sorted(zip(probabilities, correct, strict=True))
    bins = max(1, min(BINS, len(ranked) // MIN_ANSWERS))
    cuts = [len(ranked) * i // bins for i in range(bins + 1)]
    parts = (ranked[a:b] for a, b in pairwise(cuts))
    return sum(abs(sum(s for s, _ in part) - sum(r for _, r in part)) for part in parts) / max(1, len(ranked))
