"""What the commands print: for people, as JSON, and an episode as it runs."""
