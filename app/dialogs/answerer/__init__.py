"""The answerer's fields in the set-up dialog, and the test of a model."""
