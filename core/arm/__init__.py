"""Define what an arm may offer beyond the Robot protocol."""
