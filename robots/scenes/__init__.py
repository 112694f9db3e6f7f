"""Two worlds on a table in 3-D: a puzzle to assemble, and arms that hand boxes over."""
