"""The network in JAX: a convolutional trunk, and a head modulated by the question (FiLM, Perez et
al. 2018).
"""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

Params = dict[str, Any]
Array = Any  # one of JAX, which need not be installed for the checks of types

SIDE, GRID, CHANNELS, WORD, HIDDEN = 128, 16, 64, 32, 64
TRUNK = (  # name, channels in and out, stride; those of stride 1 add their input
    ("enter", 3, 16, 2),
    ("half", 16, 32, 2),
    ("half_more", 32, 32, 1),
    ("quarter", 32, CHANNELS, 2),
    ("one", CHANNELS, CHANNELS, 1),
    ("two", CHANNELS, CHANNELS, 1),
    ("three", CHANNELS, CHANNELS, 1),
)


def init(seed: int, predicates: int, objects: int) -> Params:
    rng = np.random.default_rng(seed)

    def normal(*shape: int, scale: float) -> Array:
        return jnp.asarray(rng.normal(0, scale, shape), jnp.float32)

    params: Params = {}
    for name, inside, out, stride in TRUNK:
        gain = 2.0 if stride == 2 else 0.5  # what is added to its input starts small
        params[f"{name}_weight"] = normal(3, 3, inside, out, scale=(gain / (9 * inside)) ** 0.5)
        params[f"{name}_bias"] = jnp.zeros(out)
    c, words = CHANNELS, 3 * WORD
    params |= {
        "predicate": normal(predicates, WORD, scale=0.3),
        "object": normal(objects, WORD, scale=0.3),
        "place": normal(GRID**2, c, scale=0.1),
        "film": normal(words, 2 * c, scale=0.1),
        "film_bias": jnp.zeros(2 * c),
        "first": normal(c, c, scale=(2 / c) ** 0.5),
        "second": normal(c, c, scale=(2 / c) ** 0.5),
        "second_bias": jnp.zeros(c),
        "attention": normal(c, scale=0.1),
        "hidden": normal(3 * c + words, HIDDEN, scale=(2 / (3 * c + words)) ** 0.5),
        "hidden_bias": jnp.zeros(HIDDEN),
        "out": normal(HIDDEN, 3, scale=0.1),
        "out_bias": jnp.zeros(3),
        "foreign": normal(2 * c, scale=0.01),
        "foreign_bias": jnp.zeros(1),
    }
    return params


def trunk(p: Params, pixels: Array) -> Array:
    """Return features, N x cells x channels, of N x SIDE x SIDE x 3 in -1..1."""
    x = pixels
    for name, _, _, stride in TRUNK:
        pad = [(1, 1), (1, 1)]  # as ONNX pads, on both sides alike
        y = jax.lax.conv_general_dilated(
            x, p[f"{name}_weight"], (stride, stride), pad, dimension_numbers=("NHWC", "HWIO", "NHWC")
        )
        y = jax.nn.relu(y + p[f"{name}_bias"])
        x = y if stride == 2 else x + y
    return x.reshape(len(x), -1, x.shape[-1])


def head(p: Params, features: Array, ids: Array) -> Array:
    """Return logits, N x K x 3, of K questions (N x K x 3 ids) about each picture."""
    words = jnp.concatenate(
        [p["predicate"][ids[..., 0]], p["object"][ids[..., 1]], p["object"][ids[..., 2]]], -1
    )
    scale, shift = jnp.split(words @ p["film"] + p["film_bias"], 2, axis=-1)
    common = features @ p["first"] + p["place"]
    z = jax.nn.relu(common[:, None] * (1 + scale[:, :, None]) + shift[:, :, None])
    z = jax.nn.relu(z @ p["second"] + p["second_bias"])
    attention = jax.nn.softmax(z @ p["attention"])
    looked = jnp.einsum("nkp,nkpc->nkc", attention, z)
    mean = jnp.broadcast_to(features.mean(1)[:, None], looked.shape)
    hidden = jnp.concatenate([looked, z.max(2), mean, words], -1) @ p["hidden"] + p["hidden_bias"]
    return jax.nn.relu(hidden) @ p["out"] + p["out_bias"]


def pool(features: Array) -> Array:
    """Return mean and deviation of each channel, N x 2 channels."""
    spread = jnp.sqrt(features.var(1) + 1e-6)
    return jnp.concatenate([features.mean(1), spread], -1)


def foreign(p: Params, features: Array) -> Array:
    return pool(features) @ p["foreign"] + p["foreign_bias"]
