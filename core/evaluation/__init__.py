"""Trials: many episodes without a window, paired across methods, and what came of them."""
