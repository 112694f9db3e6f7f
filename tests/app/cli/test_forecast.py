"""`forecast`: what it says, as a table of 80 columns and as JSON."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path

import pytest
from click.testing import Result

from app.dialogs.setup.domain_probe import forecast_for
from core.config import Settings
from core.data_file import toml_text
from core.errors import UnknownName
from core.log.recorder import Recorder
from core.vqa.answerers.profiles import Profile, Rates
from tests.app.dialogs.conftest import DOMAIN, PROBLEM
from tests.command import call
from tests.core.log import made


@pytest.fixture
def lamps(tmp_path, monkeypatch):
    (tmp_path / "domain.pddl").write_text(DOMAIN)
    (tmp_path / "problem.pddl").write_text(PROBLEM)
    monkeypatch.setenv("COLUMNS", "80")
    return "--domain-file", str(tmp_path / "domain.pddl"), "--problem-file", str(tmp_path / "problem.pddl")


def run(*words: str) -> Result:
    return call("forecast", *words)


def test_that_the_table_says_what_comes_and_what_a_question_may_cost(lamps) -> None:
    found = run(*lamps, "--episodes", "3", "--answerer", "symmetric-34", "--robot", "symbolic")
    assert found.exit_code == 0, found.output
    assert "questions to you" in found.stdout and "chosen: method.operator_cost" in found.stdout
    assert max(map(len, found.stdout.splitlines())) <= 80


def test_that_what_an_eye_cannot_answer_stands_before_the_figures(lamps) -> None:
    found = run(*lamps, "--episodes", "1", "--answerer", "eye", "--robot", "symbolic").stdout
    assert found.index("The eye was not trained on") < found.index("goal reached")


def test_that_scripts_read_it_and_nobody_is_asked_who_is_not_there(lamps) -> None:
    words = (*lamps, "--episodes", "3", "--answerer", "symmetric-34", "--robot", "symbolic")
    form = json.loads(run(*words, "--alone", "--json", "-o", "method.false_claim_cost=300").stdout)
    assert form["questions"] == 0 and form["claimed_from"] == 0.99 and form["episodes"] == 3


def test_that_judged_rates_are_said_to_be_so_and_worthless_ones_too(lamps, tmp_path: Path) -> None:
    for no, worthless in ((0.1, False), (0.9, True)):
        rates = Rates(0.77, no, "measured")
        judged = Profile("gpt-judged", "gpt", "50 answers judged by a person", 0, 0.5, 0.67, rates)
        (file := tmp_path / "rates.toml").write_text(toml_text(asdict(judged)))
        said = run(*lamps, "--episodes", "1", "--answerer", "gpt", "-o", f"method.error_rates={file}").stdout
        said = " ".join(said.split())
        assert "50 answers judged by a person." in said and "ASSUMED" not in said
        assert ("77% of what is so and 90% of what is not: its answers tell nothing." in said) is worthless


def test_that_rates_of_few_answers_are_said_to_be_so_and_leave_much_open(lamps, tmp_path: Path) -> None:
    few = Rates(0.8, 0.3, "few", "of 26 true (66 to 94 % affirmed) and 1 false (21 to 100 % affirmed)")
    judged = Profile("gpt-judged", "gpt", "27 answers judged by a person", 0, 0.5, 0.67, few)
    (file := tmp_path / "rates.toml").write_text(toml_text(asdict(judged)))
    words = ("--episodes", "1", "--answerer", "gpt", "-o", f"method.error_rates={file}", "--json")
    form = json.loads(run(*lamps, *words).stdout)
    assert "TOO FEW" in form["assumed"] and "1 false (21 to 100 %" in form["assumed"]
    assert "with the method dkprompt asks about more of these" in form["assumed"]
    assert not form["measured"]


def test_that_money_is_told_where_the_log_has_calls_with_a_price(lamps, tmp_path: Path) -> None:
    with Recorder.open(log := tmp_path / "log.db") as recorder:
        list(recorder.record_events([made.started(answerer="gpt"), *[*made.episode(4)][1:]]))
    words = (*lamps, "--episodes", "1", "--database", str(log), "--answerer")
    told = " ".join(run(*words, "gpt").stdout.split())
    assert "these cost $0.00" in told and "an episode, $0.002 a call as in the log" in told
    assert "these cost" not in run(*words, "symmetric-34").stdout
    assert (
        "The log has what a call of others cost: --answerer gpt."
        in run(*words, "http://127.0.0.1:9/v1").stdout
    )


def test_that_a_wrong_option_exits_with_2(lamps) -> None:
    assert run(*lamps, "-o", "method.nope=1").exit_code == 2


def test_that_the_other_process_says_in_a_sentence_why_there_is_no_forecast() -> None:
    asked = Settings("no_such_task", method="careful"), "robots.registry:ROBOTS", Path("nowhere")
    with pytest.raises(UnknownName, match="no_such_task"):
        forecast_for(asked, lambda done, of: None)
