"""OmniGibson as the body of the household: its worker process, and everything decided on our side."""
