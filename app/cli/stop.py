"""`stop`: stop what moves, from any terminal."""

from __future__ import annotations

import typer

from app.cli.help_text import CommandLine
from app.cli.stop_now import stop_everything

cli = CommandLine()


@cli.command()
def stop() -> None:
    """Stop what every program of yours moves on this machine, even if its window hangs.

    Nothing is taken up again until a person releases the stop. This is a
    software stop; it does not replace an emergency stop.

    Exit 0: all were stopped. 1: no program of yours is running a robot. 3: a robot is not known
    to have been stopped: look at it.
    """
    raise typer.Exit(stop_everything())
