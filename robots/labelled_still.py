"""A picture with what is so in it, as simulators make them for training an eye, and a camera moved for it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import mujoco
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


DISTANCE, ANGLE = 0.02, np.radians(3.0)


def shift_camera(model: Any, name: str, seed: int) -> None:
    """Move a camera of an MjModel by 20 mm and turn it by 3 degrees; the seed draws both directions."""
    camera, rng = model.camera(name), np.random.default_rng(seed)
    way, axis = (v / np.linalg.norm(v) for v in rng.normal(size=(2, 3)))
    turn, turned = np.zeros(4), np.zeros(4)
    mujoco.mju_axisAngle2Quat(turn, axis, ANGLE)
    mujoco.mju_mulQuat(turned, camera.quat, turn)
    camera.pos[:] += DISTANCE * way
    camera.quat[:] = turned
