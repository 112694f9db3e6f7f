"""The household's true world: the paper's ten skills, their constraints and situations. No physics."""
