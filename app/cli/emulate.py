"""`emulate`: emulate a model's endpoint or a robot's controller, for practice."""

from __future__ import annotations

from contextlib import closing, suppress
from pathlib import Path

import typer
from typer import Option

from app.cli.help_text import CommandLine
from app.cli.log_file import open_to_read
from app.cli.options import Database, number
from app.cli.output.printing import print_text
from core.vqa.mock.mock_server import start_mock_server
from core.vqa.mock.reply_sources import ReplaySource
from core.vqa.reask import logged_exchanges

cli = CommandLine(name="emulate", help="Something to practise on; each listens on this machine until Ctrl+C.")


@cli.command()
def model(
    port: int = Option(8765, help="0: any that is free."),
    profile: str = Option("perfect", help="How well it answers: a profile, or a script."),
    faults: str = Option("", help='What goes wrong, how often: "429=0.1,cut=0.05".'),
    seed: int = Option(0, help="Random seed of its errors and faults."),
    delay: float = number(1.0, "Seconds of the fault `delay`."),
    episode: str = Option("", help="Instead of a profile: what was answered in this logged episode."),
    database: Database = None,
) -> None:
    """Emulate an endpoint with the OpenAI chat API, for `run --answerer URL`."""
    mind = _recorded(episode, database) if episode else profile
    endpoint = start_mock_server(mind, port=port, faults=faults, seed=seed, delay=delay)
    print_text(f"A model that answers as {endpoint.model}: {endpoint.url}")
    with closing(endpoint), suppress(KeyboardInterrupt):
        endpoint.wait()


@cli.command()
def ur5e(
    context: typer.Context,
    address: str = Option("127.0.0.1", help="Where it listens; another 127.0.0.x for a second one."),
    scene: str = Option(
        "tabletop", help="What stands on the table: tabletop, empty, or the path of a scene file."
    ),
    gripper: str = Option("hand-e", help="hand-e, 2f-85, vacuum, or the path of a gripper's file."),
) -> None:
    """Emulate a UR5e controller (PolyScope 5.15) with a gripper and cameras."""
    context.obj.emulate_arm(address, scene, gripper)


def _recorded(episode: str, database: Path | None) -> ReplaySource:
    """Return the answers of a logged episode. Raises UnknownName, LogError."""
    with open_to_read(database) as store:
        id = store.summary(episode).episode
        found = list(logged_exchanges((r.event for r in store.records(id)), lambda frame: b""))
    return ReplaySource(found, f"episode {id}")
