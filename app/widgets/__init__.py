"""The panels and bars. Each has one `display(story)`, used live and in the replay."""
