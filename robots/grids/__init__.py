"""Six grid worlds whose rules are known: a simulator of words, a picture, and a robot for each."""
