"""A command whose help ends with the components that it accepts, from the registries."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from typer.core import TyperCommand

from app.cli.help_text import HelpfulCommand
from app.cli.options import report_errors
from core.registry import Registries

OPTIONS = {  # what names a part of that kind
    "robots": "--robot",
    "answerers": "--answerer",
    "methods": "--method",
    "engines": "--engine",
    "exporters": "the ending of --to",
}


def choosing(tables: Callable[[], Registries], *kinds: str) -> type[TyperCommand]:
    """Return the class for `cli.command(cls=...)`; it loads the `--plugins` given before `--help`."""

    class Choosing(HelpfulCommand):
        def format_help(self, ctx: Any, formatter: Any) -> None:
            super().format_help(ctx, formatter)
            from app.cli.component_list import print_choices

            with report_errors():
                found = tables()
                print_choices({kind: found[kind] for kind in kinds if kind in found}, OPTIONS)

    return Choosing
