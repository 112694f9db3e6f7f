"""Pictures from somewhere else: patterns to train with, and others, never trained with, to test with."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType

import cv2
import numpy as np
from numpy.typing import NDArray

from training.photographs import piece

Picture = NDArray[np.uint8]
_PHOTOGRAPHS = 0.4  # share of the foreign pictures, where there are photographs
Make = Callable[[np.random.Generator, int, NDArray[np.uint8]], Picture]


def training_picture(
    rng: np.random.Generator, side: int, ours: NDArray[np.uint8], photos: Sequence[Picture] = ()
) -> Picture:
    """Return a foreign picture for training; `ours` are pictures to cut up, `photos` real photographs."""
    if photos and rng.random() < _PHOTOGRAPHS:
        return piece(rng, side, photos)
    make = _TRAINING[int(rng.integers(len(_TRAINING)))]
    return _as_photographed(make(rng, side, ours), rng)


def _as_photographed(image: Picture, rng: np.random.Generator) -> Picture:
    """Make it grey, blurred by the lens or by motion, and dull, now and then."""
    side = image.shape[0]
    if rng.random() < 0.3:
        image = np.repeat(np.asarray(cv2.cvtColor(image, cv2.COLOR_RGB2GRAY), np.uint8)[..., None], 3, 2)
    if rng.random() < 0.15:
        image = np.asarray(cv2.GaussianBlur(image, (0, 0), rng.uniform(0.01, 0.06) * side), np.uint8)
    if rng.random() < 0.15:
        length = max(3, int(rng.uniform(0.05, 0.3) * side))
        turn = cv2.getRotationMatrix2D((length / 2, length / 2), rng.uniform(0, 180), 1)
        line = np.zeros((length, length), np.float32)
        line[length // 2] = 1
        kernel = cv2.warpAffine(line, turn, (length, length))
        image = np.asarray(cv2.filter2D(image, -1, kernel / kernel.sum()), np.uint8)
    if rng.random() < 0.2:
        dull, shift = rng.uniform(0.2, 0.8), rng.uniform(0, 1)
        image = np.asarray(dull * image + shift * 255 * (1 - dull), np.uint8)
    return np.asarray(image, np.uint8)


def _clouds(rng: np.random.Generator, side: int, ours: NDArray[np.uint8]) -> Picture:
    """Add noise of several scales, in colours of its own."""
    total = np.zeros((side, side, 3), np.float32)
    for cells in (2, 4, 8, 16, 32, 64):
        rough = (
            rng.random((cells, cells, 3), np.float32) * rng.uniform(0.3, 1) * (4 / cells) ** rng.uniform(0, 1)
        )
        total += cv2.resize(rough, (side, side), interpolation=cv2.INTER_CUBIC)
    return _stretch(total)


def _shapes(rng: np.random.Generator, side: int, ours: NDArray[np.uint8]) -> Picture:
    image = np.full((side, side, 3), rng.integers(0, 256, 3), np.uint8)
    for _ in range(int(rng.integers(3, 40))):
        colour = tuple(int(v) for v in rng.integers(0, 256, 3))
        points = rng.integers(-side // 4, side * 5 // 4, (int(rng.integers(3, 7)), 2)).astype(np.int32)
        if rng.random() < 0.5:
            cv2.fillConvexPoly(image, cv2.convexHull(points), colour)
        else:
            cv2.circle(image, tuple(map(int, points[0])), int(rng.integers(3, side // 3)), colour, -1)
    return image


def _stripes(rng: np.random.Generator, side: int, ours: NDArray[np.uint8]) -> Picture:
    y, x = np.mgrid[:side, :side].astype(np.float32)
    waves = [
        np.sin((x * np.cos(a) + y * np.sin(a)) * f + p)
        for a, f, p in zip(rng.uniform(0, 3.2, 3), rng.uniform(0.02, 1, 3), rng.uniform(0, 6, 3), strict=True)
    ]
    return _stretch(np.stack(waves, -1) @ rng.normal(0, 1, (3, 3)).astype(np.float32))


def _flat(rng: np.random.Generator, side: int, ours: NDArray[np.uint8]) -> Picture:
    """Fill with one colour, or from one colour to another."""
    one, other = rng.integers(0, 256, (2, 3)).astype(np.float32)
    ramp = np.linspace(0, rng.uniform(0, 1), side, dtype=np.float32)[:, None, None]
    image = np.broadcast_to(one + (other - one) * ramp, (side, side, 3)) + rng.normal(0, 3, (side, side, 3))
    return np.clip(image, 0, 255).astype(np.uint8)


def _tiles_of_ours(rng: np.random.Generator, side: int, ours: NDArray[np.uint8]) -> Picture:
    """Put a picture of ours together in the wrong order."""
    image, n = ours[int(rng.integers(len(ours)))], int(rng.choice((2, 4, 8)))
    edge = side // n
    tiles = (
        image[: edge * n, : edge * n]
        .reshape(n, edge, n, edge, 3)
        .transpose(0, 2, 1, 3, 4)
        .reshape(-1, edge, edge, 3)
    )
    mixed = tiles[rng.permutation(len(tiles))].reshape(n, n, edge, edge, 3).transpose(0, 2, 1, 3, 4)
    return np.ascontiguousarray(mixed.reshape(edge * n, edge * n, 3))


def two_of_ours(rng: np.random.Generator, side: int, ours: NDArray[np.uint8]) -> Picture:
    """Put a part of one picture of ours beside, above or, at its left edge, right of a part of another."""
    one, other = ours[rng.integers(len(ours), size=2)]
    cut, way = int(rng.uniform(0.25, 0.75) * side), rng.random()
    if way < 0.2:
        return np.concatenate([one[:cut], other[cut:]])
    return np.concatenate([one[:, :cut], other[:, cut:] if way < 0.8 else other[:, : side - cut]], 1)


def _upside_down(rng: np.random.Generator, side: int, ours: NDArray[np.uint8]) -> Picture:
    turned = np.rot90(ours[int(rng.integers(len(ours)))], int(rng.integers(1, 4)))
    return np.ascontiguousarray(255 - turned if rng.random() < 0.5 else turned)


def _leaves(rng: np.random.Generator, side: int, ours: NDArray[np.uint8]) -> Picture:
    """Let shaded and textured leaves of all sizes hide each other, as in photographs (Lee et al. 2001)."""
    y, x = np.mgrid[:side, :side].astype(np.float32)
    palette = rng.integers(0, 256, (int(rng.integers(2, 9)), 3)).astype(np.float32)
    palette += rng.uniform(0, 1) * (palette.mean(1, keepdims=True) - palette)
    image = np.broadcast_to(palette[0], (side, side, 3)).copy()
    for _ in range(int(rng.integers(30, 150))):
        radius = side * 0.02 / max(rng.random(), 1e-3) ** 0.7
        across, down = rng.uniform(0, side, 2)
        turn, flat = rng.uniform(0, np.pi), rng.uniform(0.2, 1)
        reach = int(radius) + 1
        rows = slice(max(0, int(down) - reach), int(down) + reach)
        columns = slice(max(0, int(across) - reach), int(across) + reach)
        right, under = x[rows, columns] - across, y[rows, columns] - down
        along = right * np.cos(turn) + under * np.sin(turn)
        beside = (under * np.cos(turn) - right * np.sin(turn)) / flat
        inside = (
            np.hypot(along, beside) < radius
            if rng.random() < 0.6
            else np.maximum(abs(along), abs(beside)) < 0.8 * radius
        )
        shade = (
            1
            + rng.uniform(-0.5, 0.5) * along / radius
            + rng.normal(0, 0.15) * np.sin(along * rng.uniform(0.1, 2))
        )
        colour = palette[int(rng.integers(len(palette)))] + rng.normal(0, 25, 3)
        image[rows, columns][inside] = (shade[..., None] * colour)[inside]
    image += rng.normal(0, rng.uniform(0, 12), image.shape)
    if rng.random() < 0.5:
        image = cv2.GaussianBlur(image, (0, 0), rng.uniform(0.4, 2.5))
    return np.asarray(np.clip(image, 0, 255), np.uint8)


def _stretch(values: NDArray[np.float32]) -> Picture:
    low, high = values.min((0, 1)), values.max((0, 1))
    return np.asarray(255 * (values - low) / np.maximum(high - low, 1e-6), np.uint8)


_TRAINING: tuple[Make, ...] = (
    _clouds,
    _shapes,
    _stripes,
    _flat,
    _tiles_of_ours,
    _upside_down,
    _leaves,
    _leaves,
)


# --- for testing only -----------------------------------------------------------------------------------


def _noise(rng: np.random.Generator, side: int, ours: NDArray[np.uint8]) -> Picture:
    return rng.integers(0, 256, (side, side, 3)).astype(np.uint8)


def _blank(rng: np.random.Generator, side: int, ours: NDArray[np.uint8]) -> Picture:
    return np.full((side, side, 3), int(rng.choice((0, 255, 128, 40, 220))), np.uint8)


def _text(rng: np.random.Generator, side: int, ours: NDArray[np.uint8]) -> Picture:
    """Draw a page of text, as a camera that films a screen would see it."""
    image = np.full((side, side, 3), 245, np.uint8)
    for row in range(8, side, 12):
        words = "".join(chr(int(c)) for c in rng.integers(97, 123, 24))
        cv2.putText(image, words, (int(rng.integers(-10, 6)), row), cv2.FONT_HERSHEY_SIMPLEX, 0.35, (20,) * 3)
    return image


TESTING: Mapping[str, Make] = MappingProxyType({"noise": _noise, "blank": _blank, "text": _text})
