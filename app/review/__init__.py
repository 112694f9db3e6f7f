"""Going through logged episodes: the list, replay, blind review, compare, charts."""
