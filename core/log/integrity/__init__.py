"""Check, repair and salvage logs, and reject hostile ones."""
