"""Put something before a picture: what an eye is measured with. `training.covers` draws shapes of its own."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

import cv2
import numpy as np
from numpy.typing import NDArray

Picture = NDArray[np.uint8]
Patch = Callable[[Picture, Picture, np.random.Generator], Picture]
_SKINS = ((224, 172, 140), (198, 134, 98), (141, 85, 55), (240, 195, 170))


def black_square(rgb: Picture, _: Picture, rng: np.random.Generator) -> Picture:
    """Hide 10 % of it."""
    changed, side = rgb.copy(), round(len(rgb) * 0.1**0.5)
    top, left = rng.integers(0, len(rgb) + 1 - side, 2)
    changed[top : top + side, left : left + side] = 0
    return changed


def sticker(rgb: Picture, _: Picture, rng: np.random.Generator) -> Picture:
    """Put a rectangle or an ellipse of a strong colour on it, with or without a word."""
    changed, hsv = rgb.copy(), rng.integers((0, 120, 140), (180, 256, 256)).astype(np.uint8)
    shade = cv2.cvtColor(hsv[None, None], cv2.COLOR_HSV2RGB)[0, 0].tolist()
    wide, high = (int(len(rgb) * share) for share in rng.uniform((0.2, 0.14), (0.43, 0.31)))
    x, y = int(rng.integers(0, len(rgb) - wide)), int(rng.integers(0, len(rgb) - high))
    if rng.random() < 0.5:
        cv2.rectangle(changed, (x, y), (x + wide, y + high), shade, -1)
    else:
        middle = x + wide // 2, y + high // 2
        cv2.ellipse(changed, middle, (wide // 2, high // 2), 0, 0, 360, shade, -1, cv2.LINE_AA)
    if rng.random() < 0.5:
        at = x + 6, y + high // 2 + 6
        cv2.putText(changed, "OPEN", at, cv2.FONT_HERSHEY_SIMPLEX, len(rgb) / 365, (0, 0, 0), 2, cv2.LINE_AA)
    return changed


def hand(rgb: Picture, _: Picture, rng: np.random.Generator) -> Picture:
    """Reach into it with a forearm, a palm and four fingers."""
    side = len(rgb)
    mask = np.zeros((side, side), np.float32)
    palm, width = side * rng.uniform(0.25, 0.75, 2), side * rng.uniform(0.05, 0.08)
    turn = rng.uniform(0, 2 * np.pi)

    def limb(begin: NDArray[np.float64], angle: float, length: float, thick: float) -> None:
        end = begin + length * np.array([np.cos(angle), np.sin(angle)])
        cv2.line(mask, begin.astype(int).tolist(), end.astype(int).tolist(), 1, int(thick), cv2.LINE_AA)

    limb(palm, turn + np.pi, 1.5 * side, 2 * width)
    for finger in (-0.5, -0.17, 0.17, 0.5):
        limb(palm, turn + finger, 2.6 * width, 0.5 * width)
    cv2.circle(mask, palm.astype(int).tolist(), int(1.3 * width), 1, -1)
    soft = cv2.GaussianBlur(mask, (0, 0), 0.8)[..., None]
    skin = np.array(_SKINS[int(rng.integers(4))]) * rng.uniform(0.8, 1.05) + rng.normal(0, 3, rgb.shape)
    return np.clip(rgb * (1 - soft) + skin * soft, 0, 255).astype(np.uint8)


def halves(rgb: Picture, other: Picture, rng: np.random.Generator) -> Picture:
    """Put a half of another picture beside its left half."""
    changed, half = rgb.copy(), len(rgb) // 2
    changed[:, half:] = other[:, half:] if rng.random() < 0.5 else other[:, :half]
    return changed


PATCHES: Mapping[str, Patch] = MappingProxyType(
    {
        "black square on 10 %": black_square,
        "sticker": sticker,
        "hand": hand,
        "two pictures, half each": halves,
    }
)
