"""Names for the poses of the robot's eye: of a body's measured poses, and of a world that has no body."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Collection

from robots.kitchen.happening import Happening

NEAR = 0.001  # metres, for x and y: poses that differ by less in all four numbers are one pose
ALIKE = math.radians(0.05)  # for yaw and the head's pitch

Pose = tuple[float, float, float, float]  # x, y (metres), yaw, pitch (radians): all that moves the eye


class Poses:
    """Names a body's measured poses: the same name exactly where the pose is the same."""

    def __init__(self) -> None:
        self._known: dict[str, Pose] = {}

    def name(self, pose: Pose, word: str) -> str:
        """The name that this pose has already, else `word`, with a number where another pose has that."""
        for name, known in self._known.items():
            if same(known, pose):
                return name
        name, count = word, 0
        while name in self._known:  # the robot stepped aside to see what it shall
            count += 1
            name = f"{word}, aside" if count == 1 else f"{word}, aside {count}"
        self._known[name] = pose
        return name


def same(one: Pose, other: Pose) -> bool:
    """Whether two poses count as one."""
    far = max(abs(a - b) for a, b in zip(one[:2], other[:2], strict=True))
    turned = max(abs(math.remainder(a - b, math.tau)) for a, b in zip(one[2:], other[2:], strict=True))
    return far < NEAR and turned < ALIKE


class Eyes:
    """Words for where the eye is, made from what happens: all that a world without a body has.

    A robot that comes back to a thing stands elsewhere than before, so every arrival has a word of its own.
    To put a thing on a floor the robot drives as well. Else it stays. `Poses` takes these words for new
    poses, so that luck is the same with pictures and without, but where a body steps aside.
    """

    def __init__(self, display: Callable[[str], str], floors: Collection[str]) -> None:
        self._display, self._floors = display, floors
        self._times: Counter[str] = Counter()
        self.now = "at the start"

    def follow(self, happening: Happening) -> None:
        state = happening.after
        if happening.arrived:
            aim = "at" if state.focus == state.near else "past"
            self._arrive(f"{aim} {self._display(state.near)}")
        elif happening.skill == "placeon" and happening.attempt and happening.attempt[2] in self._floors:
            self._arrive(f"over {self._display(happening.attempt[2])}")

    def halted(self) -> None:
        """Wherever that was."""
        self._arrive("halted")

    def _arrive(self, where: str) -> None:
        self._times[where] += 1
        self.now = where if self._times[where] == 1 else f"{where}, time {self._times[where]}"
