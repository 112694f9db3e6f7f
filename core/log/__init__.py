"""The episode log: every event is on disk as it happens, and stays readable. See docs/log.md."""
