"""The MuJoCo simulation, and what follows from its geometry: visibility, free space, placements."""
