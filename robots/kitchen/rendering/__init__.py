"""Offscreen rendering of the simulation, in a thread of its own."""
