"""PDDL reading and writing, the semantics of steps, and the search for plans."""
