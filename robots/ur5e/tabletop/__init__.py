"""The robot of the domain `tabletop`: find, pick and place with a UR5e, by what its cameras show."""
