"""A model's budget that is used up pauses an episode in the terminal, and asks."""

from __future__ import annotations

import sqlite3
from pathlib import Path

from core.text.numbers import money
from core.vqa.budget import ModelBudget, Usage
from core.vqa.mock.mock_server import start_mock_server
from tests.app.cli.test_terminal_operator import terminal
from tests.command import call

RUN = ("run", "halve_egg", "--robot", "symbolic", "--openness", "0", "--model", "default")


def notes(log: Path) -> list[str]:
    with sqlite3.connect(log) as db:
        return [t for (t,) in db.execute("select body ->> '$.text' from record where kind = 'Notice'")]


def test_that_a_person_raises_the_budget_and_the_episode_goes_on(tmp_path: Path) -> None:
    server, log = start_mock_server("perfect"), tmp_path / "log.db"
    try:
        with terminal(*RUN, "--answerer", server.url, "--max-calls", "2", "--database", str(log)) as at:
            at.until("budget of 2 calls is used up")
            at.until("How many calls more.*end")
            at.type("nonsense")
            at.until("none of these")
            at.type("500")
            at.until("The simulator confirms that the goal is reached")
    finally:
        server.close()
    assert any("raised to 502 calls" in text for text in notes(log))


def test_that_a_person_ends_the_episode_when_the_budget_is_used_up(tmp_path: Path) -> None:
    server = start_mock_server("perfect")
    try:
        log = str(tmp_path / "log.db")
        with terminal(*RUN, "--answerer", server.url, "--max-tokens", "1", "--database", log) as at:
            at.until("How many tokens more")
            at.type("e")
            at.until("ended: Ended by the operator when the model's budget was used up")
    finally:
        server.close()


def test_that_where_nobody_is_the_episode_ends_and_says_why(tmp_path: Path) -> None:
    server = start_mock_server("perfect", faults="429", delay=0.01)
    try:
        log = tmp_path / "log.db"
        words = [*RUN, "--answerer", server.url, "--max-calls", "3", "--database", str(log)]
        ran = call(*words)
    finally:
        server.close()
    assert ran.exit_code == 1
    assert "budget of 3 calls is used up (3 calls spent): raise it" in " ".join(ran.stdout.split())
    assert "Waiting" in ran.stdout and any("Waiting" in text for text in notes(log))


def test_that_one_budget_counts_for_all_episodes_of_a_series(tmp_path: Path) -> None:
    server, log = start_mock_server("perfect"), str(tmp_path / "log.db")
    try:
        series = (*RUN, "--answerer", server.url, "--episodes", "4", "--database", log, "--max-calls")
        whole, cut = call(*series, "400"), call(*series, "12")
    finally:
        server.close()
    assert "4 of 4 episodes reached the goal, as believed, 4 in truth;" in " ".join(whole.stdout.split())
    said = " ".join(cut.stdout.split())
    assert "; 12 calls, cost unknown." in said and "did not run: the budget of calls is used up." in said


def test_that_what_is_left_is_never_negative_and_small_sums_are_not_rounded_away() -> None:
    left = ModelBudget(calls=5, dollars=1.0).less(Usage(calls=7, dollars=0.9955))
    assert (left.calls, left.used_up, left.tokens) == (0, "calls", None)
    assert (
        str(ModelBudget(dollars=0.0045)) == "$0.0045"
        and money(0.062) == "$0.062"
        and money(0.5) == "$0.50"
        and money(2) == "$2.00"
    )
