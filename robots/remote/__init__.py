"""A robot, or a part of one, in a process of its own: how messages are framed and who watches over it."""
