"""Cameras and what they are calibrated by."""
