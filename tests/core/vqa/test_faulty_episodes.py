"""Whole episodes against a model that fails in every way: no crash, and nothing unreadable is believed."""

from dataclasses import replace

import pytest

from core import events as ev
from core.belief import BeliefSource, Verdict
from core.config import Settings
from core.ports import GroundTruth
from core.vqa.budget import RetryPolicy
from core.vqa.mock.faults import LASTING, Fault, parse_faults
from core.vqa.mock.mock_server import MockServer
from core.vqa.registry import ModelSettings, make_answerer
from main import make_components
from tests.core.vqa.conftest import Serve
from tests.episodes import events_of
from tests.sampling import some

PATIENCE = RetryPolicy(timeout=20, total_timeout=60, max_attempts=3, initial_backoff=0.001, max_backoff=0.002)
HASTY = replace(PATIENCE, timeout=0.1, max_attempts=2)
EVERY_FAULT = [fault for fault in Fault if fault is not Fault.NONE]


def events(
    server: MockServer,
    patience: RetryPolicy = PATIENCE,
    seed: int = 1,
    openness: float = 0.0,
    max_steps: int = 12,
) -> list[ev.Event]:
    parts = make_components(
        Settings("halve_egg", robot="symbolic", seed=seed, openness=openness, max_steps=max_steps)
    )
    try:
        assert isinstance(parts.robot, GroundTruth)
        answerer = make_answerer(server.url, truth=parts.robot, asking=ModelSettings(retry_policy=patience))
        return events_of(replace(parts, answerer=answerer))
    finally:
        parts.close()


def calls(happened: list[ev.Event]) -> list[ev.AnswersReceived]:
    return [event for event in happened if isinstance(event, ev.AnswersReceived)]


@pytest.mark.parametrize("fault", some(EVERY_FAULT, 9))
def test_that_an_episode_survives_a_model_that_always_fails(serve: Serve, fault: Fault) -> None:
    server = serve(faults=lambda call: fault, delay=0.2 if fault is Fault.DELAY else 0.001)
    happened = events(server, HASTY if fault is Fault.DELAY else PATIENCE)
    assert isinstance(happened[-1], ev.EpisodeEnded)
    assert happened[-1].result is not ev.EpisodeResult.CRASHED
    assert calls(happened)
    for event in calls(happened):
        assert {answer.verdict for answer in event.call.answers} == {Verdict.UNKNOWN}
        assert event.call.error
    assert happened[-1].result is not ev.EpisodeResult.SUCCEEDED
    changes = [entry for event in happened if isinstance(event, ev.BeliefChanged) for entry in event.changes]
    assert not [entry for entry in changes if entry.source is BeliefSource.MODEL]


@pytest.mark.parametrize("fault", some((fault for fault in EVERY_FAULT if fault not in LASTING), 12))
def test_that_a_fault_now_and_then_changes_nothing_but_time(serve: Serve, fault: Fault) -> None:
    happened = events(serve(faults=lambda call: fault if call % 2 else Fault.NONE, delay=0.001))
    last = happened[-1]
    assert isinstance(last, ev.EpisodeEnded)
    assert last.true_goal is True
    for event in calls(happened):
        assert Verdict.UNKNOWN not in {answer.verdict for answer in event.call.answers}


@pytest.mark.long
def test_that_a_thousand_random_faults_in_a_row_break_no_episode(serve: Serve) -> None:
    passing = [fault for fault in EVERY_FAULT if fault not in LASTING]
    share = 0.9 / len(passing)
    faults = parse_faults(",".join(f"{fault.value}={share}" for fault in passing), seed=7)
    met: list[Fault] = []

    def count(call: int) -> Fault:
        met.append(faults(call))
        return met[-1]

    server = serve(faults=count, delay=0.002)
    seed = 0
    while sum(fault is not Fault.NONE for fault in met) < 1000:
        seed += 1
        happened = events(server, seed=seed, openness=1.0, max_steps=30)
        assert isinstance(happened[-1], ev.EpisodeEnded)
        assert happened[-1].result is not ev.EpisodeResult.CRASHED
        assert all(event.call.raw_reply or event.call.error for event in calls(happened))
    assert set(met) == set(Fault) - set(LASTING)
