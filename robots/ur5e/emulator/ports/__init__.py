"""The emulated controller's network ports."""
