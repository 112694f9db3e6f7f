"""Help that is read easily: no type at a flag, and paragraphs that fill their line."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection
from typing import Any, TypeVar

import typer
from typer.core import TyperCommand, TyperGroup, TyperOption

from app.cli.options import report_errors

NAMED_BY = {  # what names a part of that kind
    "robots": "--robot",
    "answerers": "--answerer",
    "methods": "--method",
    "engines": "--engine",
    "exporters": "the ending of --to",
}
F = TypeVar("F", bound=Callable[..., Any])


def reflow(words: str) -> str:
    """Return a docstring with each paragraph on one line, so that only the terminal breaks it."""
    return re.sub(r"(?<=\S)\n(?=\S)", " ", words)


def hide_flag_types(params: list[Any]) -> list[Any]:
    """Show no type at what takes no value."""
    for param in params:
        if isinstance(param, TyperOption) and param.is_flag and param.metavar is None:
            param.metavar = ""
    return params


class HelpfulCommand(TyperCommand):
    def __init__(self, *args: Any, help: str | None = None, **more: Any) -> None:
        super().__init__(*args, help=reflow(help) if help else help, **more)

    def get_params(self, ctx: Any) -> list[Any]:
        return hide_flag_types(super().get_params(ctx))


def listing(*kinds: str) -> type[TyperCommand]:
    """Return the class for `cli.command(cls=...)` whose help ends with the parts of these kinds, those of
    `--plugins` given before `--help` too.
    """

    class Listing(HelpfulCommand):
        def format_help(self, ctx: Any, formatter: Any) -> None:
            super().format_help(ctx, formatter)
            from app.cli.component_list import print_choices

            with report_errors():
                found = ctx.obj.tables()
                print_choices({kind: found[kind] for kind in kinds}, NAMED_BY)

    return Listing


class HelpfulGroup(TyperGroup):
    """A group of commands whose errors are sentences, with exit code 2."""

    def invoke(self, ctx: Any) -> Any:
        with report_errors():
            return super().invoke(ctx)

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """Name the group that has the command which is looked for here."""
        if args and self.get_command(ctx, args[0]) is None:
            within = [f"{name} {args[0]}" for name in self.commands if args[0] in self.commands_of(name)]
            if within:
                ctx.fail(f"No such command '{args[0]}'. Did you mean {' or '.join(within)}?")
        return super().resolve_command(ctx, args)

    def commands_of(self, name: str) -> Collection[str]:
        """Return the names of the commands of a group."""
        return getattr(self.commands[name], "commands", {})

    def get_params(self, ctx: Any) -> list[Any]:
        return hide_flag_types(super().get_params(ctx))


class CommandLine(typer.Typer):
    """A group of commands whose help is all of this kind."""

    def __init__(self, **more: Any) -> None:
        super().__init__(pretty_exceptions_enable=False, **{"cls": HelpfulGroup} | more)

    def command(self, name: str | None = None, **more: Any) -> Callable[[F], F]:
        return super().command(name, **{"cls": HelpfulCommand} | more)
