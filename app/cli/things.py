"""`things`: measure what a camera sees on the arm's table, and name it in a scene file."""

from __future__ import annotations

from pathlib import Path

import typer
from rich.table import Table
from typer import Argument, Option

from app.cli.help_text import CommandLine
from app.cli.options import ArmName
from app.cli.output.printing import PlainConsole, print_text
from core.arm.table_things import SeenThing
from core.text.plural import plural

HELP = "The things on the arm's table, from its camera's picture; nothing moves."
cli = CommandLine(name="things", help=HELP)


@cli.command("list")
def list_things(
    context: typer.Context,
    arm: ArmName = "",
    picture: Path | None = Option(None, help="Write the picture with the numbers to this PNG."),
) -> None:
    """List what stands on the table, with a number, its size and its colour."""
    look = context.obj.look_at_table(arm)
    if picture is not None:
        look.write_picture(picture)
        print_text(f"The numbers are in {picture}.")
    table = Table("nr", "x, y (m)", "mm", "hue", "", box=None, header_style="dim")
    for seen in look.things:
        table.add_row(*_cells(seen))
    PlainConsole().print(table)
    print_text(f"{plural(len(look.things), 'thing')} on the table.")


def _cells(seen: SeenThing) -> tuple[str, ...]:
    size = " x ".join(f"{1000 * side:.0f}" for side in seen.size)
    hue = "" if seen.fault else f"{seen.hue[0]} to {seen.hue[1]}"
    return str(seen.number), f"{seen.at[0]:.2f}, {seen.at[1]:.2f}", size, hue, seen.fault


@cli.command()
def add(
    context: typer.Context,
    number: int = Argument(..., help="Its number in `things list`."),
    name: str = Argument(..., help="Its name in your domain, such as screw_1."),
    scene: Path = Option(Path("scene.toml"), help="The scene file, made if there is none."),
    shape: str = Option("", help="Such as capsule; by default a bin where it is hollow, else a box."),
    arm: ArmName = "",
) -> None:
    """Add a thing on the table to a scene file, by its size and colour in the picture.

    A `scene.toml` beside a `domain.toml` counts for that domain; any other is named in the arm's setup.
    """
    print_text(context.obj.look_at_table(arm).add(number, name, scene, shape))
