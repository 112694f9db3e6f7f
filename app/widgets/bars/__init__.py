"""The bars above and below the panels."""
