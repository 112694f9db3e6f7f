"""Robots that fulfil wishes on a table, in physics or through an arm: what they see, do and know."""

import robots.ur5e.motion  # noqa: F401 (chooses how pictures are drawn, before anything here imports mujoco)
