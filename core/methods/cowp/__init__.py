"""COWP (Ding et al. 2023): a planner whose domain grows by common sense, and the paper's baselines."""
