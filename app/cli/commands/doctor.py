"""`doctor`: what is installed, and what is missing."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from app.cli import completion
from app.cli.options import (
    Json,
    PartOptions,
    Plugins,
    chosen_robot,
    part_options,
    report_errors,
    report_signals,
)
from core.config import Settings
from core.registry import Registries


def add_doctor(cli: typer.Typer, tables: Callable[[], Registries]) -> None:
    """Add the command to the command line."""

    @cli.command()
    def doctor(
        model: Annotated[
            str, typer.Option(help="Ask this model one real question (a preset, PRESET:MODEL, or a URL).")
        ] = "",
        robot: Annotated[
            str,
            typer.Option(
                help="Ask this robot what it is and what it lacks; nothing moves. remote:HOST:PORT is one "
                "elsewhere.",
                autocompletion=completion.component("robots"),
            ),
        ] = "",
        option: PartOptions = None,
        full: Annotated[
            bool, typer.Option("--full", help="With --robot: start it and try everything once. Minutes.")
        ] = False,
        report: Annotated[
            Path | None, typer.Option(help="With --robot: write the findings here, to send them back.")
        ] = None,
        plugins: Plugins = None,
        as_json: Json = False,
    ) -> None:
        """Report what is installed and what is missing, with the command to fix it. Exit 1: something is
        wrong.
        """
        from app.cli.doctor import examine, examine_model, examine_robot, print_findings, try_robot
        from app.cli.doctor import write_report as write

        with report_errors(), report_signals():
            name, options = chosen_robot(robot, part_options(option), tables())
            if name:
                own = Settings(robot=name, options=options).options_for("robot")
                findings = (try_robot if full else examine_robot)(name, own, tables())
                if report is not None:
                    write(report, findings)
            else:
                findings = examine_model(model) if model else examine(tables())
        if as_json:
            print(json.dumps([asdict(f) for f in findings]))
        else:
            print_findings(findings)
        raise typer.Exit(1 if any(f.level == "wrong" for f in findings) else 0)
