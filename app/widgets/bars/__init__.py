"""What always stands above and below the panels."""
