"""URScript as far as the emulator supports it: parsed into small nodes, checked, run cycle by cycle."""
