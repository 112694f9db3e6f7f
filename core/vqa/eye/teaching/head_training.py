"""Train the head of an eye further, pulled towards what it was (L2-SP, Li et al. 2018)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from core.stop_token import StopToken
from core.vqa.eye.eye import run_head, softmax
from core.vqa.eye.eye_file import Arrays

Ints = NDArray[np.int_]
Report = Callable[[int, int], None]  # how far, of how much

EPOCHS, PATIENCE = 40, 6
PICTURES, ROWS = 6, 32  # of one step, at most: what it computes fits into a cache
RATE, PULL = 1e-3, 0.02
_MOMENTUM, _SPREAD = 0.9, 0.99


@dataclass(frozen=True)
class TrainingSet:
    """Features (pictures x cells x channels) and answers; row n asks `ids[n]` about picture `picture[n]`."""

    features: Floats
    picture: Ints
    ids: Ints  # rows x 3: of the predicate and two objects
    answers: Ints

    def part(self, rows: Ints) -> TrainingSet:
        """Return some of its rows, sorted by picture, with the pictures that they ask about."""
        rows = rows[np.argsort(self.picture[rows], kind="stable")]
        pictures, places = np.unique(self.picture[rows], return_inverse=True)
        return TrainingSet(self.features[pictures], places, self.ids[rows], self.answers[rows])


def train_head(
    head: Arrays, training: TrainingSet, validation: TrainingSet, cancel: StopToken, report: Report
) -> Arrays:
    """Return the head after the epoch that answers `validation` best; the very same one if no epoch helps.

    Its probabilities are fitted to `validation` too, by one temperature. Raises Cancelled.
    """
    old, now = head, dict(head)
    best, least, since = head, log_loss(head, validation), 0
    slopes = {name: np.zeros_like(head[name]) for name in LEARNT}
    squares = {name: np.zeros_like(head[name]) for name in LEARNT}
    step, rng = 0, np.random.default_rng(0)
    for epoch in range(EPOCHS):
        report(epoch, EPOCHS)
        rate = RATE * (1 - epoch / EPOCHS)
        for rows in _batches(training, rng):
            cancel.check()
            step += 1
            batch = training.part(rows)
            _, gradient = loss_and_gradient(now, batch.features, batch.picture, batch.ids, batch.answers)
            for name, slope in gradient.items():  # Adam (Kingma and Ba 2015)
                slopes[name] += (1 - _MOMENTUM) * (slope - slopes[name])
                squares[name] += (1 - _SPREAD) * (slope**2 - squares[name])
                size = np.sqrt(squares[name] / (1 - _SPREAD**step)) + 1e-8
                change = slopes[name] / (1 - _MOMENTUM**step) / size + PULL * (now[name] - old[name])
                now[name] = (now[name] - rate * change).astype(np.float32)
        loss = log_loss(now, validation)
        if loss < least:
            best, least, since = dict(now), loss, 0
        elif (since := since + 1) >= PATIENCE:
            break
    report(EPOCHS, EPOCHS)
    if best is head:
        return head
    return with_temperature(best, validation)


def logits_of(head: Arrays, training_set: TrainingSet) -> Floats:
    """Return the calibrated logits, rows x 3."""
    found = np.zeros((len(training_set.ids), 3), np.float32)
    for number, features in enumerate(training_set.features):
        mine = training_set.picture == number
        kinds = training_set.ids[mine, 0]
        raw, _ = run_head(head, features, training_set.ids[mine])
        found[mine] = raw * head["scale"][kinds] + head["shift"][kinds]
    return found


def log_loss(head: Arrays, training_set: TrainingSet) -> float:
    return _log_loss(logits_of(head, training_set), training_set.answers)


def with_temperature(head: Arrays, training_set: TrainingSet) -> Arrays:
    """Return the head with the temperature that makes its answers likeliest (Guo et al. 2017)."""
    logits = logits_of(head, training_set)
    temperatures = np.exp(np.linspace(-0.7, 1.4, 64))
    best = min(temperatures, key=lambda t: _log_loss(logits / t, training_set.answers))
    return {**head, "scale": head["scale"] / np.float32(best), "shift": head["shift"] / np.float32(best)}


def _log_loss(logits: Floats, answers: Ints) -> float:
    shares = softmax(logits)[np.arange(len(answers)), answers]
    return float(-np.log(np.maximum(shares, 1e-9)).mean())


def _batches(training_set: TrainingSet, rng: np.random.Generator) -> Iterator[Ints]:
    """Yield the rows of some pictures at a time, in random order."""
    for pictures in np.array_split(
        rng.permutation(len(training_set.features)), max(1, len(training_set.features) // PICTURES)
    ):
        rows = np.flatnonzero(np.isin(training_set.picture, pictures))
        yield from np.array_split(rng.permutation(rows), -(-len(rows) // ROWS))


Floats = NDArray[np.float32]
LEARNT = (  # the arrays of the head that are learnt; the others are fitted, or given
    *("predicate", "object", "place", "film", "film_bias", "first", "second", "second_bias"),
    *("attention", "hidden", "hidden_bias", "out", "out_bias"),
)


def loss_and_gradient(
    h: Arrays, features: Floats, picture: NDArray[np.int_], ids: NDArray[np.int_], answers: NDArray[np.int_]
) -> tuple[float, dict[str, Floats]]:
    """Return the mean cross entropy of the calibrated answers, and its gradient by each learnt array.

    `features` are pictures x cells x channels; row n asks `ids[n]` about picture `picture[n]`. The rows are
    sorted by picture, and each picture has one.
    """
    rows, (cells, c) = np.arange(len(ids)), features.shape[1:]
    words = np.concatenate([h["predicate"][ids[:, 0]], h["object"][ids[:, 1]], h["object"][ids[:, 2]]], 1)
    scale, shift = np.split(words @ h["film"] + h["film_bias"], 2, axis=1)
    common = (features @ h["first"] + h["place"])[picture]
    z1 = np.maximum(common * (1 + scale[:, None]) + shift[:, None], 0)
    flat1 = z1.reshape(-1, c)
    flat2 = np.maximum(flat1 @ h["second"] + h["second_bias"], 0)
    z2 = flat2.reshape(z1.shape)
    attention = softmax((flat2 @ h["attention"]).reshape(-1, cells))
    top = z2.argmax(1)
    looked = (attention[:, None] @ z2)[:, 0]
    mean = features.mean(1)[picture]
    joined = np.concatenate([looked, np.take_along_axis(z2, top[:, None], 1)[:, 0], mean, words], 1)
    hidden = np.maximum(joined @ h["hidden"] + h["hidden_bias"], 0)
    logits = (hidden @ h["out"] + h["out_bias"]) * h["scale"][ids[:, 0]] + h["shift"][ids[:, 0]]
    shares = softmax(logits)
    loss = float(-np.log(np.maximum(shares[rows, answers], 1e-9)).mean())

    d: dict[str, Floats] = {}
    slope = shares
    slope[rows, answers] -= 1
    slope *= h["scale"][ids[:, 0]] / len(rows)
    d["out"], d["out_bias"] = hidden.T @ slope, slope.sum(0)
    d_hidden = slope @ h["out"].T * (hidden > 0)
    d["hidden"], d["hidden_bias"] = joined.T @ d_hidden, d_hidden.sum(0)
    d_looked, d_top, _, d_words = np.split(d_hidden @ h["hidden"].T, [c, 2 * c, 3 * c], axis=1)
    d_attention = (z2 @ d_looked[..., None])[..., 0]
    d_score = attention * (d_attention - (attention * d_attention).sum(1, keepdims=True))
    d["attention"] = flat2.T @ d_score.reshape(-1)
    d_z2 = attention[..., None] * d_looked[:, None] + d_score[..., None] * h["attention"]
    d_z2[rows[:, None], top, np.arange(c)] += d_top
    d_flat2 = d_z2.reshape(-1, c) * (flat2 > 0)
    d["second"], d["second_bias"] = flat1.T @ d_flat2, d_flat2.sum(0)
    d_z1 = (d_flat2 @ h["second"].T).reshape(z1.shape) * (z1 > 0)
    d_film = np.concatenate([(d_z1 * common).sum(1), d_z1.sum(1)], 1)
    d["film"], d["film_bias"] = words.T @ d_film, d_film.sum(0)
    d_words = d_words + d_film @ h["film"].T
    first_rows = np.searchsorted(picture, np.arange(len(features)))
    d_common = np.add.reduceat(d_z1 * (1 + scale[:, None]), first_rows)
    d["place"] = d_common.sum(0)
    d["first"] = features.reshape(-1, c).T @ d_common.reshape(-1, c)
    width = h["predicate"].shape[1]
    d["predicate"], d["object"] = np.zeros_like(h["predicate"]), np.zeros_like(h["object"])
    np.add.at(d["predicate"], ids[:, 0], d_words[:, :width])
    np.add.at(d["object"], ids[:, 1], d_words[:, width : 2 * width])
    np.add.at(d["object"], ids[:, 2], d_words[:, 2 * width :])
    return loss, d
