"""Who answers: the fields of the set-up dialog, and the test of a model."""
