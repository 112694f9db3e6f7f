"""Sheets over the window: set-up, choosing, correcting, the goal, the keys. None is modal."""
