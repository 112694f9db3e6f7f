"""`stop`: stop what moves, from any terminal."""

from __future__ import annotations

import typer

from app.cli.output.printing import print_text
from core.errors import ConsoleError
from core.stop.stop_socket import StopReply, stop_all

NOTHING = "No program of yours is running a robot."


def add_stop(cli: typer.Typer) -> None:
    """Add the verb to the command line."""

    @cli.command()
    def stop() -> None:
        """Stop what every program of yours moves on this machine, even if its window hangs.

        Nothing is taken up again until a person releases the stop. This is a
        software stop; it does not replace an emergency stop.

        Exit 0: all were stopped. 1: nothing was running. 3: a process did not answer: look at its robot.
        """
        raise typer.Exit(stop_everything())


def stop_everything() -> int:
    """Stop what every program of this user moves, print what they reply, and return the exit code."""
    try:
        replies = [r for r in stop_all() if r.robot or not r.answered]
    except ConsoleError as error:
        print_text(error, error=True)
        return 2
    for reply in replies:
        print_text(reply_sentence(reply), error=not reply.answered)
    if not replies:
        print_text(NOTHING)
    return 1 if not replies else 0 if all(r.answered for r in replies) else 3


def reply_sentence(reply: StopReply) -> str:
    """Return what one process did, as a sentence."""
    if not reply.answered:
        return f"{reply.process}: does not answer; its robot is not known to stand still: look at it."
    if reply.standstill is None:
        return f"{reply.process}: {reply.robot} was stopped; it is not known to stand still: look at it."
    return f"{reply.process}: {reply.robot} was stopped; it stood still after {reply.standstill:.2f} s."
