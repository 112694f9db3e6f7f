"""Trials on several processes: the same rows whatever their number, and nothing lost but what died."""

from __future__ import annotations

import os
import signal
import sqlite3
import time
from collections.abc import Callable, Generator, Iterable, Mapping
from contextlib import closing, suppress
from dataclasses import replace
from importlib.util import find_spec
from multiprocessing import get_context
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

from core.errors import BadFile, BadValue, MissingPackage
from core.evaluation.bench import check_design, run_design
from core.evaluation.job import J, JobStore, run_job
from core.evaluation.outcome import run_trial
from core.evaluation.ray_cluster import RayCluster
from core.evaluation.table import Results
from core.evaluation.trial import TRIALS, EpisodeRunner
from core.evaluation.workers import LocalProcesses
from core.log.recorder import Recorder
from core.log.store import Store
from core.vqa.mock.mock_server import MockServer
from core.vqa.mock.reply_sources import prompt_and_picture
from core.vqa.rate_limit import RateLimit
from tests.core.evaluation import tiny_trials as tiny
from tests.core.evaluation.tiny_trials import BREAKING, DYING


class ThisProcess:
    """An `Executor` without a process of its own, for what does not depend on one."""

    def run(self, jobs: Iterable[J]) -> Generator[tuple[J, Any], None, None]:
        kept: dict[object, Any] = {}
        for job in jobs:
            yield job, run_job(job, kept)


def results(path: Path, make=tiny.make, workers: int = 0, resume: bool = False, trials: int = 8) -> Results:
    executor = LocalProcesses(workers) if workers else ThisProcess()
    with JobStore(path, TRIALS) as store:
        return run_design(tiny.design(trials), EpisodeRunner(make), store, executor, resume)


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Results:
    """What one process finds."""
    return results(tmp_path_factory.mktemp("whole") / "trials.db")


@pytest.fixture(scope="module")
def broken(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Results]:
    """What two processes find, one of which dies, and where it is stored."""
    path = tmp_path_factory.mktemp("broken") / "trials.db"
    return path, results(path, tiny.make_or_die, 2)


def test_that_a_process_that_dies_costs_its_trial_only_and_the_others_are_as_with_one(
    broken: tuple[Path, Results], whole: Results
) -> None:
    _, found = broken
    lost = {(t.cell.method, t.seed): why for t, why in found.lost.items()}
    assert set(lost) == {DYING, BREAKING}
    assert "died (exit code -9)" in lost[DYING] and "RuntimeError: no luck" in lost[BREAKING]
    left = {t: replace(o, seconds=0, planning_seconds=0) for t, o in found.outcomes.items()}
    other = {t: replace(o, seconds=0, planning_seconds=0) for t, o in whole.outcomes.items()}
    assert left.items() <= other.items() and len(left) == len(other) - 2
    assert [(row.trials, row.lost) for row in found.rows()] == [(7, 1), (7, 1)]


@pytest.mark.long
def test_that_what_is_finished_is_taken_over_and_only_the_rest_is_played(
    broken: tuple[Path, Results], whole: Results
) -> None:
    path, first = broken
    second = results(path, workers=1, resume=True)
    assert not second.lost
    assert second.as_json() == whole.as_json(), "the rows are the same whatever the number of processes"
    assert [row["trials"] for row in whole.as_json()] == [8, 8]
    assert 0 < whole.rows()[0].successes < 8 or 0 < whole.rows()[1].successes < 8  # luck takes part
    kept = {trial: second.outcomes[trial] for trial in first.outcomes}
    assert kept == dict(first.outcomes)  # with their seconds: none of them was played again
    third = results(path, tiny.make_nothing, resume=True)
    assert third.outcomes == second.outcomes and not third.lost


@pytest.mark.long  # that it kills itself, as above, comes to the same
def test_that_a_process_that_is_killed_in_a_trial_costs_that_trial_only(
    tmp_path: Path, whole: Results, monkeypatch: pytest.MonkeyPatch
) -> None:
    pid = tmp_path / "pid"
    monkeypatch.setenv("TINY_PID", str(pid))

    def kill() -> None:
        while not pid.exists():
            time.sleep(0.01)
        os.kill(int(pid.read_text()), signal.SIGKILL)

    killer = Thread(target=kill, daemon=True)
    killer.start()
    found = results(tmp_path / "a.db", tiny.make_or_wait, 2)
    assert {(t.cell.method, t.seed): why for t, why in found.lost.items()} == {
        DYING: "Its process died (exit code -9)."
    }
    assert set(whole.outcomes) - set(found.outcomes) == set(found.lost)
    again = results(tmp_path / "a.db", resume=True)
    assert again.as_json() == whole.as_json()


def test_that_a_process_in_a_long_trial_ends_with_the_one_that_started_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pid = tmp_path / "pid"
    monkeypatch.setenv("TINY_PID", str(pid))
    bench = get_context("spawn").Process(target=results, args=(tmp_path / "a.db", tiny.make_or_wait, 1))
    bench.start()
    try:
        wait_for(pid.exists)
    finally:
        bench.kill()
        bench.join()
    wait_for(lambda: not runs(int(pid.read_text())))


def runs(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def wait_for(so: Callable[[], bool], seconds: float = 60) -> None:
    end = time.monotonic() + seconds
    while not so():
        assert time.monotonic() < end
        time.sleep(0.02)


@pytest.mark.long
def test_that_workers_share_the_rate_of_calls(tmp_path: Path) -> None:
    times: list[float] = []

    class Skipping:
        name = "skipping"

        def reply(self, body: Mapping[str, Any]) -> str:
            times.append(time.monotonic())
            return ";".join(["skip"] * max(1, prompt_and_picture(body)[0].count("?")))

    interval, rate = 0.05, RateLimit(tmp_path / "rate", 1200)
    with closing(MockServer(Skipping())) as server, JobStore(tmp_path / "t.db", TRIALS) as store:
        design = replace(tiny.design(3), methods=("dkprompt",), profiles=(server.url,))
        began = time.monotonic()
        found = run_design(design, EpisodeRunner(tiny.make_asking, rate=rate), store, LocalProcesses(2))
    assert not found.lost and len(times) == sum(o.calls for o in found.outcomes.values()) > 6
    assert all(at - began >= number * interval for number, at in enumerate(sorted(times)))
    with closing(sqlite3.connect(rate.path)) as file:  # each call of either process has had its turn
        assert file.execute("select next from rate").fetchone()[0] - began >= len(times) * interval


@pytest.mark.skipif(find_spec("ray") is None, reason="the extra `cluster` is not installed")
def test_that_a_cluster_gives_the_same_rows_and_a_dead_process_costs_its_trial(tmp_path: Path) -> None:
    with JobStore(tmp_path / "a.db", TRIALS) as store:
        ray = RayCluster("local", 2)
        found = run_design(tiny.design(8), EpisodeRunner(tiny.make_or_die), store, ray)
    assert {(t.cell.method, t.seed) for t in found.lost} == {DYING, BREAKING}
    again = results(tmp_path / "a.db", resume=True)
    assert again.as_json() == results(tmp_path / "b.db").as_json()


@pytest.mark.skipif(find_spec("ray") is not None, reason="the extra `cluster` is installed")
def test_that_a_cluster_without_its_package_is_refused_in_a_sentence(tmp_path: Path) -> None:
    with JobStore(tmp_path / "a.db", TRIALS) as store, pytest.raises(MissingPackage, match="cluster"):
        run_design(tiny.design(1), EpisodeRunner(tiny.make), store, RayCluster("local", 2))


def test_that_without_resume_everything_is_played_again(tmp_path: Path) -> None:
    path = tmp_path / "trials.db"
    results(path, trials=2)
    assert len(results(path, tiny.make_nothing, trials=2).lost) == 4


def test_that_other_settings_are_another_trial(tmp_path: Path) -> None:
    path = tmp_path / "trials.db"
    results(path, trials=1)
    other = tiny.design(1)
    other = replace(other, base=replace(other.base, max_steps=3))
    with JobStore(path, TRIALS) as store:
        assert not store.finished(other.all_trials())
        assert len(store.finished(tiny.design(1).all_trials())) == 2


def test_that_trials_of_an_older_version_are_read_and_added_to(tmp_path: Path) -> None:
    path, (trial, *_) = tmp_path / "trials.db", tiny.design(1).all_trials()
    results(path, trials=1)
    with closing(sqlite3.connect(path)) as db, db:
        db.execute("alter table trial drop column probability")
    with JobStore(path, TRIALS) as store:
        assert store.finished([trial])[trial].probability is None
        store.put(trial, replace(store.finished([trial])[trial], probability=0.5))
        assert store.finished([trial])[trial].probability == 0.5


def test_that_an_episode_log_is_not_written_into(tmp_path: Path) -> None:
    Recorder.open(tmp_path / "log.db").close()
    with pytest.raises(BadFile, match="this is an episode log"):
        JobStore(tmp_path / "log.db", TRIALS)


def test_that_an_episode_is_logged_where_a_log_is_named(tmp_path: Path) -> None:
    log = tmp_path / "log.db"
    trial = next(tiny.design().all_trials())
    outcome = run_trial(tiny.make, trial.settings, log)
    with closing(Store.open(log)) as store:
        summary = store.summary(outcome.episode)
    assert (summary.steps, summary.true_goal) == (outcome.steps, outcome.reached)
    plain = run_trial(tiny.make, trial.settings)
    assert (plain.episode, plain.steps, plain.reached) == ("", outcome.steps, outcome.reached)


def test_that_several_workers_are_refused_for_a_real_model() -> None:
    with pytest.raises(BadValue, match="take --workers 1"):
        check_design(tiny.design(), tiny.make, 2, lambda profile: True)
    check_design(tiny.design(), tiny.make, 1, lambda profile: True)
    check_design(tiny.design(), tiny.make, 2, lambda profile: True, RateLimit(Path("rate"), 60))


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"methods": ()}, "without a method"),
        ({"tasks": ("a", "a")}, "named twice"),
        ({"openness": (2.0,)}, "out of range"),
        ({"trials": 0}, "take 1 or more"),
    ],
)
def test_that_a_design_without_sense_is_refused(change: dict[str, object], why: str) -> None:
    with pytest.raises(BadValue, match=why):
        replace(tiny.design(), **change)


def test_that_a_method_may_bring_a_profile_of_its_own() -> None:
    design = replace(tiny.design(), methods=("dkprompt", "dkprompt@perfect"))
    assert [cell.profile for cell in design.cells()] == ["symmetric-10", "perfect"]


def test_that_what_is_run_again_and_broken_off_does_not_come_back_as_it_was(tmp_path: Path) -> None:
    path = tmp_path / "trials.db"
    results(path, trials=2)

    def interrupt(found: Results) -> None:
        raise KeyboardInterrupt

    with JobStore(path, TRIALS) as store, suppress(KeyboardInterrupt):
        run_design(tiny.design(2), EpisodeRunner(tiny.make), store, ThisProcess(), progress=interrupt)
    with JobStore(path, TRIALS) as store:
        assert not store.finished(tiny.design(2).all_trials())
