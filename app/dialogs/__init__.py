"""The dialogs over the window: set-up, step, belief, goal, prompts, keys. None is modal."""
