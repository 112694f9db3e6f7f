"""Choose how the live view is drawn: with shadows on a graphics card, without them on the processor.

`python -m robots.kitchen.rendering.live_render_mode` prints in one line which it is here, for `doctor`.
"""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass

from core.errors import BadValue, RobotError
from robots import opengl

LIVE_ENV = "DKPROMPT_LIVE"  # "card" or "processor"; unset or "auto": chosen by GL_RENDERER
_MAX_LOAD = 0.6  # greatest share of one thread's time, so that the loop gets on as well


@dataclass(frozen=True)
class ImageFormat:
    width: int
    height: int
    shadows: bool = True
    samples: int = 8


@dataclass(frozen=True)
class LiveRenderMode:
    """A mode of drawing. `rate` is the most frames a second, of each view or of all views together."""

    description: str
    format: ImageFormat
    rate: float
    per_view: bool

    def frame_interval(self, took: float, views: int) -> float:
        """Return the seconds from the start of a frame, which took `took`, to the start of the next one."""
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
    """Return the mode that DKPROMPT_LIVE names, None if the renderer decides. Raises BadValue."""
    word = os.environ.get(LIVE_ENV, "").strip().lower()
    modes = {"": None, "auto": None, "card": GPU_MODE, "processor": CPU_MODE}
    if word not in modes:
        raise BadValue(f"{LIVE_ENV} is {word!r}: set it to card, processor or auto, or leave it out.")
    return modes[word]


def mode_for(renderer: str) -> LiveRenderMode:
    """Return the mode for this GL_RENDERER, or the forced one. Raises BadValue."""
    return forced_mode() or (GPU_MODE if opengl.is_gpu(renderer) else CPU_MODE)


def describe_mode() -> str:
    """Describe what draws here and how the live view is drawn. Raises RobotError, BadValue."""
    context = opengl.create_context(64, 64)
    try:
        context.make_current()
        renderer = opengl.renderer_name()
    finally:
        context.free()
    reason = "a graphics card" if opengl.is_gpu(renderer) else "no graphics card"
    reason = f"as {LIVE_ENV} says" if forced_mode() else reason
    mode = mode_for(renderer).description
    return f"{opengl.backend()}, {renderer or 'unnamed'} ({reason}): live view {mode}"


if __name__ == "__main__":
    try:
        print(describe_mode())
    except (RobotError, BadValue) as error:
        sys.exit(str(error))
