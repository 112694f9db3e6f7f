"""A robot that runs the semantics of any domain and draws a plain picture of the facts."""
