"""The mock endpoint, for practice without a key."""
