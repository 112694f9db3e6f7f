"""Read what a model replied."""
