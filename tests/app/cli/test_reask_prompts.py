"""Logged prompts of cowp put to another model."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from app.cli.command_line import command_line
from main import program


def call(*words: str) -> Result:
    return CliRunner().invoke(command_line(program()), words)


@pytest.fixture(scope="module")
def log(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("log") / "log.db"
    words = ("--method", "cowp", "--no-pictures", "--situation", "the cup is dirty", "--stock", "bowl,mug")
    assert call("run", "serve_water", *words, "--database", str(path)).exit_code in (0, 3)
    return path


def test_that_every_prompt_of_the_log_is_asked_again_with_both_replies(log: Path, tmp_path: Path) -> None:
    to = tmp_path / "replies.jsonl"
    words = ("reask", "--prompts", "--json", "--database", str(log))
    same = json.loads(call(*words, "--answerer", "davinci").stdout)
    assert same["asked"] > 3 and all(asked == agreed for asked, agreed in same["agreed"].values())
    other = call(*words, "--answerer", "ada", "--to", str(to))
    assert other.exit_code == 0, other.output
    asked, agreed = json.loads(other.stdout)["agreed"]["is the action suitable?"]
    assert agreed < asked
    lines = [json.loads(line) for line in to.read_text().splitlines()]
    assert len(lines) == same["asked"]
    assert all(line["prompt"] and line["before"]["said"] and line["after"]["said"] for line in lines)


def test_that_a_log_without_prompts_and_an_unknown_model_are_named(log: Path, tmp_path: Path) -> None:
    ran = call("reask", "--prompts", "--answerer", "nobody-knows", "--database", str(log))
    assert ran.exit_code == 2 and "nobody-knows" in ran.output
