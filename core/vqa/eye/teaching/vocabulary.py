"""Add what an eye needs before it can learn words and pictures that it does not know."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from core.vqa.eye.eye import Eye, distance, pool
from core.vqa.eye.eye_file import Arrays, EyeCard
from core.vqa.eye.teaching.gradient import Floats

FOREIGN_SHARE = 0.02  # of pictures that the eye takes for foreign ones, above which it gets to know them
KEPT = 0.997  # share of the pictures kept back that are to pass
_MARGIN = 1.5
_PRIOR = 50  # pictures that the spread of those known counts for
_APART = 0.1  # how far the embeddings of two new words lie apart at first


def with_questions(card: EyeCard, head: Arrays, questions: Iterable[str]) -> tuple[EyeCard, Arrays]:
    """Return card and head with embeddings for each word of these questions."""
    new = sorted(set(questions) - set(card.questions))
    split = [question.split(", ") for question in new]
    predicates = sorted({words[0] for words in split} - set(card.predicates))
    objects = sorted({word for words in split for word in words[1:]} - set(card.objects))
    rng = np.random.default_rng(0)
    added = replace(
        card,
        questions=(*card.questions, *new),
        predicates=(*card.predicates, *predicates),
        objects=(*card.objects, *objects),
    )
    return added, {
        **head,
        "predicate": _more(head["predicate"], head["predicate"], len(predicates), rng),
        "object": _more(head["object"], head["object"][1:], len(objects), rng),
        "scale": np.concatenate([head["scale"], np.ones((len(predicates), 3), np.float32)]),
        "shift": np.concatenate([head["shift"], np.zeros((len(predicates), 3), np.float32)]),
    }


def _more(table: Floats, like: Floats, count: int, rng: np.random.Generator) -> Floats:
    """Return the embeddings with `count` more, near the mean of those that are alike."""
    mean = like.mean(0) if len(like) else np.zeros(table.shape[1], np.float32)
    fresh = mean + rng.normal(0, _APART, (count, table.shape[1]))
    return np.concatenate([table, fresh]).astype(np.float32)


def with_pictures(eye: Eye, training: Floats, kept_back: Floats) -> tuple[EyeCard, Arrays]:
    """Return card and head that take none of these pictures for foreign, if the eye does so with many.

    Both are features, pictures x cells x channels. The spread of the pictures that the eye was trained on
    is the prior for that of the new ones: some hundreds are too few for a covariance of their own.
    """
    foreign = np.mean([eye.is_foreign(features) for features in (*training, *kept_back)])
    if foreign <= FOREIGN_SHARE:
        return eye.card, eye.head
    known, mean = eye.head["known_whiten"], _pooled(training).mean(0)
    apart = (_pooled(training) - mean) @ known  # where the pictures known have a spread of 1
    spread = (apart.T @ apart + _PRIOR * np.eye(len(mean))) / (len(training) + _PRIOR)
    values, vectors = np.linalg.eigh(spread)
    whiten = (known @ vectors / np.sqrt(values)).astype(np.float32)
    distances = [distance(pooled, mean, whiten) for pooled in _pooled(kept_back)]
    limit = _MARGIN * float(np.quantile(distances, KEPT))
    return replace(eye.card, own_limit=limit), {**eye.head, "own_mean": mean, "own_whiten": whiten}


def _pooled(pictures: Floats) -> NDArray[np.float32]:
    return np.stack([pool(features) for features in pictures])
