"""Methods: each is a policy in its own file, chosen by name in `registry.py`."""
