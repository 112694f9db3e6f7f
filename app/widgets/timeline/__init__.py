"""The time axis and its tracks."""
