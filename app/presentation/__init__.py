"""What is shown of an episode, as plain values and text. No Qt."""
