"""Episodes for other programs and for people: JSON Lines, CSV, one HTML file."""
