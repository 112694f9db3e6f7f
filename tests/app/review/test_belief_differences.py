"""What two compared episodes believe differently."""

from __future__ import annotations

from app.review.compare_page import belief_differences, goal_differences
from core.belief import Belief, BeliefEntry, BeliefSource, Verdict
from core.episode_state import EpisodeState, GoalProbability
from tests.core.tiny import CLOSED, HOLDING, INSIDE


def belief(closed: float, inside: float, holding: Verdict) -> Belief:
    source = BeliefSource.MODEL
    return Belief().with_entries(
        [
            BeliefEntry(CLOSED, Verdict.YES, source, probability=closed),
            BeliefEntry(INSIDE, Verdict.YES, source, probability=inside),
            BeliefEntry(HOLDING, holding, source),
        ]
    )


def test_that_other_verdicts_and_probabilities_far_apart_differ() -> None:
    left, right = belief(0.95, 0.6, Verdict.NO), belief(0.7, 0.65, Verdict.YES)
    assert belief_differences(left, right) == (CLOSED, HOLDING)
    assert belief_differences(left, left) == ()


def test_that_the_goals_probability_of_both_is_told_where_one_says_it() -> None:
    plain = EpisodeState()
    sure = EpisodeState(goal_probabilities=(GoalProbability(3, 9.0, 0.67),))
    assert goal_differences(sure, plain) == "goal 67 %, –" and goal_differences(plain, plain) == ""
