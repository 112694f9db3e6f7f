"""`check`: its exit code, its JSON, and a table that is read at 80 columns."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import Result

from tests.command import call

GRID = Path(__file__).parents[3] / "docs" / "examples" / "grid"
Verb = Callable[..., Result]


@pytest.fixture
def verb() -> Verb:
    return call


def test_that_a_clean_folder_exits_with_0_and_its_notes_fit_80_columns(verb: Verb) -> None:
    result = verb("check", "household")
    assert result.exit_code == 0, result.output
    assert "robot ur5e" in result.stdout and max(map(len, result.stdout.splitlines())) <= 80


def test_that_gaps_exit_with_1_and_scripts_read_them(verb: Verb) -> None:
    result = verb("check", GRID, "--json")
    assert result.exit_code == 1
    (gap,) = (f for f in json.loads(result.stdout) if f["level"] == "gap")
    assert gap["about"] == "words" and set(gap) == {"level", "about", "lack", "costs"}


def test_that_a_folder_that_is_not_there_exits_with_2(verb: Verb) -> None:
    assert verb("check", "nowhere").exit_code == 2
