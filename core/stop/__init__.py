"""Stopping without the window: from another process, and when the screen no longer responds."""
