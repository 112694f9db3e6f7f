"""Export of episodes for other programs and for people: JSON Lines, CSV, HTML, MCAP, video."""
