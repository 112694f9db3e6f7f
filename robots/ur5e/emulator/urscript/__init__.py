"""URScript as far as the emulator runs it: read into small nodes, checked, interpreted a cycle at a time."""
