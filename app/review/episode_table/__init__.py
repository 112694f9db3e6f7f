"""The table of episodes: sorted, filtered, grouped, with each figure and its interval."""
