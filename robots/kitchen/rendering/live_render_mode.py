"""How the live view is drawn: with shadows where a graphics card draws, and plainly where the processor does.

`python -m robots.kitchen.rendering.live_render_mode` says in one line which it is here; `doctor` asks it.
"""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass

from core.errors import BadValue, RobotError
from robots.kitchen.rendering import opengl

LIVE_ENV = "DKPROMPT_LIVE"  # "card" or "processor"; unset or "auto": by GL_RENDERER
_MAX_LOAD = 0.6  # of one thread's time at most: the loop, too, wants to get on


@dataclass(frozen=True)
class ImageFormat:
    width: int
    height: int
    shadows: bool = True
    samples: int = 8


@dataclass(frozen=True)
class LiveRenderMode:
    """`rate`: frames a second at most, of each view or of all views together."""

    description: str
    format: ImageFormat
    rate: float
    per_view: bool

    def frame_interval(self, took: float, views: int) -> float:
        """Seconds from the beginning of a frame that took so long to draw to that of the next one."""
        return max(1 / (self.rate * (views if self.per_view else 1)), took / _MAX_LOAD)


GPU_MODE = LiveRenderMode(
    "with shadows, at most 30 frames a second", ImageFormat(640, 480, shadows=True, samples=4), 30.0, True
)
CPU_MODE = LiveRenderMode(
    "without shadows, at most 18 frames a second",
    ImageFormat(640, 480, shadows=False, samples=0),
    18.0,
    False,
)


def forced_mode() -> LiveRenderMode | None:
    """The way that DKPROMPT_LIVE names, None where the renderer decides. Raises BadValue."""
    word = os.environ.get(LIVE_ENV, "").strip().lower()
    ways = {"": None, "auto": None, "card": GPU_MODE, "processor": CPU_MODE}
    if word not in ways:
        raise BadValue(f"{LIVE_ENV} is {word!r}: set it to card, processor or auto, or leave it out.")
    return ways[word]


def mode_for(renderer: str) -> LiveRenderMode:
    """Raises BadValue."""
    return forced_mode() or (GPU_MODE if opengl.is_gpu(renderer) else CPU_MODE)


def describe_mode() -> str:
    """What draws here, and how the live view comes. Raises RobotError, BadValue."""
    context = opengl.create_context(64, 64)
    try:
        context.make_current()
        renderer = opengl.renderer_name()
    finally:
        context.free()
    why = (
        f"as {LIVE_ENV} says"
        if forced_mode()
        else "a graphics card"
        if opengl.is_gpu(renderer)
        else "no graphics card"
    )
    return f"{opengl.backend()}, {renderer or 'unnamed'} ({why}): live view {mode_for(renderer).description}"


if __name__ == "__main__":
    try:
        print(describe_mode())
    except (RobotError, BadValue) as error:
        sys.exit(str(error))
