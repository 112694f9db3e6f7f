"""The Qt window, and the command line in `app.cli`."""
