"""Analysis of logged episodes: align, fork, count. No Qt."""
