"""How the simulated robot moves: kinematics, the motions of the skills, playback of a transition."""
