"""How the live view is drawn: with shadows where a graphics card draws, and plainly where the processor does.

`python -m robots.kitchen.live` says in one line which it is here; `doctor` asks it.
"""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass

from core.errors import BadValue, RobotError
from robots.kitchen import gl

CHOICE = "DKPROMPT_LIVE"  # "card" or "processor"; unset or "auto": by GL_RENDERER
_SHARE = 0.6  # of one thread's time at most: the loop, too, wants to get on


@dataclass(frozen=True)
class Format:
    width: int
    height: int
    shadows: bool = True
    samples: int = 8


@dataclass(frozen=True)
class Way:
    """`rate`: frames a second at most, of each view or of all views together."""

    words: str
    size: Format
    rate: float
    each: bool

    def pause(self, took: float, views: int) -> float:
        """Seconds from the beginning of a frame that took so long to draw to that of the next one."""
        return max(1 / (self.rate * (views if self.each else 1)), took / _SHARE)


CARD = Way("with shadows, at most 30 frames a second", Format(640, 480, shadows=True, samples=4), 30.0, True)
PROCESSOR = Way(
    "without shadows, at most 18 frames a second", Format(640, 480, shadows=False, samples=0), 18.0, False
)


def chosen() -> Way | None:
    """The way that DKPROMPT_LIVE names, None where the renderer decides. Raises BadValue."""
    word = os.environ.get(CHOICE, "").strip().lower()
    ways = {"": None, "auto": None, "card": CARD, "processor": PROCESSOR}
    if word not in ways:
        raise BadValue(f"{CHOICE} is {word!r}: set it to card, processor or auto, or leave it out.")
    return ways[word]


def way_of(renderer: str) -> Way:
    """Raises BadValue."""
    return chosen() or (CARD if gl.is_gpu(renderer) else PROCESSOR)


def in_words() -> str:
    """What draws here, and how the live view comes. Raises RobotError, BadValue."""
    context = gl.context(64, 64)
    try:
        context.make_current()
        renderer = gl.renderer()
    finally:
        context.free()
    why = (
        f"as {CHOICE} says" if chosen() else "a graphics card" if gl.is_gpu(renderer) else "no graphics card"
    )
    return f"{gl.backend()}, {renderer or 'unnamed'} ({why}): live view {way_of(renderer).words}"


if __name__ == "__main__":
    try:
        print(in_words())
    except (RobotError, BadValue) as error:
        sys.exit(str(error))
