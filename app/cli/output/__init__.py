"""Print for people, as JSON, and an episode as it runs."""
