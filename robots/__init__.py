"""The robots, one folder each. A robot depends on core's values and ports, and on no other robot."""
