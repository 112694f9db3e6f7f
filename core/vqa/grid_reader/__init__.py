"""Read a picture of a grid without any training: its size, its groups of like cells, each named once."""
