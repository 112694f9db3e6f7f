"""The geometry of an arm over a table: collisions, ways, grasps, places, and their rehearsal in physics."""

import ctypes
from contextlib import suppress

from robots.ur5e.emulator import gl

with suppress(OSError):  # where there is no EGL, there are no pictures, and all else works
    ctypes.CDLL("libEGL.so.1")
    gl.select_backend()  # before anything here imports mujoco
