"""Methods: each a policy in a file of its own, chosen by name in `registry.py`."""
