"""The commands of the program, called in the test's own process."""

from __future__ import annotations

from functools import cache

from click import Command
from click.testing import CliRunner, Result
from typer.main import get_command

from app.cli.command_line import command_line
from main import program


@cache
def command() -> Command:
    """Return the command line."""
    return get_command(command_line(program()))


def call(*words: object) -> Result:
    """Call the program with these words."""
    return CliRunner().invoke(command(), [str(word) for word in words])
