"""The geometry of an arm over a table: collisions, ways, grasps, places, and their rehearsal in physics."""

import ctypes
from contextlib import suppress

from robots import opengl

with suppress(OSError):  # where there is no EGL, there are no pictures, and all else works
    ctypes.CDLL("libEGL.so.1")
    opengl.select_backend()  # before anything here imports mujoco
