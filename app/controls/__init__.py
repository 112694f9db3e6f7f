"""The small parts that every panel is built from."""
