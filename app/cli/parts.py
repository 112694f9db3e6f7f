"""`parts`: list every component, its options, and what it lacks on this machine."""

from __future__ import annotations

from typing import Annotated

import typer

from app.cli.component_list import component_infos, print_parts
from app.cli.help_text import CommandLine
from app.cli.options import Json, Plugins
from app.cli.output.json_output import print_json
from core.errors import UnknownName
from core.registry import Registries

Kind = Annotated[
    str, typer.Argument(help="robots, answerers, methods, engines, exporters or panels; by default all.")
]
cli = CommandLine()


@cli.command()
def parts(context: typer.Context, kind: Kind = "", plugins: Plugins = None, as_json: Json = False) -> None:
    """List every component, with its options, their ranges, and what it lacks on this machine.

    The lines under a component are its options: `robot.arm` is set by `run -o robot.arm=...`.
    """
    found = select_registries(context.obj.tables(), kind)
    if as_json:
        print_json(list(component_infos(found)))
    else:
        print_parts(found)


def select_registries(tables: Registries, kind: str) -> Registries:
    """Return the table of one kind, or all tables. Raises UnknownName."""
    if not kind:
        return tables
    name = kind if kind in tables else f"{kind}s"
    if name not in tables:
        raise UnknownName("kind of part", kind, tables)
    return {name: tables[name]}
