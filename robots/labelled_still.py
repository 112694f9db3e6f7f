"""A picture with what is so in it, as simulators make them for training an eye."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from core.belief import Atom


@dataclass(frozen=True)
class LabelledStill:
    """A picture (256 x 256 x 3, uint8) and, for each atom asked, whether it holds and can be seen there; None
    where it is a matter of taste whether it can.
    """

    rgb: NDArray[np.uint8]
    labels: tuple[tuple[bool, bool | None], ...]


class StillMaker(Protocol):
    """Makes the stills of one seed; the same seed gives the same ones. One thread."""

    def stills(self, count: int, asked: Sequence[Atom]) -> Iterator[LabelledStill]: ...

    def close(self) -> None: ...
