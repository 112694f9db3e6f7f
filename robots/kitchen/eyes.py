"""Words for the poses of the robot's eye, which need no body: the same with pictures and without."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection

from robots.kitchen.happening import Happening


class Eyes:
    """The eye's pose by name, kept up to date by what happens.

    A robot that comes back to a thing stands elsewhere than before, so every arrival has a name of its own.
    To put a thing on a floor the robot drives as well. Else it stays; where it steps aside to see what it
    shall (about 1 in 100 steps), its body knows and the name does not.
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
