"""The help at 80 columns: flags show no type, and paragraphs fill their lines."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest
from click.testing import CliRunner
from typer.main import get_command

from app.cli.command_line import COMMANDS, command_line, load
from core.config import Settings
from core.install_paths import ROOT
from main import program

GIVEN: list[tuple[Settings, bool]] = []


def console(settings: Settings, database: Path, reset: bool, demo: str) -> int:
    GIVEN.append((settings, reset))
    return 0


CLI = get_command(command_line(replace(program(), console=console)))


def names() -> Iterator[tuple[str, ...]]:
    """Yield the words of every command."""
    yield ()
    for name in COMMANDS:
        yield from [(name,), *((name, each) for each in getattr(load(name), "commands", {}))]


@pytest.mark.parametrize("name", COMMANDS)
def test_that_the_list_of_commands_begins_the_help_of_each(name: str) -> None:
    assert load(name).help.split("\n\n")[0] == COMMANDS[name][1]


@pytest.mark.parametrize("words", list(names()), ids=" ".join)
def test_that_no_flag_shows_a_type_and_no_line_is_broken_twice(words: tuple[str, ...]) -> None:
    shown = CliRunner(env={"COLUMNS": "80", "TERMINAL_WIDTH": "80"}).invoke(CLI, [*words, "--help"]).stdout
    assert "<bool>" not in shown
    prose = shown.split("╭")[0].splitlines()
    for line, following in pairwise(prose):
        if line.strip() and following.strip():  # the next word would not have fitted
            assert len(line.rstrip()) + 1 + len(following.split()[0]) > 78, line


def test_that_reset_is_handed_to_the_window() -> None:
    GIVEN.clear()
    assert CliRunner().invoke(CLI, ["--reset"]).exit_code == CliRunner().invoke(CLI, []).exit_code == 0
    assert [reset for _, reset in GIVEN] == [True, False]


def test_that_the_version_is_the_newest_release_in_the_changelog_which_has_its_date() -> None:
    newest = re.search(r"^## (\S+) - \d{4}-\d\d-\d\d$", (ROOT / "CHANGELOG.md").read_text(), re.MULTILINE)
    assert newest and CliRunner().invoke(CLI, ["--version"]).output.split()[2] == f"{newest[1]},"


def test_that_a_command_of_a_group_is_found_where_it_is_not() -> None:
    result = CliRunner().invoke(CLI, ["show", "last"])
    assert result.exit_code == 2
    assert "Did you mean episodes show?" in result.output
