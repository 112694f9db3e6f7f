"""Hand-eye calibration, view by view: what a terminal or a window shows, and what a person does."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol, runtime_checkable

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

STORE_IN_DOUBT = "in doubt"  # what a person types to store a calibration with a warning


@dataclass(frozen=True)
class CalibrationStatus:
    """Progress of a calibration: `instruction` is what to do next, `residuals` the errors so far, or ""."""

    captured: int
    needed: int  # for a good fit; from `first_fit` views on there are figures
    instruction: str
    residuals: str = ""
    warning: str = ""  # why the robot would not start with the result
    sufficient: bool = False
    table_captured: bool = True  # False: a view of the board on the table is still needed
    first_fit: int = 6


@dataclass(frozen=True)
class CalibrationFrame:
    """A camera picture (H x W x 3, uint8) and the board corners found in it (column, row)."""

    rgb: NDArray[np.uint8] = field(compare=False, repr=False)
    corners: tuple[tuple[float, float], ...] = ()


@runtime_checkable
class HasEmulator(Protocol):
    """A robot with an emulator on which calibration can be practised."""

    @property
    def emulator_address(self) -> str:
        """Return the address of the robot's emulator, "" for none."""


class CalibrationSession(Protocol):
    """The calibration of one camera, for one thread at a time.

    `look` and the captures wait for pictures, for a few seconds at most. All methods raise ConsoleError if
    the arm or the camera does not respond.
    """

    @property
    def camera(self) -> str: ...

    @property
    def status(self) -> CalibrationStatus: ...

    def look(self) -> CalibrationFrame: ...

    def capture(self) -> str:
        """Capture one more view of the board. Return "" or why it does not count."""

    def capture_table(self) -> str:
        """Capture the board flat on the table, for a camera above it. Return "" or why it does not count."""

    def undo(self) -> None:
        """Discard the last view."""

    def save(self, confirmation: str = "") -> str:
        """Save the calibration for the robot and return where.

        Raises BadValue while there are too few views, and for one in doubt unless `confirmation`, which a
        person typed, is STORE_IN_DOUBT.
        """

    def close(self) -> None: ...
