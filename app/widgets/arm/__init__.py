"""The robot's panel and all that an arm adds to it."""
