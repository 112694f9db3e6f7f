"""An emulated UR5e controller (PolyScope 5.15): its network ports, with MuJoCo in place of the arm."""
