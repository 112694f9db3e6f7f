"""The search engines that a planner can use."""
