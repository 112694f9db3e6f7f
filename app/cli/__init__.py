"""The command line: the same loop without a window. Knows no Qt and no robot."""
