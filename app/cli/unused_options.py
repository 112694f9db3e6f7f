"""Refuse an option that does nothing with the chosen parts: whoever gave it believes that it does."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import typer

from app.cli.settings_options import PANELS
from core.errors import BadValue

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
