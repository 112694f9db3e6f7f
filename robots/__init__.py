"""Everything that moves, one folder each. A robot knows core's values and ports, and no other robot."""
