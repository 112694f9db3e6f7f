"""Move the simulated robot: kinematics, the motions of the skills, playback of a transition."""
