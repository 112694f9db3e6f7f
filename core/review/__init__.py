"""What is made of logged episodes afterwards: aligned, forked, counted. No Qt."""
