"""The searches that a planner can be made of."""
