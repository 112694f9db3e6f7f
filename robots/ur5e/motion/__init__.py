"""The geometry of an arm over a table: collisions, ways, grasps, places, and their rehearsal in physics."""

from robots.ur5e.emulator import gl

gl.select_backend()  # before anything here imports mujoco
