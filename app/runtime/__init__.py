"""Handle signals, exceptions, garbage collection and memory for the whole process."""
