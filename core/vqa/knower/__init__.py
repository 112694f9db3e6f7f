"""Simulated language models that are asked about a domain, as the method COWP asks them."""
