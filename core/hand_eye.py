"""Finding where a camera is, view by view: what a terminal or a window shows, and what a person does."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True)
class CalibrationStatus:
    """Where it stands. `words`: what to do next; `residuals`: the figures so far, "" before there are any."""

    captured: int
    needed: int
    instruction: str
    residuals: str = ""
    warning: str = ""  # what speaks against using it
    sufficient: bool = False
    table_captured: bool = True  # False: the board is still to be shown on the table


@dataclass(frozen=True)
class CalibrationFrame:
    """A picture as it came (H x W x 3) and where in it corners of the board were found (column, row)."""

    rgb: NDArray[np.uint8] = field(compare=False, repr=False)
    corners: tuple[tuple[float, float], ...] = ()


@runtime_checkable
class HasEmulator(Protocol):
    """A robot whose cameras may be calibrated for practice."""

    @property
    def emulator_address(self) -> str:
        """The address of the emulator that came with it, "" for none."""
        ...


class CalibrationSession(Protocol):
    """One camera being calibrated. One thread at a time; `look` and the takes wait for pictures, seconds at
    most. All raise ConsoleError when arm or camera stay away."""

    @property
    def camera(self) -> str: ...

    @property
    def status(self) -> CalibrationStatus: ...

    def look(self) -> CalibrationFrame: ...

    def capture(self) -> str:
        """One more view of the board. "" or why it does not count."""
        ...

    def capture_table(self) -> str:
        """The view of the board flat on the table, for a camera over it. "" or why it does not count."""
        ...

    def undo(self) -> None:
        """Take the last view back."""

    def save(self) -> str:
        """Keep it for the robot; says where. Raises BadValue while there are too few views."""
        ...

    def close(self) -> None: ...
