"""The episode log: every event on disk as it happens, and readable for good. See docs/log.md."""
