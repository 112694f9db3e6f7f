"""Grippers: one file of numbers each, and the protocols that drive them."""
