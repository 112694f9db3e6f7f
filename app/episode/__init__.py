"""Run an episode and follow its state, without Qt."""
