"""A symbolic robot in an open world: more is at hand, and more comes between, than its domain says."""
