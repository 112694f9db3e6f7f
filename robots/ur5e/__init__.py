"""A UR5e with a Robotiq Hand-E: the driver, a controller to practise on, and the tabletop robot."""
