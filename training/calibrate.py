"""What the choosing seeds decide: calibrated probabilities, and which pictures count as foreign."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from core.data_file import write_toml
from core.vqa.eye.eye import Eye, pool, question_ids, run_head
from core.vqa.eye.eye_file import EyeCard, head_shapes
from training.augment import augment
from training.data import Asked

Arrays = Mapping[str, NDArray[np.float32]]

KEPT = 0.997  # share of our own pictures, changed as in training, that pass each of the two tests
_RIDGE = 1e-3
_FIT_STEPS, _FIT_RATE, _PULL = 400, 0.05, 1e-3


def write_eye(folder: Path, card: EyeCard, head: Arrays) -> None:
    with (folder / "head.npz").open("wb") as file:
        np.savez(file, **{name: np.asarray(head[name], np.float32) for name in head_shapes(card)})
    write_toml(folder / "eye.toml", asdict(card))


def calibrate(
    folder: Path, card: EyeCard, head: dict[str, NDArray[np.float32]], known: Asked, choosing: Asked
) -> Path:
    """Fit what the choosing seeds decide: scale and shift of the logits, and what counts as foreign."""
    eye, rng = Eye(folder), np.random.default_rng(0)
    some = known.pictures[:: max(1, len(known.pictures) // 1500)]
    ours = np.stack([pool(eye.look(augment(rgb, rng)).features) for rgb in some])
    mean, spread = ours.mean(0), np.cov(ours.T)
    values, vectors = np.linalg.eigh(spread)
    head["known_mean"] = mean
    head["known_whiten"] = vectors / np.sqrt(np.maximum(values, 0) + _RIDGE * values.max())
    features = [eye.look(rgb).features for rgb in choosing.pictures]
    held = np.stack([pool(eye.look(augment(rgb, rng)).features) for rgb in choosing.pictures])
    scores = held @ head["foreign"] + head["foreign_bias"][0]
    distances = np.square((held - mean) @ head["known_whiten"]).mean(1)
    ids = np.array([question_ids(question, card) for question in choosing.questions])
    logits, labels, kinds = [], [], []
    for number, seen in enumerate(features):
        rows = choosing.rows[choosing.rows[:, 0] == number]
        logits.append(run_head(head, seen, ids[rows[:, 1]])[0])
        labels.append(rows[:, 2])
        kinds.append(ids[rows[:, 1], 0])
    for kind in range(len(card.predicates)):
        mine = np.concatenate(kinds) == kind
        if mine.any():
            fit = fit_scale(np.concatenate(logits)[mine], np.concatenate(labels)[mine])
            head["scale"][kind], head["shift"][kind] = fit
    limits = {
        "foreign_limit": float(np.quantile(scores, KEPT)) + 0.5,
        "distance_limit": float(np.quantile(distances, KEPT)) * 1.1,
    }
    write_eye(folder, replace(card, **limits), head)
    return folder


def fit_scale(logits: NDArray[np.float32], labels: NDArray[np.int32]) -> tuple[NDArray[np.float32], ...]:
    """Fit vector scaling (Guo et al. 2017) by gradient descent, pulled towards no change."""
    scale, shift = np.ones(3), np.zeros(3)
    truth = np.eye(3)[labels]
    for _ in range(_FIT_STEPS):
        raised = logits * scale + shift
        shares = np.exp(raised - raised.max(1, keepdims=True))
        slope = (shares / shares.sum(1, keepdims=True) - truth) / len(labels)
        scale -= _FIT_RATE * ((slope * logits).sum(0) + _PULL * (scale - 1))
        shift -= _FIT_RATE * (slope.sum(0) + _PULL * shift)
    return scale.astype(np.float32), shift.astype(np.float32)
