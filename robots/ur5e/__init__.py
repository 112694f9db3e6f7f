"""A UR5e with a Robotiq Hand-E: the driver, an emulated controller to practise on, and the tabletop robot."""
