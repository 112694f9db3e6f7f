"""What the mutations found, one by one."""

from __future__ import annotations

import os
import sqlite3
from pathlib import Path
from types import SimpleNamespace

import pytest

from core.cancel import Cancel
from core.data_file import read_toml
from core.errors import BadFile, ConsoleError, LogError
from core.evaluation.trial import Design
from core.evaluation.trial_store import TrialOutcome, TrialStore
from core.vqa.answerers.cached import CachedModel
from core.vqa.calibration import LogisticFit
from robots.ur5e.vision.calibration_file import read_calibration
from tests.core.log.mutations import super_journal
from tests.hostile.fuzzing import HAND_EYE

DESIGN = Design(("dkprompt",), ("halve_egg",), ("perfect",), (1.0,), 1)


def test_that_an_error_is_one_sentence_whatever_it_quotes() -> None:
    said = str(BadFile("a\x1b[2J\nb", "found '" + "9" * 5000 + "'"))
    assert "\n" not in said and "\x1b" not in said and len(said) <= 1000
    assert str(ConsoleError("The disk is full: make room.")) == "The disk is full: make room."


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("a = " + "9" * 5000, "thousands of digits"),
        (".".join(["a"] * 20_000) + " = 1", "nested too deep"),  # tomllib takes time to the square
        ('["a"' + ' . "a"' * 100 + "]", "nested too deep"),
    ],
)
def test_that_toml_that_python_cannot_read_is_refused_at_once(tmp_path: Path, text: str, said: str) -> None:
    (tmp_path / "a.toml").write_text(text)
    with pytest.raises(BadFile, match=said):
        read_toml(tmp_path / "a.toml")


@pytest.mark.parametrize(
    ("old", "new"), [("pose = [0.1", "pose = [1e300"), ("1.57]", "1e300]"), ("fx = 910.0", "fx = 1e300")]
)
def test_that_a_camera_beyond_any_arms_reach_is_no_calibration(tmp_path: Path, old: str, new: str) -> None:
    (tmp_path / "wrist.toml").write_text(HAND_EYE.replace(old, new, 1))
    with pytest.raises(BadFile, match="must be at most"):
        read_calibration(tmp_path / "wrist.toml")


@pytest.mark.parametrize("slope", [1e300, -1e300])
def test_that_a_steep_calibration_of_confidences_is_still_a_share(slope: float) -> None:
    assert all(0 <= LogisticFit(slope, 0.0, 1).probability(raw) <= 1 for raw in (0.0, 0.5, 1.0))


@pytest.mark.parametrize("kind", [TrialStore, lambda path: CachedModel(None, path)])  # type: ignore[arg-type]
def test_that_a_journal_beside_a_database_removes_no_other_file(tmp_path: Path, kind: type) -> None:
    path, victim = tmp_path / "a.db", tmp_path / "victim"
    TrialStore(path).close()
    victim.touch()
    path.with_name("a.db-journal").write_bytes(super_journal(path, victim))
    with pytest.raises(LogError, match="not one that this program writes"):
        kind(path)
    assert victim.exists()


@pytest.mark.parametrize(
    "sql",
    [
        "create trigger t after insert on trial begin delete from trial; end",
        "drop table trial; create view trial as with recursive x(settings) as "
        "(select 1 union all select settings + 1 from x) select settings from x",
        "create table passwords(word)",
    ],
)
def test_that_a_database_of_something_else_keeps_no_trials(tmp_path: Path, sql: str) -> None:
    path = tmp_path / "trials.db"
    TrialStore(path).close()
    with sqlite3.connect(path) as db:
        db.executescript(sql)
    db.close()
    with pytest.raises(BadFile, match="more than trials"):
        TrialStore(path)


def test_that_a_trial_with_odd_values_is_refused(tmp_path: Path) -> None:
    path, (trial,) = tmp_path / "trials.db", DESIGN.all_trials()
    with TrialStore(path) as store:
        store.put(trial, TrialOutcome("succeeded", "", True, True, 4, 5, 6, 0, 0, 6, 6, 0.1, 0.2))
        assert trial in store.finished([trial])
    with sqlite3.connect(path) as db:
        db.execute("update trial set steps = 'many'")
    db.close()
    with TrialStore(path) as store, pytest.raises(BadFile, match="steps must be a whole number, not 'many'"):
        store.finished([trial])


@pytest.mark.parametrize(
    "kept",
    [
        "[" * 5000,
        "{",
        '{"text": 5, "model": "m", "tokens": []}',
        '{"text": "yes", "model": "m", "tokens": [1]}',
    ],
)
def test_that_a_kept_reply_with_odd_values_is_refused(tmp_path: Path, kept: str) -> None:
    model = CachedModel(SimpleNamespace(fingerprint=("m",)), tmp_path / "replies.db")  # type: ignore[arg-type]
    with sqlite3.connect(tmp_path / "replies.db") as db:
        db.execute("insert into replies values (?, ?)", (model._key((), ()), kept))
    db.close()
    with pytest.raises(BadFile, match=r"replies\.db"):
        model.ask((), (), Cancel())


def test_that_a_pipe_keeps_no_replies_and_no_trials(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    for kind in (TrialStore, lambda path: CachedModel(None, path)):  # type: ignore[arg-type]
        with pytest.raises(BadFile, match="no regular file"):
            kind(tmp_path / "pipe")
