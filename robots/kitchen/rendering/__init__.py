"""Rendering the simulation offscreen, in a thread of its own."""
