"""OpenGL without a window for the renderer process: EGL, else OSMesa; MUJOCO_GL overrides the choice."""

from __future__ import annotations

import os
import sys
from importlib import reload

from core.errors import RobotError


def select_backend() -> None:
    """Select the backend, also where mujoco is imported already and has made its own choice."""
    os.environ["MUJOCO_GL"] = os.environ.get("MUJOCO_GL") or "egl"
    os.environ.setdefault("PYOPENGL_PLATFORM", os.environ["MUJOCO_GL"])
    if "mujoco" in sys.modules:
        reload(sys.modules[sys.modules["mujoco"].Renderer.__module__].gl_context)


def unavailable_error(error: Exception) -> RobotError:
    return RobotError(
        f"The emulator's cameras have no OpenGL ({error}): install it with `apt-get install libegl1 "
        "libgl1-mesa-dri`, or set MUJOCO_GL=osmesa."
    )
