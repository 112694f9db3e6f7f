"""`check`: what a domain folder lacks, for its author."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Annotated

import typer

from app.cli.options import Engine, Json, Plugins, report_errors
from core.registry import Registries

Folder = Annotated[str, typer.Argument(metavar="DOMAIN_FOLDER", help="A domain folder, shipped or yours.")]


def add_check(cli: typer.Typer, tables: Callable[[], Registries]) -> None:
    """Add the command to the command line."""

    @cli.command()
    def check(
        folder: Folder, engine: Engine = "pyperplan", plugins: Plugins = None, as_json: Json = False
    ) -> None:
        """Check a domain folder for each robot: PDDL, wording, situations, goals that cannot be reached,
        actions that a robot cannot do.

        Exit 0: no faults; there may be notes. 1: faults or gaps. 2: no such folder.
        """
        from app.cli.domain_findings import print_findings
        from app.cli.output.json_output import json_object
        from core.planning.domain_check import Severity, check_folder, whole_state_findings

        with report_errors():
            findings = check_folder(folder, tables().get("robots", ()), engine)
            findings += tuple(whole_state_findings(folder))
            if as_json:
                print(json.dumps([json_object(f) for f in findings]))
            else:
                print_findings(findings)
        raise typer.Exit(any(f.severity is not Severity.NOTE for f in findings))
