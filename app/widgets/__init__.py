"""The panels and bars. Each has one `display(state)`, used live and in the replay."""
