"""The commands of the program, called in the test's own process."""

from __future__ import annotations

from functools import cache

from click import Command
from click.testing import CliRunner, Result
from typer.main import get_command

from app.cli.command_line import command_line
from main import emulate_arm, make_components, open_console, registries


@cache
def command(with_tables: bool = False) -> Command:
    """Return the command line, with the tables of parts or without: to make it takes longer than a call."""
    tables = {"tables": registries} if with_tables else {}
    return get_command(command_line(make_components, open_console, emulate_arm, **tables))  # type: ignore[arg-type]


def call(*words: object, with_tables: bool = False) -> Result:
    """Call the program with these words."""
    return CliRunner().invoke(command(with_tables), [str(word) for word in words])
