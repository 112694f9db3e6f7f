"""The scene's description, and the MuJoCo model that is built from it."""
