"""Training eyes: pictures with labels, the network, its report. Not part of the program (extra `train`)."""
