"""The options that several verbs share, each with the words of its help."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from core.config import Settings

Json = Annotated[bool, typer.Option("--json", help="Print one line of JSON last on stdout, for scripts.")]
TaskName = Annotated[
    str, typer.Argument(help="A task (`tasks` lists them); by default boil_water, or the domain's first.")
]
Domain = Annotated[str, typer.Option(help="A domain folder, shipped or yours, instead of all shipped ones.")]
DomainFile = Annotated[str, typer.Option(help="A PDDL domain instead of a task; needs --problem-file.")]
ProblemFile = Annotated[str, typer.Option(help="A PDDL problem; needs --domain-file.")]
Variant = Annotated[str, typer.Option(help="Which of the domain's files: repaired (default) or printed.")]
ArmName = Annotated[
    str, typer.Option("--arm", help="A UR5e's address or setup file; by default an emulator of its own.")
]
Engine = Annotated[str, typer.Option(help="pyperplan, or fast-downward (an optional extra).")]
RobotName = Annotated[str, typer.Option("--robot", help="Open the window on this robot: kitchen, ur5e.")]
LiveVideo = Annotated[
    bool,
    typer.Option("--live-video", help="Keep what the cameras show in the log (extra: video)."),
]
Database = Annotated[Path | None, typer.Option(help="The episode log; by default in your data folder.")]


def first_task(domain: str) -> str:
    """The task that is meant when none is named; "": the domain's first."""
    return "" if domain else Settings().task


def log_path(database: Path | None) -> Path:
    """The log that was named, or the one in the user's data folder, which is made where it is missing."""
    if database is not None:
        return database
    from core.log.database import default_path

    return default_path()
