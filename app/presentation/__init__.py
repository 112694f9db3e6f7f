"""What is shown, as plain values and words worked out of the episode. No Qt."""
