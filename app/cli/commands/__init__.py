"""One file a command: its options and its help."""
