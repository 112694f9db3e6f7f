"""Hypotheses go through the log into replay and fork as they were, on the domain of `tiny`."""

from __future__ import annotations

from dataclasses import replace

from core import events as ev
from core.belief import Belief, Hypothesis
from core.log.codec import read_record, write_record
from core.methods.careful.options import CarefulOptions
from core.methods.careful.policy import Careful
from core.planning.planner import make_planner
from core.review.replay import EpisodeReplay
from core.state.state_reducer import EpisodeState, apply_record
from tests.core import tiny
from tests.core.methods.careful.conftest import Stated


def careful() -> Careful:
    folder, options = tiny.folder(0.5, 0.3), CarefulOptions(operator_cost=0)
    return Careful(folder, tiny.PROBLEM, make_planner(), Stated(0.7, 0.3), options)


def logged(events: list[ev.Event]) -> list[ev.Record]:
    """The records as a log gives them back."""
    records = [ev.Record("e", n, float(n), float(n), event) for n, event in enumerate(events)]
    return [read_record(write_record(record)) for record in records]


def test_that_a_replay_shows_the_stories_of_every_moment(setting) -> None:
    events = setting(policy=careful(), open_fails=0.5, take_fails=0.3, seed=2).run()
    records, state, live = logged(events), EpisodeState(), []
    for record in records:
        state = apply_record(state, record)
        live.append((state.belief.hypotheses, state.goal_probabilities))
    assert any(len(hypotheses) > 1 for hypotheses, _ in live)
    tape = EpisodeReplay(records)
    for index in (len(records), len(records) // 2, 1):  # backwards, from the cached states
        again = tape.state_at(index)
        assert (again.belief.hypotheses, again.goal_probabilities) == live[index - 1]
        assert again.belief.probability_that(tiny.PROBLEM.is_goal) == live[index - 1][1][-1].probability


def test_that_a_fork_begins_with_the_hypotheses_of_its_moment_and_says_so_in_its_log(setting) -> None:
    start = tiny.PROBLEM.state
    taken = Hypothesis(0.6, tuple(sorted(start ^ {tiny.HOLDING})))
    belief = replace(Belief.from_init(start), hypotheses=(taken, Hypothesis(0.4)))
    forked = replace(setting(policy=careful(), open_fails=0.5), first_belief=belief)
    records = logged(forked.run())
    begun = apply_record(EpisodeState(), records[0])
    assert [h.probability for h in begun.belief.hypotheses] == [0.6, 0.4]
    assert begun.goal_probabilities[0].probability == 0.6
    sensed = next(r.event for r in records if isinstance(r.event, ev.BeliefChanged))
    assert sensed.hypotheses is not None and len(sensed.hypotheses) == 1  # the hand is empty: not taken


def test_that_a_log_from_before_hypotheses_begins_without() -> None:
    started = ev.EpisodeStarted("get_key", "doors", (), tiny.PROBLEM.goal, (), {})
    text = write_record(ev.Record("e", 0, 0.0, 0.0, replace(started, hypotheses=(Hypothesis(1.0),))))
    old = text.replace(',"hypotheses":[{"probability":1.0,"flipped":[],"notes":{}}]', "")
    assert old != text and read_record(old).event == started
