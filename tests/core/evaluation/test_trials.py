"""Trials on several processes: the same rows whatever their number, and nothing lost but what died."""

from __future__ import annotations

from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from core.errors import BadFile, BadValue
from core.evaluation.bench import check_design, run_design
from core.evaluation.outcome import play
from core.evaluation.table import Results
from core.evaluation.trial_store import TrialStore
from core.log.recorder import Recorder
from core.log.store import Store
from tests.core.evaluation import tiny_trials as tiny
from tests.core.evaluation.tiny_trials import BREAKING, DYING


def results(path: Path, make=tiny.make, workers: int = 1, resume: bool = False, trials: int = 8) -> Results:
    with TrialStore(path) as store:
        return run_design(tiny.design(trials), make, store, workers, resume)


def test_that_the_rows_are_the_same_whatever_the_number_of_workers(tmp_path: Path) -> None:
    one, two = (results(tmp_path / f"{n}.db", workers=n) for n in (1, 2))
    assert one.as_json() == two.as_json()
    assert [row["trials"] for row in one.as_json()] == [8, 8]
    assert 0 < one.rows()[0].successes < 8 or 0 < one.rows()[1].successes < 8  # luck takes part


def test_that_a_process_that_dies_costs_its_trial_only(tmp_path: Path) -> None:
    found, whole = results(tmp_path / "a.db", tiny.make_or_die, 2), results(tmp_path / "b.db")
    lost = {(t.cell.method, t.seed): why for t, why in found.lost.items()}
    assert set(lost) == {DYING, BREAKING}
    assert "died (exit code -9)" in lost[DYING] and "RuntimeError: no luck" in lost[BREAKING]
    left = {t: replace(o, seconds=0, planning_seconds=0) for t, o in found.outcomes.items()}
    other = {t: replace(o, seconds=0, planning_seconds=0) for t, o in whole.outcomes.items()}
    assert left.items() <= other.items() and len(left) == len(other) - 2
    assert [(row.trials, row.lost) for row in found.rows()] == [(7, 1), (7, 1)]


def test_that_what_is_finished_is_taken_over_and_only_the_rest_is_played(tmp_path: Path) -> None:
    path = tmp_path / "trials.db"
    first = results(path, tiny.make_or_die, 2)
    second = results(path, resume=True)
    assert not second.lost
    assert second.as_json() == results(tmp_path / "other.db").as_json()
    kept = {trial: second.outcomes[trial] for trial in first.outcomes}
    assert kept == dict(first.outcomes)  # with their seconds: none of them was played again
    third = results(path, tiny.make_nothing, resume=True)
    assert third.outcomes == second.outcomes and not third.lost


def test_that_without_resume_everything_is_played_again(tmp_path: Path) -> None:
    path = tmp_path / "trials.db"
    results(path, trials=2)
    assert len(results(path, tiny.make_nothing, trials=2).lost) == 4


def test_that_other_settings_are_another_trial(tmp_path: Path) -> None:
    path = tmp_path / "trials.db"
    results(path, trials=1)
    other = tiny.design(1)
    other = replace(other, base=replace(other.base, max_steps=3))
    with TrialStore(path) as store:
        assert not store.finished(other.all_trials())
        assert len(store.finished(tiny.design(1).all_trials())) == 2


def test_that_an_episode_log_is_not_written_into(tmp_path: Path) -> None:
    Recorder.open(tmp_path / "log.db").close()
    with pytest.raises(BadFile, match="this is an episode log"):
        TrialStore(tmp_path / "log.db")


def test_that_an_episode_is_logged_where_a_log_is_named(tmp_path: Path) -> None:
    log = tmp_path / "log.db"
    trial = next(tiny.design().all_trials())
    outcome = play(tiny.make, trial.settings, log)
    with closing(Store.open(log)) as store:
        summary = store.summary(outcome.episode)
    assert (summary.steps, summary.true_goal) == (outcome.steps, outcome.reached)
    plain = play(tiny.make, trial.settings)
    assert (plain.episode, plain.steps, plain.reached) == ("", outcome.steps, outcome.reached)


def test_that_several_workers_are_refused_for_a_real_model() -> None:
    with pytest.raises(BadValue, match="take --workers 1"):
        check_design(tiny.design(), tiny.make, 2, lambda profile: True)
    check_design(tiny.design(), tiny.make, 1, lambda profile: True)


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
