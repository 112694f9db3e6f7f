"""A domain's open world: what is at hand beyond its problem, and what may come between."""
