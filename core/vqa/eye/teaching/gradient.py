"""The gradient of the head's answers: `core.vqa.eye.eye.run_head`, backwards."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from core.vqa.eye.eye import softmax
from core.vqa.eye.eye_file import Arrays

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
