"""A camera's frame as it comes."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True)
class RawFrame:
    """A frame. `rgb` is H x W x 3; `depth` is H x W in metres, 0 for none, or None without a depth camera."""

    rgb: NDArray[np.uint8]
    depth: NDArray[np.float32] | None = None
