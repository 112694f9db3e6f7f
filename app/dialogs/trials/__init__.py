"""Trials from the window: many episodes in processes of their own, and the table as it fills."""
