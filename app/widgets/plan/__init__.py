"""The plan panel."""
