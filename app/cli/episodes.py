"""`episodes`: list, show and search what is in the log; `episode_upkeep` has the commands that write."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from datetime import datetime
from itertools import groupby
from typing import Annotated

import typer
from rich.table import Table
from rich.text import Text
from typer import Argument, Option

from app.cli import completion
from app.cli.episode_upkeep import WHICH, upkeep
from app.cli.help_text import CommandLine
from app.cli.log_file import open_to_read
from app.cli.options import Database, Json
from app.cli.output.episode_printer import EpisodePrinter
from app.cli.output.json_output import json_object, print_json
from app.cli.output.printing import PlainConsole, print_line, print_text
from core.episode_state import EpisodeState
from core.errors import UnknownName
from core.events import EPISODE, EpisodeResult, EpisodeStarted
from core.log.annotations import EpisodeAnnotations
from core.log.rerun_settings import domain_spec_of, external_references
from core.log.search import Hit, search
from core.log.store import EpisodeFilter, EpisodeSummary, Store
from core.state.causes import result_words
from core.state.state_reducer import apply_record
from core.text.class_words import class_words
from core.text.plural import plural
from core.text.untrusted_text import one_line

Limit = Annotated[int, typer.Option(help="How many at most.", min=1)]
WIDE = 100  # characters, from which on the list is a table
COUNTS = {"step": "steps", "re-plan": "replans", "override": "overrides"}
cli = CommandLine(
    name="episodes", help="The episode log: list, show, search, export, import, verify, delete, prune."
)
cli.add_typer(upkeep)


@cli.command("list")
def list_(
    task: list[str] | None = Option(None, help="Only of this task; may be given again."),
    result: list[str] | None = Option(None, help="Only with this result: succeeded, no plan, ..."),
    tag: list[str] | None = Option(None, help="Only with this tag."),
    words: str = Option("", help="Only where all these words were said or done."),
    kind: list[str] | None = Option(None, help="Instead of episodes: draft, search; may be given again."),
    order: str = Option("recorded", help="recorded, or a column: began, steps, cost, ..."),
    ascending: bool = Option(False, "--ascending", help="In ascending order."),
    limit: Limit = 50,
    offset: int = Option(0, help="Skip so many.", min=0),
    database: Database = None,
    as_json: Json = False,
) -> None:
    """List the episodes, latest first."""
    with open_to_read(database) as store:
        which = build_filter(task or (), result or (), tag or (), words, kind or ())
        page = store.episodes(which, order, not ascending, limit, offset)
        if as_json:
            print_json(page)
            return
        console = PlainConsole()
        if console.width >= WIDE:
            console.print(_table(page))
        else:
            for summary in page:
                print_line(console, _entry(summary))
        shown = f"{offset + 1} to {offset + len(page)}" if page else "none"
        more = f"; `episodes show {page[0].episode}` shows the first one turn by turn" if page else ""
        print_line(console, f"{shown} of {store.count(which)}{more}", "dim")


def build_filter(
    tasks: Sequence[str], results: Sequence[str], tags: Sequence[str], words: str, kinds: Sequence[str]
) -> EpisodeFilter:
    known = [r.value for r in EpisodeResult]
    for result in results:
        if result not in known:
            raise UnknownName("result", result, known)
    found = [EpisodeResult(r) for r in results]
    return EpisodeFilter(tasks, found, tags, words, kinds=kinds or (EPISODE,))


def _table(page: Sequence[EpisodeSummary]) -> Table:
    table = Table(box=None, header_style="dim")
    for name in ("episode", "task", "answerer", "result", "true"):
        table.add_column(name, overflow="fold")
    for name in (*(f"{count}s" for count in COUNTS), "s"):
        table.add_column(name, justify="right", no_wrap=True, min_width=len(name))
    for s in page:
        counts = ("" if (n := getattr(s, name)) is None else str(n) for name in COUNTS.values())
        seconds = "" if s.seconds is None else f"{s.seconds:.1f}"
        cells = (s.episode, s.task, s.answerer, _result(s), _truth(s.true_goal), *counts, seconds)
        table.add_row(*map(one_line, cells))
    return table


def _entry(s: EpisodeSummary) -> Text:
    """Return one episode in two lines, which leave nothing out where the table does not fit."""
    counts = [plural(n, word) for word, name in COUNTS.items() if (n := getattr(s, name)) is not None]
    counts += [] if s.seconds is None else [f"{s.seconds:.1f} s"]
    truth = "" if s.true_goal is None else f", true: {_truth(s.true_goal)}"
    first = Text.assemble((s.episode, "bold"), f"  {one_line(s.task)}: {_result(s)}{truth}")
    return Text("\n").join([first, Text(f"    {one_line(', '.join((s.answerer, *counts)))}", "dim")])


def _result(summary: EpisodeSummary) -> str:
    return result_words(summary.result, summary.true_goal)


def _truth(value: bool | None) -> str:
    return "" if value is None else "yes" if value else "NO"


@cli.command()
def live(
    port: int = Option(8765, min=0, max=65535, help="0: any that is free."), database: Database = None
) -> None:
    """Show the latest episode in Foxglove while it is recorded, and those that follow, until Ctrl+C.

    Open the connection that this prints in Foxglove on this machine; a laptop reaches it through
    `ssh -L 8765:127.0.0.1:8765`. Whoever watches can change nothing.
    """
    from core.log.export.live import HOST, follow, serve

    def ready(at: int) -> None:
        print_text(f"Foxglove: open the connection ws://{HOST}:{at}. End this with Ctrl+C.")

    with open_to_read(database) as store, suppress(KeyboardInterrupt):
        serve(store, port, follow(store), ready)


@cli.command()
def show(
    episode: str = Argument(..., help=WHICH.capitalize(), autocompletion=completion.episodes),
    domain: str = Option("", help="Your domain folder, for its words; one named in the log is not opened."),
    prompts: bool = Option(
        False, "--prompts", help="With prompt and reply of each call of the method's own."
    ),
    database: Database = None,
    as_json: Json = False,
) -> None:
    """Show an episode, turn by turn."""
    with open_to_read(database) as store:
        summary = store.summary(episode)
        annotations = EpisodeAnnotations(store)
        tags, notes = annotations.tags(summary.episode), annotations.notes(summary.episode)
        if as_json:
            print_json({**json_object(summary), "tags": tags, "notes": notes})
            return
        console = PlainConsole()
        began = datetime.fromtimestamp(summary.began).strftime("%Y-%m-%d %H:%M:%S")
        print_line(console, f"{summary.episode}, {began}, seed {summary.seed}", "dim")
        if tags:
            print_line(console, f"tags: {one_line(', '.join(tags))}")
        for note in notes:
            at = f"at record {note.number}" if note.number else "on the episode"
            print_line(console, f"note by {one_line(note.by or 'somebody')} {at}: {note.text}")
        records = list(store.records(summary.episode))
        first = records[0].event if records else None
        started = first if isinstance(first, EpisodeStarted) else EpisodeStarted(summary.task, "", (), (), ())
        for name, word in () if domain else external_references(started):
            print_line(console, f"{name} {one_line(word)}: shown, and not opened", "dim")
        domain_spec = domain_spec_of(started, domain)
        watch, state = EpisodePrinter(domain_spec, console, prompts), EpisodeState()
        for record in records:
            state = apply_record(state, record)
            watch.show(record.event, state)


@cli.command("search")
def search_command(
    words: list[str] = Argument(..., help="All of them; a word matches how others begin."),
    limit: Limit = 50,
    database: Database = None,
    as_json: Json = False,
) -> None:
    """Find the moments where these words occur. Exit 1: there are none."""
    with open_to_read(database) as store:
        hits = search(store, " ".join(words), limit)
        if as_json:
            print_json(hits)
        else:
            _print_hits(store, hits, " ".join(words))
    raise typer.Exit(0 if hits else 1)


def _print_hits(store: Store, hits: Sequence[Hit], words: str) -> None:
    console = PlainConsole()
    for episode, moments in groupby(hits, lambda hit: hit.episode):
        print_line(console, episode, "bold")
        first = next(iter(store.records(episode))).event
        name = domain_spec_of(first).display_name if isinstance(first, EpisodeStarted) else str
        for hit in moments:
            where = (f"{hit.number:>6}  {class_words(hit.kind)}: ", "dim")
            words = " ".join(map(name, hit.text.split()))
            print_line(console, Text.assemble(where, one_line(words)))
    if not hits:
        print_line(console, f"Nothing matches {words} in an ended episode.")
