"""The questions of a turn as cards."""
