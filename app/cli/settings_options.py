"""Give commands options from the fields of `Settings`, and refuse an option that does nothing."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, fields
from inspect import Parameter, signature
from typing import Any, TypeVar, get_type_hints

import typer

from app.cli import completion
from app.cli.options import number
from core.config import Settings
from core.errors import BadValue

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


OF_A_MODEL = (*(n for n in PANELS["Who answers"] if n not in ("answerer", "prompt")), "calls_per_minute")
OF_PICTURES = ("picture_size", "strip", "video", "live_video")


@dataclass(frozen=True)
class Unused:
    """Options, by parameter, that do nothing because of what `reason` says."""

    names: tuple[str, ...]
    reason: str


def refuse_unused(context: typer.Context, unused: Iterable[Unused]) -> None:
    """Raise BadValue for the first of these options that was typed."""
    flags = {param.name: param.opts[0] for param in context.command.params}
    for rule in unused:
        given = [flags[name] for name in rule.names if _is_typed(context, name)]
        if given:
            do, them = ("does", "it") if len(given) == 1 else ("do", "them")
            raise BadValue(f"{' and '.join(given)} {do} nothing here: {rule.reason}. Leave {them} out.")


def unused_of_model(
    answerers: Iterable[str], methods: Iterable[str], knower: str, prompt: str
) -> Iterator[Unused]:
    """Yield what does nothing with these answerers, methods, `--knower` and `--prompt`.

    Plug-ins may use all of it, and methods ask otherwise with the paper's prompt.
    """
    from core.methods.registry import METHODS, asks_knower
    from core.vqa.knower.registry import is_simulated_knower
    from core.vqa.registry import asks_model

    names, chosen = tuple(answerers), tuple(methods)
    also = () if prompt == "paper" else ("prompt",)
    known = {entry.name for entry in METHODS}
    asks = any(asks_knower(name) or name not in known for name in chosen)
    if knower and not asks:
        yield Unused(("knower",), f"{_words(chosen)} asks no language model about the domain")
    if not any(map(asks_model, names)) and not (asks and knower and not is_simulated_knower(knower)):
        who = _words(names) if any(names) else "the default answerer"
        yield Unused((*OF_A_MODEL, *also), f"{who} is no model behind an address")


def _words(names: Iterable[str]) -> str:
    return " and ".join(dict.fromkeys(names))


def _is_typed(context: typer.Context, name: str) -> bool:
    source = context.get_parameter_source(name)
    return source is not None and source.name == "COMMANDLINE"  # by name: typer has an enumeration of its own
