"""Alter pictures as they may suffer: light, colour, noise, a moved camera, JPEG, half the resolution."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

Picture = NDArray[np.uint8]

_NOISE = np.random.default_rng(0).standard_normal(1_000_000, np.float32)  # drawn once: a cut of it is as good


def augment(rgb: Picture, rng: np.random.Generator) -> Picture:
    """Return the picture as another camera might have seen it."""
    if rng.random() < 0.7:
        rgb = move_camera(rgb, rng.uniform(-7, 7, 2), rng.uniform(-4, 4), rng.uniform(0.93, 1.07))
    if rng.random() < 0.8:
        rgb = change_light(rgb, rng.uniform(0.65, 1.35), rng.uniform(0.75, 1.3), rng.uniform(0.88, 1.12, 3))
    if rng.random() < 0.4:
        rgb = turn_hue(rgb, rng.normal(0, 10))
    if rng.random() < 0.15:
        rgb = halve(rgb)
    if rng.random() < 0.4:
        rgb = add_noise(rgb, rng.uniform(0, 10), rng)
    if rng.random() < 0.25:
        rgb = compress(rgb, int(rng.integers(35, 96)))
    return rgb


def move_camera(rgb: Picture, shift: NDArray[np.float64], degrees: float, zoom: float) -> Picture:
    """Shift (pixels), roll and zoom the picture, as a small motion of the camera does to what is far."""
    side = rgb.shape[0]
    matrix = cv2.getRotationMatrix2D((side / 2, side / 2), degrees, zoom)
    matrix = matrix + np.column_stack([np.zeros((2, 2)), shift])
    moved = cv2.warpAffine(rgb, matrix, (side, side), flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REFLECT)
    return np.asarray(moved, np.uint8)


def change_light(rgb: Picture, gain: float, gamma: float, tint: NDArray[np.float64]) -> Picture:
    table = 255 * np.clip((np.arange(256) / 255)[:, None] ** gamma * gain * tint, 0, 1)
    return np.asarray(cv2.LUT(rgb, table[None].astype(np.uint8)), np.uint8)


def turn_hue(rgb: Picture, degrees: float) -> Picture:
    hsv = cv2.cvtColor(rgb, cv2.COLOR_RGB2HSV).astype(np.int16)
    hsv[..., 0] = (hsv[..., 0] + round(degrees / 2)) % 180
    return np.asarray(cv2.cvtColor(hsv.astype(np.uint8), cv2.COLOR_HSV2RGB), np.uint8)


def halve(rgb: Picture) -> Picture:
    height, width = rgb.shape[:2]
    small = cv2.resize(rgb, (width // 2, height // 2), interpolation=cv2.INTER_AREA)
    return np.asarray(cv2.resize(small, (width, height), interpolation=cv2.INTER_LINEAR), np.uint8)


def add_noise(rgb: Picture, sigma: float, rng: np.random.Generator) -> Picture:
    begin = int(rng.integers(len(_NOISE) - rgb.size))
    noise = _NOISE[begin : begin + rgb.size].reshape(rgb.shape) * np.float32(sigma)
    return np.clip(rgb + noise, 0, 255).astype(np.uint8)


def compress(rgb: Picture, quality: int) -> Picture:
    coded = cv2.imencode(".jpg", rgb[..., ::-1], [cv2.IMWRITE_JPEG_QUALITY, quality])[1]
    return np.asarray(cv2.cvtColor(decode(coded), cv2.COLOR_BGR2RGB), np.uint8)


def decode(coded: NDArray[np.uint8]) -> Picture:
    """Return the bytes of a JPEG or PNG as a picture in BGR."""
    decoded = cv2.imdecode(coded, cv2.IMREAD_COLOR)
    assert decoded is not None
    return np.asarray(decoded, np.uint8)
