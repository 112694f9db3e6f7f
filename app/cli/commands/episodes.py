"""`episodes`: read the log, export and import episodes, verify and prune it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Annotated

import typer

from app.cli import completion
from app.cli.choosing import choosing
from app.cli.help_text import CommandLine
from app.cli.options import Database, Json, Plugins, log_path, part_options, report_errors
from core.registry import Registries

WHICH = "its id, or as much of it as is unique, or `last` for the latest."
Episode = Annotated[str, typer.Argument(help=WHICH.capitalize(), autocompletion=completion.episodes)]
Task = Annotated[list[str] | None, typer.Option(help="Only of this task; may be given again.")]
Result = Annotated[list[str] | None, typer.Option(help="Only with this result: succeeded, no plan, ...")]
Tag = Annotated[list[str] | None, typer.Option(help="Only with this tag.")]
Words = Annotated[str, typer.Option(help="Only where all these words were said or done.")]
Limit = Annotated[int, typer.Option(help="How many at most.", min=1)]


def add_episodes(cli: typer.Typer, tables: Callable[[], Registries]) -> None:
    """Add the commands to the command line."""
    episodes = CommandLine(help="The episode log: list, show, search, export, import, verify, delete, prune.")
    cli.add_typer(episodes, name="episodes")
    _add_reading(episodes)
    _add_moving(episodes, tables)
    _add_keeping(episodes)


def _add_reading(episodes: typer.Typer) -> None:
    @episodes.command("list")
    def list_(
        task: Task = None,
        result: Result = None,
        tag: Tag = None,
        words: Words = "",
        kind: Annotated[
            list[str] | None, typer.Option(help="Instead of episodes: draft, search; may be given again.")
        ] = None,
        order: Annotated[
            str, typer.Option(help="recorded, or a column: began, steps, cost, ...")
        ] = "recorded",
        ascending: Annotated[bool, typer.Option("--ascending", help="In ascending order.")] = False,
        limit: Limit = 50,
        offset: Annotated[int, typer.Option(help="Skip so many.", min=0)] = 0,
        database: Database = None,
        as_json: Json = False,
    ) -> None:
        """List the episodes, latest first."""
        from app.cli.episodes import build_filter, list_episodes, open_to_read

        with report_errors(), open_to_read(log_path(database)) as store:
            which = build_filter(task or (), result or (), tag or (), words, kind or ())
            list_episodes(store, which, order, not ascending, limit, offset, as_json)

    @episodes.command()
    def show(
        episode: Episode,
        domain: Annotated[
            str, typer.Option(help="Your domain folder, for its words; one named in the log is not opened.")
        ] = "",
        prompts: Annotated[
            bool, typer.Option("--prompts", help="With prompt and reply of each call of the method's own.")
        ] = False,
        database: Database = None,
        as_json: Json = False,
    ) -> None:
        """Show an episode, turn by turn."""
        from app.cli.episodes import open_to_read, show_episode

        with report_errors(), open_to_read(log_path(database)) as store:
            show_episode(store, episode, domain, prompts, as_json)

    @episodes.command()
    def search(
        words: Annotated[list[str], typer.Argument(help="All of them; a word matches how others begin.")],
        limit: Limit = 50,
        database: Database = None,
        as_json: Json = False,
    ) -> None:
        """Find the moments where these words occur. Exit 1: there are none."""
        from app.cli.episodes import open_to_read, search_moments

        with report_errors(), open_to_read(log_path(database)) as store:
            found = search_moments(store, " ".join(words), limit, as_json)
        raise typer.Exit(0 if found else 1)


def _add_moving(episodes: typer.Typer, tables: Callable[[], Registries]) -> None:
    @episodes.command(cls=choosing(tables, "exporters"))
    def export(
        episode: Annotated[
            list[str] | None,
            typer.Argument(help=f"None means all; of each {WHICH}", autocompletion=completion.episodes),
        ] = None,
        to: Annotated[
            Path, typer.Option(help="The file; its extension sets the format, one of those listed below.")
        ] = Path("episodes.jsonl"),
        option: Annotated[
            list[str] | None,
            typer.Option(
                "--option",
                "-o",
                metavar="NAME=VALUE",
                help="An option of the format; `parts exporters` lists them. Repeat for each.",
            ),
        ] = None,
        table: Annotated[str, typer.Option(help="Short for -o table=..., of a CSV.")] = "",
        pictures: Annotated[
            bool, typer.Option("--pictures/--no-pictures", help="Short for -o pictures=no, of JSON Lines.")
        ] = True,
        plugins: Plugins = None,
        database: Database = None,
        as_json: Json = False,
    ) -> None:
        """Export episodes for other programs and for people. HTML, MCAP and MP4 hold one episode."""
        from app.cli.episodes import export_episodes, open_to_read

        with report_errors(), open_to_read(log_path(database)) as store:
            options = {name.removeprefix("exporter."): v for name, v in part_options(option).items()}
            options |= ({"table": table} if table else {}) | ({} if pictures else {"pictures": "no"})
            export_episodes(store, episode or [], to, options, as_json)

    @episodes.command("import")
    def import_(
        file: Annotated[Path, typer.Argument(help="JSON Lines, as `episodes export` writes them.")],
        database: Database = None,
        as_json: Json = False,
    ) -> None:
        """Import episodes, record by record. Those already in the log are left as they are."""
        from app.cli.episodes import import_episodes

        with report_errors():
            import_episodes(file, log_path(database), as_json)


def _add_keeping(episodes: typer.Typer) -> None:
    @episodes.command()
    def verify(
        salvage: Annotated[
            Path | None, typer.Option(help="Save what can be read of a damaged log into this new file.")
        ] = None,
        database: Database = None,
        as_json: Json = False,
    ) -> None:
        """Check that every episode is complete so far and unchanged. Exit 1: something is not.

        This changes nothing, except that a log of an older version is migrated first.
        """
        from app.cli.log_upkeep import salvage_log, verify_log

        with report_errors():
            path = log_path(database)
            whole = salvage_log(path, salvage, as_json) if salvage else verify_log(path, as_json)
        raise typer.Exit(0 if whole else 1)

    @episodes.command()
    def delete(
        episode: Annotated[
            list[str], typer.Argument(help=f"Of each {WHICH}", autocompletion=completion.episodes)
        ],
        yes: Annotated[bool, typer.Option("--yes", help="Delete; by default only list them.")] = False,
        database: Database = None,
        as_json: Json = False,
    ) -> None:
        """Delete episodes permanently, with the pictures and videos that no other one has."""
        from app.cli.episodes import delete_episodes

        with report_errors():
            delete_episodes(log_path(database), episode, yes, as_json)

    @episodes.command()
    def profile(
        model: Annotated[str, typer.Argument(help="The model, as named in the log.")],
        to: Annotated[Path | None, typer.Option(help="A TOML file, for `run --answerer FILE`.")] = None,
        name: Annotated[str, typer.Option(help="Its name; by default that of its file.")] = "",
        database: Database = None,
        as_json: Json = False,
    ) -> None:
        """Write a model's error rates per predicate, from people's judgements of its answers."""
        from app.cli.episodes import open_to_read
        from app.cli.log_upkeep import make_profile

        with report_errors(), open_to_read(log_path(database)) as store:
            make_profile(store, model, to, name, as_json)

    @episodes.command()
    def prune(
        most: Annotated[str, typer.Option(help="Maximum size of the log: 500M, 2G.")],
        first: Annotated[
            str, typer.Option(help="Delete these first: oldest, largest, succeeded.")
        ] = "oldest",
        yes: Annotated[bool, typer.Option("--yes", help="Delete; by default only list them.")] = False,
        database: Database = None,
        as_json: Json = False,
    ) -> None:
        """Delete episodes permanently until the log is small enough; never an unfinished or tagged one.

        Exit 1: the log is still too large.
        """
        from app.cli.log_upkeep import prune_log

        with report_errors():
            enough = prune_log(log_path(database), most, first, yes, as_json)
        raise typer.Exit(0 if enough else 1)
