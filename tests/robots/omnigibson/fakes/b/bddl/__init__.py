"""The package of activities."""
