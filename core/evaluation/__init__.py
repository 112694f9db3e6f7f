"""Trials: many episodes without a window, paired across methods, and their results."""
