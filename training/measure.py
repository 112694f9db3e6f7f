"""Measure an eye as the program uses it: right answers, calibration, robustness, foreign pictures."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from core.vqa.calibration import expected_calibration_error
from core.vqa.eye import augment as a
from core.vqa.eye.eye import UNSEEN, Eye
from training.data import LabelledQuestions
from training.foreign import TESTING

Picture = NDArray[np.uint8]
Change = Callable[[Picture, np.random.Generator], Picture]

CHANGES: Mapping[str, Change] = MappingProxyType(
    {
        "as they are": lambda rgb, _: rgb,
        "darker": lambda rgb, _: a.change_light(rgb, 0.65, 1.2, np.ones(3)),
        "brighter": lambda rgb, _: a.change_light(rgb, 1.3, 0.9, np.ones(3)),
        "warmer light": lambda rgb, _: a.change_light(rgb, 1.0, 1.0, np.array([1.12, 1.0, 0.88])),
        "hues turned by 20 degrees": lambda rgb, _: a.turn_hue(rgb, 20),
        "camera noise, 8 of 255": lambda rgb, rng: a.add_noise(rgb, 8, rng),
        "camera rolled by 3 degrees": lambda rgb, _: a.move_camera(rgb, np.zeros(2), 3, 1.0),
        "camera swung by 3 degrees": lambda rgb, _: a.move_camera(rgb, np.array([6.5, -3.0]), 0, 1),
        "JPEG 50": lambda rgb, _: a.compress(rgb, 50),
        "half the resolution": lambda rgb, _: a.halve(rgb),
    }
)


@dataclass(frozen=True)
class EyeAnswers:
    """Rows of picture, question, label and answer (0 no, 1 yes, 2 cannot be seen or foreign), how sure."""

    rows: NDArray[np.int32]
    sure: NDArray[np.float32]
    given: NDArray[np.bool_]  # False: not sure enough to say it, so counted as 2
    rejected: float  # share of the pictures that were taken for foreign ones


def answers(eye: Eye, asked: LabelledQuestions, change: Change, step: int = 1) -> EyeAnswers:
    """Ask an eye everything about every `step`-th picture, changed."""
    rng = np.random.default_rng(0)
    rows, sure, given, rejected = [], [], [], 0
    for number in range(0, len(asked.pictures), step):
        mine = asked.rows[asked.rows[:, 0] == number]
        sight = eye.look(change(asked.pictures[number], rng))
        rejected += sight.foreign
        known = [n for n, row in enumerate(mine) if eye.knows(asked.questions[row[1]])]
        said, shares = np.full(len(mine), UNSEEN), np.ones(len(mine), np.float32)
        most = said.copy()
        if known and not sight.foreign:
            questions = [asked.questions[mine[n, 1]] for n in known]
            predicted = eye.ask(sight, questions).probabilities
            said[known], shares[known], most[known] = (
                eye.choose(predicted, questions),
                predicted.max(1),
                predicted.argmax(1),
            )
        rows.append(np.column_stack([mine, said]).astype(np.int32))
        sure.append(shares)
        given.append(said == most)
    return EyeAnswers(np.concatenate(rows), np.concatenate(sure), np.concatenate(given), rejected / len(rows))


def confusion(rows: NDArray[np.int32]) -> NDArray[np.int64]:
    """Return counts, label by answer, 3 x 3."""
    return np.bincount(rows[:, 2] * 3 + rows[:, 3], minlength=9).reshape(3, 3)


def calibration_error(found: EyeAnswers) -> float:
    """Return the expected calibration error of the answers given."""
    rows = found.rows[found.given]
    right = rows[:, 2] == rows[:, 3]
    return expected_calibration_error(found.sure[found.given].tolist(), right.tolist())


def foreign_shares(eye: Eye, others: Mapping[str, list[Picture]]) -> dict[str, float]:
    """Return the share of foreign pictures that it rejects, by kind; `others` are kinds of one's own."""
    rng = np.random.default_rng(1)
    kinds = {
        name: [make(rng, 256, np.zeros((1, 256, 256, 3), np.uint8)) for _ in range(100)]
        for name, make in TESTING.items()
    }
    return {
        name: float(np.mean([eye.look(rgb).foreign for rgb in pictures]))
        for name, pictures in {**kinds, **others}.items()
    }
