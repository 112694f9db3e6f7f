"""Running a robot, or a part of one, in its own process: message framing and supervision."""
