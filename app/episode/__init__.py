"""One episode on a thread of its own, and what the window may see of it."""
