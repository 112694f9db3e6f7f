"""Help that is read easily: no type at a flag, and paragraphs that fill their line."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection
from typing import Any, TypeVar

import typer
from typer.core import TyperCommand, TyperGroup, TyperOption

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


class HelpfulGroup(TyperGroup):
    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """Name the group that has the command which is looked for here."""
        if args and self.get_command(ctx, args[0]) is None:
            within = [f"{name} {args[0]}" for name in self.commands if args[0] in self._commands_of(name)]
            if within:
                ctx.fail(f"No such command '{args[0]}'. Did you mean {' or '.join(within)}?")
        return super().resolve_command(ctx, args)

    def _commands_of(self, name: str) -> Collection[str]:
        return getattr(self.commands[name], "commands", {})

    def get_params(self, ctx: Any) -> list[Any]:
        return hide_flag_types(super().get_params(ctx))


class CommandLine(typer.Typer):
    """A group of commands whose help is all of this kind."""

    def __init__(self, **more: Any) -> None:
        super().__init__(cls=HelpfulGroup, pretty_exceptions_enable=False, **more)

    def command(self, name: str | None = None, **more: Any) -> Callable[[F], F]:
        return super().command(name, **{"cls": HelpfulCommand} | more)
