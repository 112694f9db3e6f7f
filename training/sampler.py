"""Batches for training: changed pictures with questions, and foreign pictures."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from core.vqa.eye.augment import augment
from training.data import LabelledQuestions, QuestionVocabulary
from training.foreign import training_picture

PICTURES, QUESTIONS, FOREIGN = 26, 10, 6  # of one step; questions about one picture tell much the same
_OTHERS_SHARE = 0.25  # of the foreign pictures are those of the other domain, where there are some
_AHEAD = 4  # batches


class Batch(NamedTuple):
    pixels: NDArray[np.uint8]  # the pictures, then the foreign ones
    ids: NDArray[np.int64]  # pictures x questions x 3
    labels: NDArray[np.int64]  # pictures x questions


class Sampler:
    """Draws batches: rare answers of a question more often than they occur, though less than common ones."""

    def __init__(
        self,
        asked: LabelledQuestions,
        words: QuestionVocabulary,
        others: NDArray[np.uint8] | None = None,
        photos: Sequence[NDArray[np.uint8]] = (),
        seed: int = 0,
    ) -> None:
        self._asked, self._others, self._photos, self._seed = asked, others, photos, seed
        self._ids = np.array([words.ids(q) for q in asked.questions])
        kinds = asked.rows[:, 1] * 3 + asked.rows[:, 2]
        weights = np.bincount(kinds)[kinds] ** -0.5
        begins = np.searchsorted(asked.rows[:, 0], np.arange(len(asked.pictures) + 1))
        self._spans = [(a, b, _shares(weights[a:b])) for a, b in pairwise(begins)]

    def batch(self, step: int) -> Batch:
        """Draw the batch of a step; the same step has the same one."""
        rng = np.random.default_rng((self._seed, step))
        chosen = rng.integers(0, len(self._spans), PICTURES)
        rows = []
        for n in chosen:
            first, end, shares = self._spans[n]
            rows.append(self._asked.rows[first + rng.choice(end - first, QUESTIONS, p=shares)])
        asked = np.stack(rows).astype(np.int64)
        pixels = [augment(self._asked.pictures[n], rng) for n in chosen]
        pixels += [self._foreign(rng) for _ in range(FOREIGN)]
        return Batch(np.stack(pixels), self._ids[asked[..., 1]], asked[..., 2])

    def _foreign(self, rng: np.random.Generator) -> NDArray[np.uint8]:
        if self._others is not None and rng.random() < _OTHERS_SHARE:
            return augment(self._others[rng.integers(len(self._others))], rng)
        return training_picture(rng, self._asked.pictures.shape[1], self._asked.pictures, self._photos)

    def batches(self, first: int, end: int) -> Iterator[Batch]:
        """Yield the batches of these steps, made ahead in another thread."""
        with ThreadPoolExecutor(1) as pool:
            ahead = [pool.submit(self.batch, step) for step in range(first, min(end, first + _AHEAD))]
            for step in range(first, end):
                yield ahead.pop(0).result()
                if step + _AHEAD < end:
                    ahead.append(pool.submit(self.batch, step + _AHEAD))


def _shares(weights: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.asarray(weights / weights.sum())
