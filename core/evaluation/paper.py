"""The papers' results, for comparison with our own: Zhang et al., Table 5, and COWP (Ding et al. 2023)."""

from __future__ import annotations

from collections.abc import Mapping
from statistics import fmean

TASKS = ("boil_water", "bring_in_bottles", "cook_frozen_pie", "halve_egg", "store_firewood")
MAIN_PROFILE = "paper-gpt4"  # the profile that simulates the paper's main model
METHODS = ("dkprompt", "vlm-planner", "classical", "aff-qa", "suc-qa", "suc-aff-qa", "eff-only", "pre-only")

_COUNTS: dict[tuple[str, str], tuple[tuple[int, int], ...]] = {  # successes of trials, in the order of TASKS
    ("dkprompt", "paper-gpt4"): ((12, 18), (18, 20), (14, 23), (15, 20), (8, 20)),
    ("vlm-planner", "paper-gpt4"): ((1, 20), (2, 34), (0, 20), (0, 19), (0, 22)),
    ("classical", "paper-gpt4"): ((5, 35), (3, 11), (4, 30), (8, 30), (1, 25)),
    ("aff-qa", "paper-gpt4"): ((4, 28), (11, 20), (7, 20), (10, 20), (5, 20)),
    ("suc-qa", "paper-gpt4"): ((7, 18), (18, 20), (10, 20), (12, 20), (4, 20)),
    ("suc-aff-qa", "paper-gpt4"): ((8, 20), (12, 16), (11, 20), (13, 20), (7, 20)),
    ("eff-only", "paper-gpt4"): ((15, 30), (15, 16), (4, 15), (10, 15), (7, 25)),
    ("pre-only", "paper-gpt4"): ((3, 17), (15, 20), (7, 20), (11, 20), (5, 20)),
    ("dkprompt", "paper-gemini"): ((7, 20), (14, 20), (6, 20), (9, 20), (8, 20)),
    ("dkprompt", "paper-claude"): ((5, 20), (12, 28), (4, 14), (10, 20), (3, 13)),
}
COWP_TABLE_4: Mapping[str, tuple[float, float]] = {  # per cent of completed tasks, of handled situations
    "cowp": (67.8, 36.9),
    "progprompt": (61.8, 30.1),
    "inner-monologue": (54.0, 22.1),
    "ek": (55.1, 17.3),
    "cw": (44.3, 0.0),
    "lmzsp": (10.2, 0.0),
}


def counts(method: str, profile: str, task: str) -> tuple[int, int] | None:
    """Return the paper's successes and trials, None if it reports none."""
    found = _COUNTS.get((method, profile))
    return found[TASKS.index(task)] if found and task in TASKS else None


def average(method: str, profile: str) -> float | None:
    """Return the paper's average over the five tasks, in per cent, as printed."""
    found = _COUNTS.get((method, profile))
    return round(100 * fmean(won / of for won, of in found), 1) if found else None
