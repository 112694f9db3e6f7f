"""Whole episodes through the protocol: the same as in one process, and readable to the end if it breaks."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from core import events as ev
from core.config import Settings
from core.episode import run_components
from core.errors import BadValue
from core.loop.gate import AutoOperator
from core.ports import StepStatus
from core.review.fork import fork_at_record, fork_factory
from core.stop_token import StopToken
from main import make_components
from tests.episodes import events_of
from tests.robots.remote.served import Served, serving
from tests.same_episodes import FOLDER, cases, digest, played


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with serving("kitchen", tmp_path_factory.mktemp("token")) as served:
        yield served


def through(server: Served, settings: Settings) -> Settings:
    options = {f"robot.{name}": value for name, value in server.options.items()}
    return replace(settings, robot="remote", options=options)


@pytest.mark.parametrize("every", [33, pytest.param(1, marks=pytest.mark.long)])
def test_that_the_same_seeds_give_the_same_episodes_as_in_one_process(every: int, server: Served) -> None:
    """Against what was recorded in one process: acts, questions, answers, beliefs, plans and endings."""
    expected = json.loads((FOLDER / "dkprompt.json").read_text(encoding="utf-8"))
    chosen = [(name, errs, through(server, settings)) for name, errs, settings in cases()][::every]
    assert len(chosen) >= 6
    different = sorted(name for name, errs, now in chosen if digest(played(now, errs)) != expected[name])
    assert not different, f"{len(different)} differ: {different[:5]}"


def test_that_an_episode_whose_robot_is_lost_ends_with_one_sentence(server: Served) -> None:
    parts = make_components(through(server, Settings(task="boil_water", pictures=False)))
    events, cancel = [], StopToken()
    for event in run_components(parts, AutoOperator(), cancel):
        events.append(event)
        if isinstance(event, ev.StepFinished) and len(events) < 100:
            session = server.server.session
            assert session is not None
            session.end("the test ends it")
    parts.close()
    (ended,) = [e for e in events if isinstance(e, ev.EpisodeEnded)]
    assert ended.true_goal is None
    assert ended.reason.count("is gone") == 1 and "end the episode, and connect again" in ended.reason
    assert [e.result.status for e in events if isinstance(e, ev.StepFinished)][1:] in (
        [],
        [StepStatus.HALTED],
    )


def test_that_a_fork_brings_the_world_there_back(server: Served) -> None:
    settings = through(server, Settings(task="halve_egg", pictures=False, seed=3))
    parts = make_components(settings)
    events = events_of(parts)
    parts.close()
    records = [ev.Record("e", n, 0.0, 0.0, event) for n, event in enumerate(events, 1)]
    steps = [r for r in records if isinstance(r.event, ev.StepFinished)]
    fork = fork_at_record(records, steps[1].number)
    assert len(fork.steps) == 2
    with pytest.raises(BadValue, match="Nobody has chosen the robot 'remote'"):  # but a log
        fork_factory(make_components)(fork)
    again = fork_factory(make_components)(replace(fork, is_robot_in_use=True))
    again.close()
    assert again.robot._now.truth == truth_after(events, settings, 2)  # type: ignore[attr-defined]


def truth_after(events: list[ev.Event], settings: Settings, steps: int) -> frozenset[object]:
    """The truth after so many steps in one process."""
    from tests.permitted import do

    parts = make_components(replace(settings, robot="kitchen", options={}))
    parts.permits.close()
    done = [e.step for e in events if isinstance(e, ev.StepFinished)][:steps]
    for step in done:
        do(parts.robot, step)
    truth = parts.robot.truth()  # type: ignore[attr-defined]
    parts.close()
    return truth


def test_that_it_is_in_the_log_what_it_is(server: Served, tmp_path: Path) -> None:
    parts = make_components(through(server, Settings(task="halve_egg", pictures=False)))
    started = next(iter(events_of(parts)))
    parts.close()
    assert isinstance(started, ev.EpisodeStarted)
    assert (started.settings["world"], started.settings["robot"]) == ("SIM", "remote")
    assert str(server.token_file.read_text().strip()) not in str(started.settings)
