"""What `run --json` says of an episode beside its result."""

from __future__ import annotations

import json
from pathlib import Path

from core.log.store import Store
from tests.command import call


def run(log: Path, *words: str, exits: int | None = None) -> dict[str, object]:
    plain = ("halve_egg", "--robot", "symbolic", "--openness", "0", "--json", "--database", str(log))
    result = call("run", *plain, *words)
    assert result.exit_code in ((0, 1) if exits is None else (exits,)), result.output
    with Store.open(log, read_only=True) as store:
        assert [s.seed for s in store.episodes(descending=False)] == [0, 1][: len(result.stdout.splitlines())]
    form = json.loads(result.stdout.splitlines()[-1])
    assert isinstance(form, dict)
    return form


def test_that_of_each_episode_it_says_why_it_ended_and_how_the_goal_is_known(tmp_path: Path) -> None:
    form = run(tmp_path / "log.db", "--episodes", "2")
    assert (form["result"], form["unanswered"]) == ("succeeded", 0)
    assert isinstance(form["why"], str) and form["why"].endswith(".")
    known = form["goal_known_by"]
    assert isinstance(known, dict)
    assert set(known) == {"seen", "sensed", "assumed", "predicted", "initial", "person"}
    assert sum(known.values()) >= 1


def test_that_a_model_that_cannot_tell_leaves_its_questions_unanswered(tmp_path: Path) -> None:
    profile = tmp_path / "mute.toml"
    head = 'name = "mute"\nabout = "Never sure."\nsource = "this test"\n'
    rates = "skip = 1.0\nskip_unseen = 1.0\npersistence = 0.0\n"
    default = '[default]\nyes_if_true = 1.0\nyes_if_false = 0.0\nbasis = "ours"\n'
    profile.write_text(head + rates + default)
    form = run(tmp_path / "log.db", "--answerer", str(profile), "--max-steps", "4", exits=3)
    assert form["unanswered"] == form["questions"] != 0
    known = form["goal_known_by"]
    assert isinstance(known, dict) and known["seen"] == 0
