"""Put probabilities into words and figures for people. Pure."""

from __future__ import annotations

from core.belief import Verdict

LEAST_SURE, MOST_DOUBTED = 0.1, 0.9  # between them a fact is in doubt
WORDS = (
    (0.99, "almost surely reached"),
    (0.9, "very likely reached"),
    (0.6, "probably reached"),
    (0.4, "perhaps reached"),
    (0.1, "probably not reached"),
    (0.01, "hardly reached"),
)


def clamp_probability(probability: float) -> float:
    """Return the probability as one, whatever a log says; nan is 0."""
    return min(1.0, max(0.0, probability))


def is_doubtful(probability: float | None) -> bool:
    return probability is not None and LEAST_SURE <= probability <= MOST_DOUBTED


def verdict_probability(verdict: Verdict, probability: float | None) -> float | None:
    """Return the probability of a verdict about an atom of this probability, None if it is not known."""
    if probability is None or verdict is Verdict.UNKNOWN:
        return None
    return probability if verdict is Verdict.YES else 1 - probability


def percent(probability: float) -> str:
    """Return such as "67 %"; never 0 or 100 for what is not quite sure."""
    probability = clamp_probability(probability)
    if probability in (0.0, 1.0):
        return f"{100 * probability:.0f} %"
    return f"{min(99, max(1, round(100 * probability)))} %"


def fine_percent(probability: float) -> str:
    """Return such as "98.3 %": with a decimal where it matters, near 0 and 1."""
    probability = clamp_probability(probability)
    if 0.02 < probability < 0.98 or probability in (0.0, 1.0):
        return percent(probability)
    return f"{min(99.9, max(0.1, 100 * probability)):.1f} %"


def goal_likelihood_text(probability: float) -> str:
    """Return in words how likely the goal is reached."""
    return next((words for least, words in WORDS if probability >= least), "not reached")
