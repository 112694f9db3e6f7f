"""The belief panel."""
