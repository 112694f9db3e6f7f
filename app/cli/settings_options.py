"""Options of a command from the fields of `Settings`, which say what they are."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields
from inspect import Parameter, signature
from typing import Any, TypeVar, get_type_hints

import typer

from app.cli import completion
from app.cli.options import number
from core.config import Settings

F = TypeVar("F", bound=Callable[..., Any])

ABOUT = {f.name: f for f in fields(Settings)}
TYPES = get_type_hints(Settings)
PANELS = {
    "The world": ("robot", "seed", "openness", "pace", "pictures"),
    "Who answers": (
        *("answerer", "model", "prompt", "picture_size", "cache"),
        *("max_calls", "max_dollars", "max_tokens", "max_seconds"),
    ),
}
PANEL_OF = {name: panel for panel, names in PANELS.items() for name in names}
COMPLETED: dict[str, Callable[..., Any]] = {
    "domain": completion.domains,
    "task": completion.tasks,
    **{kind: completion.component(f"{kind}s") for kind in ("robot", "method", "answerer", "engine")},
}


def takes_settings(*names: str, **helps: str) -> Callable[[F], F]:
    """Give a command an option for each of these settings, in place of its `**_`; `helps` are other help
    texts. `settings_of` returns what was given.
    """

    def with_options(command: F) -> F:
        own = [
            p.replace(kind=Parameter.KEYWORD_ONLY)
            for p in signature(command, eval_str=True).parameters.values()
        ]
        made = [_parameter(name, helps.get(name, "")) for name in (*names, *helps)]
        command.__signature__ = signature(command).replace(parameters=[*made, *own[:-1]])  # type: ignore[attr-defined]
        return command

    return with_options


def _parameter(name: str, help: str) -> Parameter:
    """Return the option of a setting; `task` is an argument, and "" by default."""
    field, completed = ABOUT[name], COMPLETED.get(name)
    panel = None if help else PANEL_OF.get(name)
    help = help or field.metadata["about"].description
    if name == "task":
        option = typer.Argument("", help=help, autocompletion=completed)
    else:
        more: dict[str, Any] = {"rich_help_panel": panel, "autocompletion": completed}
        flag = ("--live-video",) if name == "live_video" else ()
        make: Callable[..., Any] = number if "float" in str(TYPES[name]) else typer.Option
        option = make(field.default, *flag, help=help, **more)
    return Parameter(name, Parameter.KEYWORD_ONLY, default=option, annotation=TYPES[name])
