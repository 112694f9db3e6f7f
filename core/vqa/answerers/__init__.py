"""The answerers: of a model, simulated, recorded or scripted."""
