"""Put an episode into plain values and text, for window and terminal. No Qt."""
