"""Search for the grasps, places and ways of a plan. Knows no robot."""
