"""What a person wishes: a partial plan and tests, compiled into a planning problem."""
