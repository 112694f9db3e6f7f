"""The MuJoCo simulation, and what its geometry says: visibility, free space, placements."""
