"""A robot that runs any domain's own semantics, and paints a plain picture of the facts."""
