"""Live video and its segments."""
