"""The things that a camera sees on a table, measured, so that a person can give them names."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True)
class SeenThing:
    """A thing in the picture: its sides and height in metres; its hue as OpenCV's (0..180), low to high.

    `fault` says why its colour does not tell it apart; "" if it does.
    """

    number: int
    at: tuple[float, float]
    size: tuple[float, float, float]
    hue: tuple[int, int]
    hollow: bool
    fault: str = ""
    pixel: tuple[float, float] = (0.0, 0.0)  # x, y of its middle in the picture


class TableThings(Protocol):
    """One picture of a table."""

    @property
    def rgb(self) -> NDArray[np.uint8]:
        """The picture, H x W x 3."""

    @property
    def things(self) -> tuple[SeenThing, ...]: ...

    def write_picture(self, path: Path) -> None:
        """Write the picture with the numbers of the things. Raises BadFile."""

    def add(self, number: int, name: str, scene: Path, shape: str = "") -> str:
        """Add the thing to a scene file, which is made if there is none. Return a sentence about it.

        `shape` is one of the scene file's, "" as it looks from above.

        Raises BadValue for a thing or a name that will not do, BadFile for a scene in which it cannot be
        told apart; the file then stays as it was.
        """
