"""The geometry of an arm over a table: collisions, ways, grasps, places, and their rehearsal in physics."""
