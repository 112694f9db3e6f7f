"""The robot of the domain `tabletop`: find, pick and place with a UR5e, guided by its cameras."""
