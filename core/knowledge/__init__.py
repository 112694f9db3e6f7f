"""What is learnt about a domain while the robot works: changes as values, with the evidence for them."""
