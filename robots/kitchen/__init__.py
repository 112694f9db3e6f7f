"""The paper's household: a true world (`household`) and a simulated kitchen that shows it."""
