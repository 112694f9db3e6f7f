"""PDDL text to values and back."""
