"""An episode without its overrides: the model's own answers, in a simulator, as a fork in the log."""

from __future__ import annotations

from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

import main
from core import events as ev
from core.belief import Answer, BeliefSource
from core.config import Settings
from core.errors import BadValue
from core.evaluation.outcome import run_trial
from core.events import EpisodeResult
from core.log.recorder import Recorder
from core.log.store import Store
from core.loop.episode_loop import run_episode
from core.loop.gate import AutoOperator
from core.operator import AnswerReview
from core.review.counterfactual import (
    PURPOSE,
    Counterfactual,
    find_counterfactual,
    first_override,
    fork_without_overrides,
)
from core.review.fork import fork_factory
from core.stop_token import StopToken
from tests.core.log import made

SETTINGS = Settings("halve_egg", robot="symbolic", seed=4, openness=0.0, max_steps=9)


@pytest.fixture
def log(tmp_path: Path) -> Path:
    return tmp_path / "log.db"


def overridden(log: Path, at: int = 3) -> list[ev.Record]:
    """A person says the opposite of the first answer of turn `at`, and keeps to the model otherwise."""

    class Person(AutoOperator):
        def review(self, review: AnswerReview) -> tuple[Answer, ...]:
            found = super().review(review)
            if found and found[0].turn == at:
                wrong = replace(found[0], verdict=found[0].verdict.opposite, source=BeliefSource.OPERATOR)
                return (wrong, *found[1:])
            return found

    with closing(main.make_components(SETTINGS)) as p, Recorder.open(log) as recorder:
        events = run_episode(
            p.task.name, p.task.problem, p.robot, p.answerer, p.planner, p.method,
            Person(p.robot.embodiment), StopToken(), p.settings.max_steps, p.settings.as_strings(),
            permits=p.permits,
        )  # fmt: skip
        return list(recorder.record_events(events))


def test_that_the_fork_begins_before_the_first_override_with_the_models_own_answers(log: Path) -> None:
    records = overridden(log)
    found = first_override(records)
    assert found is not None
    call = next(r for r in records if r.number == found.number)
    assert isinstance(call.event, ev.AnswersReceived) and found.answers == call.event.call.answers
    fork = fork_without_overrides(records)
    assert fork.parent_record == found.number - 1 and fork.as_strings()["purpose"] == PURPOSE
    assert "changed" not in fork.as_strings()
    assert fork.max_steps == SETTINGS.max_steps - len(fork.steps) and len(fork.steps) > 0


def test_that_it_runs_by_itself_and_is_found_again(log: Path) -> None:
    records = overridden(log)
    with Store.open(log) as store:
        assert find_counterfactual(store, records[0].episode) is None
    fork = fork_without_overrides(records)
    outcome = run_trial(fork_factory(main.make_components), fork, log)
    with Store.open(log) as store:
        found = find_counterfactual(store, records[0].episode)
        assert found is not None
        assert (found.episode, found.result.value) == (outcome.episode, outcome.result)
        assert found.steps == len(fork.steps) + outcome.steps and found.overrides == 1
        assert found.sentence.startswith("Without your override: ")
        assert store.summary(found.episode).parent == records[0].episode


def test_that_it_says_how_it_would_have_gone() -> None:
    failed = Counterfactual("id", EpisodeResult.STEP_LIMIT, False, 9, 2, EpisodeResult.SUCCEEDED)
    assert failed.sentence == "Without your 2 overrides: failed at step 9 (step limit)"
    same = replace(failed, result=EpisodeResult.SUCCEEDED, true_goal=True)
    assert same.sentence == "Without your 2 overrides: reached the goal too, after step 9"
    false = replace(same, true_goal=False, overrides=1)
    assert false.sentence == "Without your override: claimed the goal falsely after step 9"


def test_that_a_correction_counts_and_nothing_overridden_is_refused() -> None:
    recorder = Recorder.without_log()
    plain = list(recorder.record_events(made.episode(2)))
    with pytest.raises(BadValue, match="Nobody overrode"):
        fork_without_overrides(plain)
    turns = [e for e in made.episode(2, by="ada") if not isinstance(e, ev.AnswersReviewed)]
    corrected = list(Recorder.without_log().record_events(iter(turns)))
    found = first_override(corrected)
    assert found is not None and not found.answers
    assert isinstance(corrected[found.number - 1].event, ev.DecisionMade)
