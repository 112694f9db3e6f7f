"""Draft a PDDL domain from rules and a picture, and tell how far it agrees with the world."""
