"""Numbers on the command line are read as the window reads them."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner

import main
from app.cli.episode_upkeep import parse_size
from core.errors import BadValue
from core.methods.registry import METHODS


def cli() -> typer.Typer:
    from app.cli.command_line import command_line

    return command_line(main.program())


def test_that_every_decimal_option_is_read_so() -> None:
    commands = (Path(main.__file__).parent / "app" / "cli").rglob("*.py")
    other = re.compile(r"\bfloat(?: \| None)?(?:,\s*typer\.| = )Option\(")
    assert not [file.name for file in commands if other.search(file.read_text())]


@pytest.mark.parametrize("typed", ["0.5", "0,5", ".5"])
def test_that_an_option_takes_both_signs(typed: str) -> None:
    done = CliRunner().invoke(cli(), ["plan", "halve_egg", "--seconds", typed])
    assert done.exit_code in (0, 1), done.output


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        *(("1.234,5", "is no number: write digits and at most"), ("1,234", "could mean 1.234 or 1234")),
        *(("nan", "is no number"), ("1_0", "is no number"), ("0", "is too small: write 0.1 or more")),
    ],
)
def test_that_a_refused_number_is_one_sentence(typed: str, said: str) -> None:
    done = CliRunner().invoke(cli(), ["plan", "halve_egg", "--seconds", typed], env={"COLUMNS": "300"})
    assert done.exit_code == 2
    assert said in re.sub(r"[│\s]+", " ", done.output)  # wrapped at 80 columns where TERM is dumb


def test_that_an_option_of_a_component_takes_both_signs() -> None:
    entry = METHODS["careful"]
    assert entry.read_options({"operator_cost": "0,5"}).operator_cost == 0.5  # type: ignore[attr-defined]
    with pytest.raises(BadValue, match=r"the option operator_cost is '1,234' could mean"):
        entry.read_options({"operator_cost": "1,234"})


def test_that_sizes_take_both_signs() -> None:
    assert parse_size("1,5G") == parse_size("1.5 GB")
    with pytest.raises(BadValue):
        parse_size("1,500M")
