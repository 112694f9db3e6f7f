"""The verb `eye`: taught from a log, kept or not, gone back, and measured."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import Result

from core.vqa.answerers.profiles import load_profile
from core.vqa.data_files import user_dir
from core.vqa.eye import eye_file
from core.vqa.eye.teaching import head_training
from tests.command import call
from tests.core.vqa.eye.teaching.kit import untaught_eye, write_log


def program(*words: str) -> Result:
    return call("eye", *words)


@pytest.fixture
def log(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    monkeypatch.setattr(eye_file, "RESOURCES", tmp_path / "shipped")
    monkeypatch.setattr(head_training, "EPOCHS", 30)
    monkeypatch.setattr(head_training, "RATE", 5e-3)
    untaught_eye(user_dir("eye") / "mine")
    return str(write_log(tmp_path / "log.db"))


def listed() -> list[tuple[str, bool]]:
    return [(v["version"], v["in_force"]) for v in json.loads(program("list", "--json").stdout)]


def test_that_an_eye_is_taught_kept_left_and_measured(log: str) -> None:
    ran = program("teach", "tiny", "--database", log)
    assert ran.exit_code == 1 and "not kept" in ran.stdout and "100.0" in ran.stdout
    assert listed() == [("1", True)]
    ran = program("teach", "tiny", "--from", "truth", "--keep", "--json", "--database", log)
    assert ran.exit_code == 0, ran.stderr
    said = json.loads(ran.stdout.splitlines()[-1])
    assert said["learnt"] == {"lit": [6, 6, 0]} and said["held_out"]["lit"]["after"]["right"] == 1
    assert listed() == [("1", False), (said["version"], True)]
    ran = program("profile", "tiny", "--database", log)
    rate = load_profile("tiny").rates_for("lit").yes_if_true
    assert ran.exit_code == 0 and rate == pytest.approx(0.8), "three of the episode kept back"
    assert "3 of 3" in ran.stdout and "not shown that the eye tiny" in " ".join(ran.stdout.split())
    assert "no episode" in program("profile", "tiny", "20260101-nobody", "--database", log).stderr
    again = json.loads(program("profile", "tiny", "--json", "--database", log).stdout)
    assert again["source"].startswith("6 labels in the log; ")
    assert "tiny 1 is in force" in program("back", "tiny").stdout


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("teach", "tiny", "--from", "hearsay"), "no kind of label named 'hearsay'"),
        (("teach", "tiny", "--from", "blind"), "There is no label to learn from"),
        (("teach", "other"), "no eye named 'other'"),
        (("teach", "tiny", "--draw", "halve_egg"), "Nothing draws pictures of halve_egg"),
        (("use", "tiny", "7"), "no version named '7'"),
    ],
)
def test_that_bad_input_is_one_sentence(log: str, words: tuple[str, ...], said: str) -> None:
    ran = program(*words, *(("--database", log) if words[0] == "teach" else ()))
    assert ran.exit_code == 2 and said in ran.stderr and len(ran.stderr.splitlines()) == 1
