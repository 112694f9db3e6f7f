"""Calibrate probabilities by the choosing seeds, and decide which pictures count as foreign."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from core.vqa.eye.augment import augment
from core.vqa.eye.eye import UNSEEN, Eye, foreign_score, pool, question_ids, run_head, softmax
from core.vqa.eye.eye_file import EyeCard, write_eye
from core.vqa.eye.teaching.measure import fit_sure
from training.data import LabelledQuestions
from training.foreign import training_picture, two_of_ours

Arrays = Mapping[str, NDArray[np.float32]]

OPPOSITE = 0.004  # share of what is seen that may be answered the opposite way, on the choosing seeds
# Shares of our own pictures, plain and changed as in training, that pass each of the two tests:
KEPT_BY_SCORE, KEPT_BY_DISTANCE = 0.999, 0.9993
NEVER = -8.0  # added to the logit of "cannot be seen" for a predicate that always shows
UNSEEN_RIGHT = 0.99  # share of what cannot be seen that is to be said so, on the choosing seeds
_RIDGE = 1e-4
_OURS, _STRANGE, _OTHERS = 11_000, 12_000, 800  # pictures that the foreign ones are told by
_NETWORKS = 4  # that tell foreign pictures; their mean depends less on how each of them began
_UNITS, _UNIT_STEPS, _UNIT_BATCH, _UNIT_RATE, _UNIT_DECAY = 32, 4000, 256, 2e-3, 1e-2
_FIT_STEPS, _FIT_RATE, _PULL = 400, 0.05, 1e-3


def calibrate(
    folder: Path,
    card: EyeCard,
    head: dict[str, NDArray[np.float32]],
    known: LabelledQuestions,
    choosing: LabelledQuestions,
    others: NDArray[np.uint8] | None = None,
    photos: Sequence[NDArray[np.uint8]] = (),
    halves: int = 0,
) -> Path:
    """Fit what the choosing seeds decide: scale and shift of the logits, and what counts as foreign.

    For what is foreign: `others` are pictures of another domain (N x side x side x 3), `photos` real
    photographs of any size, `halves` how many pictures are made of two of the known ones.
    """
    eye, rng = Eye(folder), np.random.default_rng(0)
    some = known.pictures[:: max(1, len(known.pictures) // _OURS)]
    ours = np.stack([pool(eye.look(augment(rgb, rng)).features) for rgb in some])
    mean, spread = ours.mean(0), np.cov(ours.T)
    values, vectors = np.linalg.eigh(spread)
    head["known_mean"] = mean
    head["known_whiten"] = vectors / np.sqrt(np.maximum(values, 0) + _RIDGE * values.max())
    features = [eye.look(rgb).features for rgb in choosing.pictures]
    plain = np.stack([pool(seen) for seen in features])
    changed = np.stack([pool(eye.look(augment(rgb, rng)).features) for rgb in choosing.pictures])
    held = np.concatenate([plain, changed])
    strange = [training_picture(rng, card.side, known.pictures, photos) for _ in range(_STRANGE)]
    strange += (
        [] if others is None else [augment(rgb, rng) for rgb in others[:: max(1, len(others) // _OTHERS)]]
    )
    strange += [augment(two_of_ours(rng, card.side, known.pictures), rng) for _ in range(halves)]
    theirs = np.stack([pool(eye.look(rgb).features) for rgb in strange])
    head.update(fit_foreign(ours, theirs))
    scores = foreign_score(head, held)
    distances = np.square((held - mean) @ head["known_whiten"]).mean(1)
    ids = np.array([question_ids(question, card) for question in choosing.questions])
    per_picture, labels_of, kinds_of = [], [], []
    for number, seen in enumerate(features):
        rows = choosing.rows[choosing.rows[:, 0] == number]
        per_picture.append(run_head(head, seen, ids[rows[:, 1]])[0])
        labels_of.append(rows[:, 2])
        kinds_of.append(ids[rows[:, 1], 0])
    logits, labels, kinds = (np.concatenate(parts) for parts in (per_picture, labels_of, kinds_of))
    for kind in range(len(card.predicates)):
        mine = kinds == kind
        if mine.any():
            head["scale"][kind], head["shift"][kind] = fit_scale(logits[mine], labels[mine])
        if not np.any(known.rows[known.about(card.predicates[kind]), 2] == UNSEEN):
            head["shift"][kind][UNSEEN] = NEVER
    probabilities = softmax(logits * head["scale"][kinds] + head["shift"][kinds])
    sure = fit_sure(probabilities, labels, OPPOSITE)
    each = {
        name: fit_sure(probabilities[kinds == kind], labels[kinds == kind], OPPOSITE)
        for kind, name in enumerate(card.predicates)
    }
    card = replace(
        card,
        foreign_limit=float(np.quantile(scores, KEPT_BY_SCORE)),
        distance_limit=float(np.quantile(distances, KEPT_BY_DISTANCE)),
        foreign_units=_NETWORKS * _UNITS,
        sure_limit=sure,
        sure_limits={name: limit for name, limit in each.items() if limit > sure},
        unseen_limit=fit_unseen(probabilities, labels),
    )
    write_eye(folder, card, head)
    return folder


def fit_foreign(
    ours: NDArray[np.float32],
    theirs: NDArray[np.float32],
    networks: int = _NETWORKS,
    units: int = _UNITS,
    batch: int = _UNIT_BATCH,
    steps: int = _UNIT_STEPS,
) -> dict[str, NDArray[np.float32]]:
    """Fit networks of one hidden layer that tell foreign pictures by their pooled features, with AdamW
    (Loshchilov and Hutter 2019); both kinds count alike. Return their mean as one network, as
    `foreign_score` takes it.
    """
    mean, spread = ours.mean(0), ours.std(0) + np.float32(1e-3)

    def draw(rng: np.random.Generator) -> NDArray[np.float32]:
        some = [each[rng.integers(len(each), size=batch // 2)] for each in (ours, theirs)]
        return np.asarray(np.clip((np.concatenate(some) - mean) / spread, -8, 8), np.float32)

    found = [_fit_network(draw, len(mean), units, steps, np.random.default_rng(n)) for n in range(networks)]
    first, bias, second, last = (np.concatenate(part, -1) for part in zip(*found, strict=True))
    layer = first / spread[:, None]
    arrays = {
        "foreign_layer": layer,
        "foreign_layer_bias": bias - mean @ layer,
        "foreign": second / networks,
        "foreign_bias": last.mean(keepdims=True),
    }
    return {name: value.astype(np.float32) for name, value in arrays.items()}


def _fit_network(
    draw: Callable[[np.random.Generator], NDArray[np.float32]],
    width: int,
    units: int,
    steps: int,
    rng: np.random.Generator,
) -> list[NDArray[np.float32]]:
    """Return the weights and biases of both layers. The first half of what it draws is ours."""
    begin = rng.normal(0, (2 / width) ** 0.5, (width, units))
    w = [np.asarray(each, np.float32) for each in (begin, np.zeros(units), np.zeros(units), np.zeros(1))]
    first, second = ([np.zeros_like(v) for v in w] for _ in range(2))
    for step in range(1, steps + 1):
        x, rate = draw(rng), _UNIT_RATE * min(1, 2 - 2 * step / (steps + 1))
        truth = np.arange(len(x)) >= len(x) // 2
        z = np.maximum(x @ w[0] + w[1], 0)
        wrong = (1 / (1 + np.exp(-(z @ w[2] + w[3][0]))) - truth) / len(x)
        back = np.outer(wrong, w[2]) * (z > 0)
        for n, slope in enumerate((x.T @ back, back.sum(0), z.T @ wrong, wrong.sum(keepdims=True))):
            first[n] += 0.1 * (slope - first[n])
            second[n] += 0.001 * (slope**2 - second[n])
            move = first[n] / (1 - 0.9**step) / (np.sqrt(second[n] / (1 - 0.999**step)) + 1e-8)
            w[n] -= rate * (move + _UNIT_DECAY * w[n])
    return w


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


def fit_unseen(probabilities: NDArray[np.float32], labels: NDArray[np.int32]) -> float:
    """Return how probable "cannot be seen" must be to be said, so that it is said of nearly all of it: 0.5,
    or less where it takes less, but no less than 0.1.
    """
    unseen = probabilities[labels == UNSEEN, UNSEEN]
    limits = np.arange(0.5, 0.1, -0.02)
    enough = (round(float(x), 2) for x in limits if np.mean(unseen > x) >= UNSEEN_RIGHT)
    return next(enough, 0.1) if len(unseen) else 0.5
