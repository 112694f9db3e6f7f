"""The robot panel and the controls of an arm."""
