"""Hypotheses in words, and the probability of the goal, for people."""

from __future__ import annotations

from dataclasses import replace
from types import MappingProxyType

import pytest

from app.presentation.hypothesis_rows import SAME, goal_probability_series, hypothesis_rows
from app.presentation.likelihood import fine_percent, goal_likelihood_text, is_doubtful, percent
from core import events as ev
from core.belief import Atom, Belief, BeliefEntry, BeliefSource, Hypothesis, Verdict
from core.episode_state import EpisodeState
from core.planning_model import Literal
from core.state.state_reducer import fold_records
from core.text.vocabulary import Vocabulary
from tests.core import tiny
from tests.core.tiny import CLOSED, EMPTY, HOLDING, INSIDE

FOLDER = tiny.folder()
SAYS = {"closed": "the {0} is closed", "inside": "the {0} is behind the {1}", "holding": "the {0} is in hand"}
SPOKEN = replace(
    FOLDER,
    predicate_specs={
        name: replace(spec, statement=SAYS.get(name, "")) for name, spec in FOLDER.predicate_specs.items()
    },
)
WORDS = Vocabulary.of(SPOKEN, tiny.PROBLEM)
STARTED = ev.EpisodeStarted("get_key", "doors", (), tiny.PROBLEM.goal, ())
TAKEN = (EMPTY, HOLDING, INSIDE)  # what differs where the key was not taken


def told(*hypotheses: Hypothesis, since: int = 1) -> EpisodeState:
    """A state after a step that should have taken the key."""
    entries = [
        BeliefEntry(HOLDING, Verdict.YES, BeliefSource.PREDICTED, since),
        BeliefEntry(INSIDE, Verdict.NO, BeliefSource.PREDICTED, since),
        BeliefEntry(EMPTY, Verdict.NO, BeliefSource.PREDICTED, since),
    ]
    belief = replace(Belief().with_entries(entries), hypotheses=hypotheses)
    return EpisodeState(started=STARTED, belief=belief)


def noted(p: float, flipped: tuple[Atom, ...] = (), steps: float = 2.0) -> Hypothesis:
    return Hypothesis(p, flipped, MappingProxyType({"steps": steps}))


def test_that_a_story_says_what_is_different_in_it_and_what_remains_to_be_done() -> None:
    first, other = hypothesis_rows(told(noted(0.7, steps=0), noted(0.3, TAKEN)), WORDS)
    assert first.differences[0] == "the key is in hand" and first.cost == "goal reached"
    assert other.differences[0] == "the key is still not in hand"
    assert "the key is still behind the door" in other.differences and other.cost == "2.0 steps to go"


def test_that_what_was_never_expected_to_change_is_not_said_to_be_so_still() -> None:
    state = told(Hypothesis(0.6), Hypothesis(0.4, (CLOSED,)))
    briefs = [row.brief for row in hypothesis_rows(state, WORDS)]
    assert briefs == [
        "the door is open",
        "the door is closed",
    ]


def test_that_what_follows_from_a_likelier_story_is_told_from_the_first_one() -> None:
    """A belief's state need not be its likeliest hypothesis."""
    state = told(Hypothesis(0.45, TAKEN), Hypothesis(0.3), Hypothesis(0.25, (CLOSED,)))
    first, _, third = hypothesis_rows(state, WORDS)
    assert not first.reached and "the key is in hand" in third.differences[0]


def test_that_no_two_stories_read_the_same() -> None:
    """Of an empty hand the folder has no words."""
    state = told(Hypothesis(0.6), Hypothesis(0.3, (HOLDING,)), Hypothesis(0.1, (HOLDING, EMPTY)))
    _, second, third = hypothesis_rows(state, WORDS)
    assert second.brief == "the key is still not in hand"
    assert third.brief.startswith(f"{second.brief}, ") and "empty" in third.brief


def test_that_no_story_is_told_of_a_belief_without_hypotheses_and_at_most_four_of_others() -> None:
    assert hypothesis_rows(told(), WORDS) == ()
    many = [Hypothesis(0.2, (Atom("at", (str(n),)),)) for n in range(5)]
    assert len(hypothesis_rows(told(*many), WORDS)) == 4
    sure = hypothesis_rows(told(Hypothesis(0.995), Hypothesis(0.005, TAKEN)), WORDS)
    assert len(sure) == 1 and sure[0].brief == SAME


def test_that_a_story_with_no_way_to_the_goal_says_so() -> None:
    hopeless = hypothesis_rows(told(noted(0.6, TAKEN, 40.0), noted(0.4)), WORDS)[0]
    assert hopeless.cost == "no way to the goal"


@pytest.mark.parametrize(
    ("p", "said"),
    [(0, "0 %"), (1, "100 %"), (0.001, "1 %"), (0.9996, "99 %"), (0.674, "67 %"), (float("nan"), "0 %")],
)
def test_that_nothing_is_called_sure_that_is_not(p: float, said: str) -> None:
    assert percent(p) == said


@pytest.mark.parametrize(("p", "said"), [(0.9834, "98.3 %"), (0.99999, "99.9 %"), (7, "100 %")])
def test_that_a_claim_has_a_decimal(p: float, said: str) -> None:
    assert fine_percent(p) == said


def test_that_doubt_lies_between_a_tenth_and_nine_tenths() -> None:
    assert [is_doubtful(p) for p in (None, 0.05, 0.1, 0.9, 0.95)] == [False, False, True, True, False]
    assert goal_likelihood_text(0.98) == "very likely reached" and goal_likelihood_text(0) == "not reached"


def record(number: int, event: ev.Event) -> ev.Record:
    return ev.Record("e", number, 0.0, float(number), event)


def test_that_the_goals_probability_is_followed_through_the_episode() -> None:
    goal_missed = Hypothesis(0.4, (HOLDING,))
    belief = (BeliefEntry(HOLDING, Verdict.YES, BeliefSource.PREDICTED, 1),)
    state = fold_records(
        [
            record(0, replace(STARTED, hypotheses=(Hypothesis(1.0),))),
            record(1, ev.BeliefChanged(1, belief, (), (Hypothesis(0.6), goal_missed))),
            record(2, ev.BeliefChanged(1, (), (), (Hypothesis(0.6), goal_missed))),
            record(3, ev.BeliefChanged(1, (), (), (Hypothesis(0.9), Hypothesis(0.1, (HOLDING,))))),
        ]
    )
    assert [point.probability for point in state.goal_probabilities] == [0, 0.6, 0.9]
    assert state.belief.probability_that(tiny.PROBLEM.is_goal) == 0.9
    curve = goal_probability_series(state)
    assert curve is not None and curve.figure == "90 %" and curve.line is None


def test_that_a_negative_goal_counts_where_it_does_not_hold() -> None:
    shut = replace(STARTED, goal=(Literal("closed", ("door",), False),))
    state = fold_records([record(0, replace(shut, hypotheses=(Hypothesis(0.7), Hypothesis(0.3, (CLOSED,)))))])
    assert state.goal_probabilities[-1].probability == 0.7


def test_that_the_claim_line_follows_the_price_of_a_false_claim() -> None:
    def line(**options: str) -> float | None:
        settings = {"method": "careful", **{f"method.{name}": v for name, v in options.items()}}
        started = replace(STARTED, hypotheses=(Hypothesis(1.0),), settings=settings)
        curve = goal_probability_series(fold_records([record(0, started)]))
        assert curve is not None
        return curve.line

    assert line(false_claim_cost="300") == pytest.approx(0.99)
    assert line(false_claim_cost="3000") == pytest.approx(0.999)
    assert line(false_claim_cost="no number") is None
