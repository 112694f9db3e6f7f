"""PDDL in and out, what a step means, and the search for plans."""
