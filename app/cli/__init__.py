"""The command line: the same loop without a window. Imports neither Qt nor a robot."""
