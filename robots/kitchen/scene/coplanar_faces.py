"""Trim boxes with coplanar faces: a face shared by two boxes is lit twice, and speckles.

The later box is made smaller by an invisible amount.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

_TRIM_STEP = 0.00006  # metres on each side: more than the error of a depth buffer
_COPLANAR_TOLERANCE = 0.00002  # metres; faces nearer than this coincide
_IN_PLANE_AXES = ((1, 2), (0, 2), (0, 1))  # the axes in the plane of a face, by the axis across it

Corners = tuple[NDArray[np.float64], NDArray[np.float64]]


@dataclass
class CoplanarFaceTrimmer:
    """Keeps the boxes of each body so far, in the body's frame and along its axes."""

    _boxes: dict[str, list[Corners]] = field(default_factory=lambda: defaultdict(list))

    def trim(self, body: str, middle: NDArray[np.float64], half: NDArray[np.float64]) -> float:
        """Return the metres to trim from each side of a box so that it shares no face with an earlier one."""
        known, trim = self._boxes[body], 0.0
        while any(_share_a_face((middle - half + trim, middle + half - trim), other) for other in known):
            trim += _TRIM_STEP
        known.append((middle - half + trim, middle + half - trim))
        return trim


def _share_a_face(one: Corners, other: Corners) -> bool:
    overlap = np.minimum(one[1], other[1]) - np.maximum(one[0], other[0])
    same = np.minimum(np.abs(one[0] - other[0]), np.abs(one[1] - other[1])) < _COPLANAR_TOLERANCE
    return any(
        same[across] and (overlap[list(_IN_PLANE_AXES[across])] > _TRIM_STEP).all() for across in range(3)
    )
