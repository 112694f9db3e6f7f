"""What goes wrong (FAKE_FAULT names it, separated by commas), and the values of the package's interface."""

from __future__ import annotations

import math
import os
from typing import Any

FAULTS = frozenset(os.environ.get("FAKE_FAULT", "").split(","))


class Tensor:
    """Nested lists, or the bytes of a picture, with the few methods of a tensor that are used."""

    def __init__(self, values: Any, shape: tuple[int, ...] = ()) -> None:
        self._values = values
        self.shape = shape or (len(values),)

    def cpu(self) -> Tensor:
        return self

    def contiguous(self) -> Tensor:
        return self

    def numpy(self) -> Tensor:
        return self

    def tobytes(self) -> bytes:
        return bytes(self._values)

    def tolist(self) -> list[Any]:
        return list(self._values)

    def __iter__(self) -> Any:
        return iter(self._values)

    def __getitem__(self, index: int) -> Any:
        return self._values[index]


def yaw_of(orientation: Any) -> float:
    x, y, z, w = orientation
    assert abs(x * x + y * y + z * z + w * w - 1) < 1e-3, "not a unit quaternion"
    return 2 * math.atan2(z, w)
