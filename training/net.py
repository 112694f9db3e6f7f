"""The network in PyTorch: a convolutional trunk, and a head modulated by the question (FiLM, Perez et
al. 2018).
"""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional as F

Params = dict[str, Tensor]

SIDE, GRID, CHANNELS, WORD, HIDDEN = 256, 16, 64, 32, 64
TRUNK = (  # name, channels in and out, stride; those of stride 1 add their input
    ("enter", 3, 16, 2),
    ("half", 16, 32, 2),
    ("half_more", 32, 32, 1),
    ("quarter", 32, CHANNELS, 2),
    ("one", CHANNELS, CHANNELS, 1),
    ("eighth", CHANNELS, CHANNELS, 2),
    ("two", CHANNELS, CHANNELS, 1),
    ("three", CHANNELS, CHANNELS, 1),
    ("four", CHANNELS, CHANNELS, 1),
)


def init(seed: int, predicates: int, objects: int) -> Params:
    rng = np.random.default_rng(seed)

    def normal(*shape: int, scale: float) -> Tensor:
        return torch.from_numpy(rng.normal(0, scale, shape).astype(np.float32))

    params: Params = {}
    for name, inside, out, stride in TRUNK:
        gain = 2.0 if stride == 2 else 0.5  # what is added to its input starts small
        params[f"{name}_weight"] = normal(out, inside, 3, 3, scale=(gain / (9 * inside)) ** 0.5)
        params[f"{name}_bias"] = torch.zeros(out)
    c, words = CHANNELS, 3 * WORD
    return params | {
        "predicate": normal(predicates, WORD, scale=0.3),
        "object": normal(objects, WORD, scale=0.3),
        "place": normal(GRID**2, c, scale=0.1),
        "film": normal(words, 2 * c, scale=0.1),
        "film_bias": torch.zeros(2 * c),
        "first": normal(c, c, scale=(2 / c) ** 0.5),
        "second": normal(c, c, scale=(2 / c) ** 0.5),
        "second_bias": torch.zeros(c),
        "attention": normal(c, scale=0.1),
        "hidden": normal(3 * c + words, HIDDEN, scale=(2 / (3 * c + words)) ** 0.5),
        "hidden_bias": torch.zeros(HIDDEN),
        "out": normal(HIDDEN, 3, scale=0.1),
        "out_bias": torch.zeros(3),
        "foreign": normal(2 * c, scale=0.01),
        "foreign_bias": torch.zeros(1),
    }


def trunk(p: Params, pictures: Tensor) -> Tensor:
    """Return features, N x cells x channels, of N x SIDE x SIDE x 3 (uint8)."""
    x = pictures.permute(0, 3, 1, 2).float() / 128 - 1
    for name, _, _, stride in TRUNK:
        y = F.relu(F.conv2d(x, p[f"{name}_weight"], p[f"{name}_bias"], stride, padding=1))
        x = y if stride == 2 else x + y
    return x.flatten(2).transpose(1, 2)


def head(p: Params, features: Tensor, ids: Tensor) -> Tensor:
    """Return logits, N x K x 3, of K questions (N x K x 3 ids) about each picture."""
    words = torch.cat([p["predicate"][ids[..., 0]], p["object"][ids[..., 1]], p["object"][ids[..., 2]]], -1)
    scale, shift = (words @ p["film"] + p["film_bias"]).chunk(2, -1)
    common = features @ p["first"] + p["place"]
    z = F.relu(common[:, None] * (1 + scale[:, :, None]) + shift[:, :, None])
    z = F.relu(z @ p["second"] + p["second_bias"])
    attention = (z @ p["attention"]).softmax(-1)
    looked = (attention[..., None] * z).sum(2)
    mean = features.mean(1)[:, None].expand_as(looked)
    hidden = F.relu(torch.cat([looked, z.amax(2), mean, words], -1) @ p["hidden"] + p["hidden_bias"])
    return hidden @ p["out"] + p["out_bias"]


def foreign(p: Params, features: Tensor) -> Tensor:
    """Return how foreign each picture looks, from mean and deviation of each channel: logits (N)."""
    spread = (features.var(1, correction=0) + 1e-6).sqrt()
    return torch.cat([features.mean(1), spread], -1) @ p["foreign"] + p["foreign_bias"]
