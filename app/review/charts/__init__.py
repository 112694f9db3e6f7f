"""Charts over many episodes."""
