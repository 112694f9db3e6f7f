"""Logged episodes put to another model: what differs, and that nothing of it reaches the log."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from click.testing import Result

from core.install_paths import ROOT
from core.log.store import Store
from core.vqa.mock.mock_server import start_mock_server
from tests.command import call


def program(*words: str) -> Result:
    return call(*words)


@pytest.fixture(scope="module")
def log(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("log") / "log.db"
    for seed in ("1", "2"):
        ran = program("run", "halve_egg", "--robot", "symbolic", "--seed", seed, "--database", str(path))
        assert ran.exit_code == 0, ran.stderr
    return path


def script(tmp_path: Path, *replies: str) -> str:
    path = tmp_path / "model.json"
    path.write_text(json.dumps(replies))
    return str(path)


@pytest.mark.long
def test_that_every_logged_call_is_asked_again_and_compared(log: Path, tmp_path: Path) -> None:
    with Store.open(log, read_only=True) as store:
        before = [(s.episode, s.calls, s.questions) for s in store.episodes()]
    server, to = (
        start_mock_server(script(tmp_path, *["yes;yes;yes", "yes", "yes;yes"] * 20)),
        tmp_path / "replies.jsonl",
    )
    try:
        words = ("reask", "--answerer", server.url, "--database", str(log), "--to", str(to))
        ran = program(*words, "--json", "--prompt", "single")
    finally:
        server.close()
    assert ran.exit_code == 0, ran.stderr
    found = json.loads(ran.stdout)
    assert found["exchanges"] == sum(calls or 0 for _, calls, _ in before)
    agreements = {a["predicate"]: a for a in found["agreements"]}
    assert sum(a["asked"] for a in agreements.values()) == sum(n or 0 for *_, n in before)
    assert all(a["seconds_after"] > 0 and a["cost_after"] is None for a in agreements.values())
    lines = [json.loads(line) for line in to.read_text().splitlines()]
    assert len(lines) == found["exchanges"]
    assert all(line["after"]["said"] and line["before"]["said"] for line in lines)
    assert "single" in lines[0]["after"]["prompt"]
    with Store.open(log, read_only=True) as store:
        assert [(s.episode, s.calls, s.questions) for s in store.episodes()] == before


def test_that_a_model_that_stays_away_leaves_what_was_asked_before(log: Path, tmp_path: Path) -> None:
    server = start_mock_server(script(tmp_path, "yes;yes", "no", "yes"))
    try:
        words = ("reask", "--answerer", server.url, "--database", str(log), "--max-calls", "2")
        ran = program(*words, "--prompt", "single")
    finally:
        server.close()
    assert ran.exit_code in (1, 2)
    assert "budget of 2 calls is used up" in " ".join((ran.stdout + ran.stderr).split())


@pytest.mark.long
def test_that_calls_without_an_answer_are_counted_with_their_cause(log: Path) -> None:
    server = start_mock_server("perfect", faults="filter")
    try:
        ran = program("reask", "--answerer", server.url, "--database", str(log))
        told = json.loads(program("reask", "--answerer", server.url, "--database", str(log), "--json").stdout)
    finally:
        server.close()
    said = " ".join(ran.stdout.split())
    assert f"{told['silent']} calls without an answer: " in said and "withheld its answer" in said
    assert told["silent"] == told["exchanges"]


def test_that_an_unknown_episode_or_model_is_one_sentence(log: Path) -> None:
    for words in (("20000101", "--answerer", "ollama"), ("--answerer", "olama"), ("--answerer", "perfect")):
        ran = program("reask", *words, "--database", str(log))
        assert ran.exit_code == 2 and len(ran.stderr.strip().splitlines()) == 1 and not ran.stdout


def test_that_a_wording_of_ones_own_is_asked(log: Path, tmp_path: Path) -> None:
    folder = tmp_path / "mine"
    shutil.copytree(ROOT / "domains" / "household", folder)
    toml = folder / "domain.toml"
    toml.write_text(toml.read_text().replace("Is the {", "Would you say that it is the {"))
    server = start_mock_server(script(tmp_path, *["yes;yes"] * 30))
    try:
        words = ("reask", "--answerer", server.url, "--database", str(log), "--wording", str(folder))
        ran = program(*words, "--limit", "3")
        texts = [r.body["messages"][-1]["content"][-1]["text"] for r in server.received]
    finally:
        server.close()
    assert ran.exit_code == 0, ran.stderr
    assert texts and any("Would you say" in text for text in texts)
    assert "all" in ran.stdout and "no belief is changed" in ran.stdout
