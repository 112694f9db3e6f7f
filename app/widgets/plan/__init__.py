"""The plan's steps, and what a new plan changes."""
