"""An eye of our own: a small network that answers the questions of one domain from the picture."""
