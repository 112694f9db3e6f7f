"""Review logged episodes: list, replay, blind review, comparison, report."""
