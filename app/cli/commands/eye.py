"""`eye`: the eyes of one's own, taught with what the log knows."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from app.cli.help_text import CommandLine
from app.cli.options import Database, Json, log_path, report_errors

Name = Annotated[str, typer.Argument(help="Which eye; `eye list` names them.")]
Source = Annotated[
    list[str] | None,
    typer.Option("--from", help="Learn only from: blind, review, override, truth. Repeat for each."),
]


def add_eye(cli: typer.Typer) -> None:
    """Add the verb to the command line."""
    eye = CommandLine(help="Teach an eye, choose its version, and measure its errors.", no_args_is_help=True)
    cli.add_typer(eye, name="eye")

    @eye.command("list")
    def list_(as_json: Json = False) -> None:
        """List the eyes and their versions; those in force are marked."""
        from app.cli.eyes import list_eyes

        with report_errors():
            list_eyes(as_json)

    @eye.command()
    def teach(
        name: Name,
        episode: Annotated[list[str] | None, typer.Argument(help="Their ids; none means all.")] = None,
        source: Source = None,
        keep: Annotated[bool, typer.Option("--keep", help="Keep it without asking.")] = False,
        database: Database = None,
        as_json: Json = False,
    ) -> None:
        """Teach an eye with labels: blind reviews, overrides, and what simulators knew.

        It is measured on episodes that it did not learn from, before and after, and used only if you keep it.
        Exit 1: it was not kept.
        """
        from app.cli.episodes import open_to_read
        from app.cli.eyes import teach_eye

        with report_errors(), open_to_read(log_path(database)) as store:
            kept = teach_eye(store, name, episode or (), source or (), keep, as_json)
        raise typer.Exit(0 if kept else 1)

    @eye.command()
    def use(name: Name, version: Annotated[str, typer.Argument(help="Which version.")]) -> None:
        """Put a version in force, from the next episode on."""
        from app.cli.eyes import print_version_in_use
        from core.vqa.eye.teaching import versions

        with report_errors():
            print_version_in_use(versions.activate(name, version))

    @eye.command()
    def back(name: Name) -> None:
        """Go back to the version from which the present one was taught."""
        from app.cli.eyes import print_version_in_use
        from core.vqa.eye.teaching import versions

        with report_errors():
            print_version_in_use(versions.revert(name))

    @eye.command()
    def profile(
        name: Name,
        version: Annotated[str, typer.Option(help="By default the one in force.")] = "",
        source: Source = None,
        to: Annotated[
            Path | None, typer.Option(help="A TOML file; by default one found by its name.")
        ] = None,
        database: Database = None,
        as_json: Json = False,
    ) -> None:
        """Measure an eye's error rates on labelled pictures, and write them as a profile.

        `bench` and the method careful take it like any other profile.
        """
        from app.cli.episodes import open_to_read
        from app.cli.eyes import measure_eye

        with report_errors(), open_to_read(log_path(database)) as store:
            measure_eye(store, name, version, source or (), to, as_json)
