"""How the simulated robot moves: kinematics, motions of the skills, playback of a transition."""
