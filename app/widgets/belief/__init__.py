"""The belief as a table."""
