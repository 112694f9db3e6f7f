"""Train the head of an eye further, pulled towards what it was (L2-SP, Li et al. 2018)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from core.stop_token import StopToken
from core.vqa.eye.eye import run_head, softmax
from core.vqa.eye.eye_file import Arrays
from core.vqa.eye.teaching.gradient import LEARNT, Floats, loss_and_gradient

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
    """Return the head with the one temperature that makes its answers to the lesson likeliest (Guo et al.
    2017).
    """
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
