"""The options that several commands share, with their help texts."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import fields
from pathlib import Path
from typing import Annotated, Any

import typer

from app.cli.output.printing import print_text
from app.runtime.os_signals import TerminatedBySignal, ended_by_signals
from core.config import Settings
from core.errors import BadValue, ConsoleError
from core.operator import OPERATOR_VARIABLE
from core.plugins import PLUGINS_VARIABLE
from core.registry import Registries
from core.text.numbers import read_number


def number(default: float | None, help: str, least: float | None = None, **more: Any) -> Any:
    """Return an option for a decimal number, read as the window reads it."""

    def parse(value: Any) -> float:
        try:
            found = read_number(value) if isinstance(value, str) else float(value)
        except BadValue as error:
            raise typer.BadParameter(str(error)) from None
        if least is not None and found < least:
            raise typer.BadParameter(f"{value} is too small: write {least:g} or more.")
        return found

    return typer.Option(default, help=help, parser=parse, metavar="NUMBER", **more)


Json = Annotated[bool, typer.Option("--json", help="Print one line of JSON last on stdout, for scripts.")]
ArmName = Annotated[str, typer.Option("--arm", help="Short for --option robot.arm=...: which UR5e.")]
PartOptions = Annotated[
    list[str] | None,
    typer.Option(
        "--option",
        "-o",
        metavar="KIND.NAME=VALUE",
        help="An option of the robot, method, answerer or engine: -o robot.arm=192.168.0.2. Again for each; "
        "`parts` lists them with their ranges.",
    ),
]


def _use_plugins(folder: Path | None) -> Path | None:
    """Load plug-ins from this folder, in this process and in those that it starts."""
    if folder is not None:
        os.environ[PLUGINS_VARIABLE] = os.pathsep.join(
            filter(None, (str(folder), os.environ.get(PLUGINS_VARIABLE, "")))
        )
    return folder


Plugins = Annotated[
    Path | None,
    typer.Option(
        "--plugins",
        callback=_use_plugins,
        is_eager=True,
        help="A folder of Python files with parts of your own; or name it in DKPROMPT_PLUGINS.",
    ),
]


def _name_operator(name: str) -> str:
    """Use this name for the person at this program."""
    if name:
        os.environ[OPERATOR_VARIABLE] = name
    return name


OperatorName = Annotated[
    str,
    typer.Option(
        "--operator",
        callback=_name_operator,
        help="Your name, for the log and for other consoles at the same arm; or in DKPROMPT_OPERATOR. By "
        "default the computer's user.",
    ),
]
Database = Annotated[Path | None, typer.Option(help="The episode log; by default in your data folder.")]


def part_options(given: list[str] | None, arm: str = "") -> dict[str, str]:
    """Return the options given by `-o` and `--arm`, by dotted name. Raises BadValue."""
    found = {"robot.arm": arm} if arm else {}
    for words in given or ():
        name, equals, value = words.partition("=")
        if not equals:
            raise BadValue(f"The option {words!r} has no value: write {name}=VALUE.")
        found[name.strip()] = value.strip()
    return found


def component_options(given: list[str] | None, kind: str) -> dict[str, str]:
    """Return the options of one kind of component without its name. Raises BadValue for one of another."""
    found = part_options(given)
    for name in found:
        if not name.startswith(f"{kind}."):
            raise BadValue(f"The option {name!r} is of no {kind}: write {kind}.NAME=VALUE.")
    return {name.removeprefix(f"{kind}."): value for name, value in found.items()}


def chosen_robot(robot: str, options: Mapping[str, str], tables: Registries) -> tuple[str, Mapping[str, str]]:
    """Return the robot that `--robot` and its options name, "" for none, and all options.

    `remote:HOST:PORT` names a robot with the place where it is. Raises BadValue, UnknownName.
    """
    name, colon, place = robot.partition(":")
    if not colon:
        return robot or robot_with_arm(options, tables), options
    if "at" not in tables["robots"][name].options.model_fields:
        raise BadValue(f"The robot {name!r} is at no address: write --robot {name}.")
    if options.get("robot.at", place) != place:
        raise BadValue(f"--robot says {place!r} and robot.at says {options['robot.at']!r}: give one of them.")
    return name, {**options, "robot.at": place}


def robot_with_arm(options: Mapping[str, str], tables: Registries) -> str:
    """Return the first robot that has an arm if these options name one, so that it is chosen; else ""."""
    if "robot.arm" not in options:
        return ""
    return next((e.name for e in tables["robots"] if "arm" in e.options.model_fields), "")


def log_path(database: Path | None) -> Path:
    """Return the given log, or the one in the user's data folder, which is created if missing."""
    if database is not None:
        return database
    from core.log.database import default_path

    return default_path()


def settings_of(context: typer.Context, **more: Any) -> Settings:
    """Return the settings from the options of the same names and from `more`. Raises BadValue.

    Without a task it is the default one; in a domain, "" stands for the first.
    """
    names = {f.name for f in fields(Settings)} & context.params.keys()
    given = {name: context.params[name] for name in names} | more
    if not given.get("task", "") and not given.get("domain"):
        given["task"] = Settings.task
    return Settings(**given)


BAD_INPUT = 2


@contextmanager
def report_errors() -> Iterator[None]:
    """Turn a ConsoleError into its sentence and exit code 2."""
    try:
        yield
    except ConsoleError as error:
        print_text(error, error=True)
        raise typer.Exit(BAD_INPUT) from None


@contextmanager
def report_signals() -> Iterator[None]:
    """Turn a signal that ends the program into a sentence and the exit code of shells, 128 + its number."""
    try:
        with ended_by_signals():
            yield
    except TerminatedBySignal as ended:
        print_text(f"Ended with {ended}.", error=True)
        raise typer.Exit(128 + ended.number) from None
