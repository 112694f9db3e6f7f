"""One file for each command: its options and its help."""
