"""Real photographs to train with as foreign pictures: those that come with scikit-image (extra `train`)."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from core.vqa.eye.augment import augment

Picture = NDArray[np.uint8]
_SMALLEST = 0.15  # of a photograph's shorter side
_FEWEST = 64  # pixels, of a piece's side


def photographs() -> tuple[Picture, ...]:
    """Return them, H x W x 3, of any size. Raises SystemExit if scikit-image or a picture is missing."""
    try:
        import skimage
    except ImportError:
        raise SystemExit("scikit-image is missing: pip install -e '.[train]'.") from None
    folder = Path(skimage.__file__).parent / "data"
    paths = [folder / name for name in _NAMES]
    found = [cv2.imread(str(path)) for path in paths]
    if missing := [path.name for path, bgr in zip(paths, found, strict=True) if bgr is None]:
        raise SystemExit(f"scikit-image has no {', '.join(missing)}: install version 0.26.")
    return tuple(np.ascontiguousarray(bgr[..., ::-1], np.uint8) for bgr in found if bgr is not None)


def piece(rng: np.random.Generator, side: int, photos: Sequence[Picture]) -> Picture:
    """Return a piece of a photograph as another camera might have seen it, side x side x 3."""
    whole = photos[int(rng.integers(len(photos)))]
    least, most = _FEWEST, min(whole.shape[:2])
    edge = int(np.clip(most * rng.uniform(_SMALLEST, 1), min(least, most), most))
    top, left = (int(rng.integers(0, length - edge + 1)) for length in whole.shape[:2])
    cut = whole[top : top + edge, left : left + edge]
    if rng.random() < 0.5:
        cut = cut[:, ::-1]
    how = cv2.INTER_AREA if edge > side else cv2.INTER_LINEAR
    return augment(np.asarray(cv2.resize(np.ascontiguousarray(cut), (side, side), interpolation=how)), rng)


_NAMES = (
    *(f"{name}.png" for name in ("astronaut", "brick", "camera", "chelsea", "coffee", "coins", "grass")),
    *(f"{name}.png" for name in ("gravel", "ihc", "moon", "motorcycle_left", "motorcycle_right")),
    *(f"{name}.jpg" for name in ("hubble_deep_field", "retina", "rocket")),
)
