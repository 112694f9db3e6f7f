"""Disturb a picture as a camera or a screen does."""

from __future__ import annotations

from random import Random

import cv2
import numpy as np

from robots.grids.painter import Picture


def disturbed(picture: Picture, seed: object) -> Picture:
    """Return the picture with other light, hue and resolution, and perhaps noise and JPEG's traces."""
    draw, size = Random(f"disturb {seed}"), picture.shape[0]
    side = draw.randint(max(96, size // 2), 512)
    how = cv2.INTER_AREA if side < size else cv2.INTER_LINEAR
    floats = cv2.resize(picture, (side, side), interpolation=how).astype(np.float32)
    hue = [draw.uniform(0.92, 1.08) for _ in range(3)]
    floats = floats * draw.uniform(0.75, 1.25) * hue + draw.uniform(-12, 12)
    if draw.random() < 0.5:
        floats += np.random.default_rng(draw.randrange(1 << 30)).normal(0, draw.uniform(0, 6), floats.shape)
    made = np.clip(floats, 0, 255).astype(np.uint8)
    if draw.random() < 0.4:
        _, data = cv2.imencode(".jpg", made[..., ::-1], [cv2.IMWRITE_JPEG_QUALITY, draw.randint(50, 95)])
        made = np.asarray(cv2.imdecode(data, cv2.IMREAD_COLOR), np.uint8)[..., ::-1]
    return np.ascontiguousarray(made)
