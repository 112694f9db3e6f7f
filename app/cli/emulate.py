"""`emulate`: emulate a model's endpoint or a robot's controller, for practice."""

from __future__ import annotations

from contextlib import closing, suppress
from pathlib import Path
from typing import Annotated

import typer

from app.cli.help_text import CommandLine
from app.cli.log_file import open_to_read
from app.cli.options import Database, number, report_errors
from app.cli.output.printing import print_text
from core.vqa.mock.mock_server import start_mock_server
from core.vqa.mock.reply_sources import ReplaySource
from core.vqa.reask import logged_exchanges

cli = CommandLine(name="emulate", help="Something to practise on; each listens on this machine until Ctrl+C.")


@cli.command()
def model(
    port: Annotated[int, typer.Option(help="0: any that is free.")] = 8765,
    profile: Annotated[str, typer.Option(help="How well it answers: a profile, or a script.")] = "perfect",
    faults: Annotated[str, typer.Option(help='What goes wrong, how often: "429=0.1,cut=0.05".')] = "",
    seed: Annotated[int, typer.Option(help="Random seed of its errors and faults.")] = 0,
    delay: Annotated[float, number("Seconds of the fault `delay`.")] = 1.0,
    episode: Annotated[
        str, typer.Option(help="Instead of a profile: what was answered in this logged episode.")
    ] = "",
    database: Database = None,
) -> None:
    """Emulate an endpoint with the OpenAI chat API, for `run --answerer URL`."""
    with report_errors():
        mind = _recorded(episode, database) if episode else profile
        endpoint = start_mock_server(mind, port=port, faults=faults, seed=seed, delay=delay)
        print_text(f"A model that answers as {endpoint.model}: {endpoint.url}")
        with closing(endpoint), suppress(KeyboardInterrupt):
            endpoint.wait()


@cli.command()
def ur5e(
    context: typer.Context,
    address: Annotated[
        str, typer.Option(help="Where it listens; another 127.0.0.x for a second one.")
    ] = "127.0.0.1",
    scene: Annotated[
        str, typer.Option(help="What stands on the table: tabletop, empty, or the path of a scene file.")
    ] = "tabletop",
    window: Annotated[bool, typer.Option(help="Show the arm in a window.")] = False,
    gripper: Annotated[
        str, typer.Option(help="hand-e, 2f-85, vacuum, or the path of a gripper's file.")
    ] = "hand-e",
) -> None:
    """Emulate a UR5e controller (PolyScope 5.15) with a gripper and cameras."""
    with report_errors():
        context.obj.emulate_arm(address, scene, window, gripper)


def _recorded(episode: str, database: Path | None) -> ReplaySource:
    """Return the answers of a logged episode. Raises UnknownName, LogError."""
    with open_to_read(database) as store:
        id = store.summary(episode).episode
        found = list(logged_exchanges((r.event for r in store.records(id)), lambda frame: b""))
    return ReplaySource(found, f"episode {id}")
