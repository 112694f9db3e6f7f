"""The cameras and their calibration."""
