"""Reach a model behind an OpenAI-compatible endpoint."""
