"""The goal's probability over an episode, as the review plots it. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import groupby

from app.presentation.likelihood import clamp_probability, fine_percent, goal_likelihood_text
from core.episode_state import EpisodeState
from core.methods.careful.claim_line import claim_line
from core.methods.careful.options import CarefulOptions
from core.methods.careful.policy import Careful


@dataclass(frozen=True)
class GoalProbabilitySeries:
    """`points` are (turn, probability), oldest first; `line` is where the method claims, None if unknown."""

    points: tuple[tuple[float, float], ...]
    line: float | None = None

    @property
    def now(self) -> float:
        return self.points[-1][1]

    @property
    def text(self) -> str:
        return goal_likelihood_text(self.now)

    @property
    def figure(self) -> str:
        return fine_percent(self.now)


def goal_probability_series(state: EpisodeState) -> GoalProbabilitySeries | None:
    """Return the curve, None where the method does not say how likely the goal is.

    Several points of a turn stand side by side, so that a question's effect shows.
    """
    found = state.goal_probabilities
    if not found:
        return None
    points: list[tuple[float, float]] = []
    for turn, told in groupby(found, lambda point: point.turn):
        shares = [clamp_probability(point.probability) for point in told]
        points += [(turn + i / len(shares), share) for i, share in enumerate(shares)]
    return GoalProbabilitySeries(tuple(points), _claim_line(state))


def _claim_line(state: EpisodeState) -> float | None:
    settings = state.started.settings if state.started else {}
    if settings.get("method") != Careful.name:
        return None
    values = {n.removeprefix("method."): v for n, v in settings.items() if n.startswith("method.")}
    try:
        return claim_line(CarefulOptions.model_validate(values))
    except ValueError:  # a log of another version
        return None
