"""The method `careful`: a belief over whole states, and questions that are worth their price."""
