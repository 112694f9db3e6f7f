"""The paper's household: a true world (`world.py`) and a simulated kitchen that shows it."""
