"""Names for the poses of the robot's eye: of a body's measured poses, and of a world that has no body."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Collection

from robots.kitchen.household.transition import HouseholdTransition

SAME_POSITION = 0.001  # metres, for x and y: poses that differ by less in all four numbers are one pose
SAME_ANGLE = math.radians(0.05)  # for yaw and the head's pitch

CameraPose = tuple[float, float, float, float]  # x, y (metres), yaw, pitch (radians): all that moves the eye


class PoseNames:
    """Names a body's measured poses: the same name exactly where the pose is the same."""

    def __init__(self) -> None:
        self._known: dict[str, CameraPose] = {}

    def name(self, pose: CameraPose, word: str) -> str:
        """The name that this pose has already, else `word`, with a number where another pose has that."""
        for name, known in self._known.items():
            if same_pose(known, pose):
                return name
        name, count = word, 0
        while name in self._known:  # the robot stepped aside to see what it shall
            count += 1
            name = f"{word}, aside" if count == 1 else f"{word}, aside {count}"
        self._known[name] = pose
        return name


def same_pose(one: CameraPose, other: CameraPose) -> bool:
    """Whether two poses count as one."""
    far = max(abs(a - b) for a, b in zip(one[:2], other[:2], strict=True))
    turned = max(abs(math.remainder(a - b, math.tau)) for a, b in zip(one[2:], other[2:], strict=True))
    return far < SAME_POSITION and turned < SAME_ANGLE


class ViewpointTracker:
    """Words for where the eye is, made from what happens: all that a world without a body has.

    A robot that comes back to a thing stands elsewhere than before, so every arrival has a word of its own.
    To put a thing on a floor the robot drives as well. Else it stays. `PoseNames` takes these words for new
    poses, so that luck is the same with pictures and without, but where a body steps aside.
    """

    def __init__(self, display: Callable[[str], str], floors: Collection[str]) -> None:
        self._display, self._floors = display, floors
        self._visits: Counter[str] = Counter()
        self.viewpoint = "at the start"

    def update(self, transition: HouseholdTransition) -> None:
        state = transition.after
        if transition.reached_target:
            aim = "at" if state.focus == state.near else "past"
            self._move_to(f"{aim} {self._display(state.near)}")
        elif (
            transition.skill == "placeon"
            and transition.attempt_key
            and transition.attempt_key[2] in self._floors
        ):
            self._move_to(f"over {self._display(transition.attempt_key[2])}")

    def on_halt(self) -> None:
        """Wherever that was."""
        self._move_to("halted")

    def _move_to(self, where: str) -> None:
        self._visits[where] += 1
        self.viewpoint = where if self._visits[where] == 1 else f"{where}, time {self._visits[where]}"
