"""The episode loop and the gate that every motion passes."""
