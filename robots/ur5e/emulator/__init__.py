"""A UR5e's controller (PolyScope 5.15) without the arm: its four ports, and MuJoCo for what moves."""
