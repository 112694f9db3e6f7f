"""The list of logged episodes."""
