"""The verb `run`, from settings to summary."""

from __future__ import annotations

import getpass
import sys
from contextlib import closing
from pathlib import Path

from rich.console import Console

from app.terminal.episode import Show, Summary, run
from app.terminal.person import Person
from app.terminal.watch import Watch
from core.config import Maker, Parts, Settings
from core.errors import BadValue
from core.gate import Automatic
from core.log.recorder import Recorder
from core.ports import Operator


def run_verb(
    make: Maker, settings: Settings, database: Path, ask: bool, quiet: bool, strip: str, video: str
) -> tuple[Summary, Path | None]:
    """Returns the summary and the picture strip's path, None without pictures. Raises ConsoleError."""
    if ask and not sys.stdin.isatty():
        raise BadValue("--ask needs a person at a terminal: leave it out where nobody can answer.")
    console = Console(highlight=False, stderr=quiet)
    with closing(make(settings)) as parts, Recorder.open(database) as recorder:
        for episode in recorder.repaired:
            console.print(f"Episode {episode} was broken off; all that was logged of it is kept.")
        watch = Watch(parts.folder, console)
        summary, _ = run(parts, _operator(parts, ask, console), recorder, _show(watch, quiet), ask)
    return summary, None


def _operator(parts: Parts, ask: bool, console: Console) -> Operator:
    if ask:
        return Person(parts.folder, parts.task.problem, console, getpass.getuser())
    return Automatic(parts.robot.world)


def _show(watch: Watch, quiet: bool) -> Show:
    return (lambda event, story: None) if quiet else watch.show
