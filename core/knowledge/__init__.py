"""Learn about a domain while the robot works: proposed changes as values, with their evidence."""
