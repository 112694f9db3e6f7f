"""`parts`: list every component, its options, and what it lacks on this machine."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Annotated

import typer

from app.cli.options import Json, Plugins, report_errors
from core.registry import Registries

Kind = Annotated[
    str, typer.Argument(help="robots, answerers, methods, engines, exporters or panels; by default all.")
]


def add_parts(cli: typer.Typer, tables: Callable[[], Registries]) -> None:
    """Add the command to the command line."""

    @cli.command()
    def parts(kind: Kind = "", plugins: Plugins = None, as_json: Json = False) -> None:
        """List every component, with its options, their ranges, and what it lacks on this machine.

        The lines under a component are its options: `robot.arm` is set by `run -o robot.arm=...`.
        """
        from app.cli.component_list import component_infos, print_parts, select_registries
        from app.cli.output.json_output import json_object

        with report_errors():
            found = select_registries(tables(), kind)
            if as_json:
                print(json.dumps([json_object(form) for form in component_infos(found)]))
            else:
                print_parts(found)
