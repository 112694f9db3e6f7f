"""What the commands of `episodes` do. Each raises ConsoleError if it cannot."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime
from itertools import groupby
from pathlib import Path

from rich.table import Table
from rich.text import Text

from app.cli.output.json_output import json_object
from app.cli.output.printing import PlainConsole, print_line, print_text
from core.errors import LogError, UnknownName
from core.events import EPISODE, EpisodeResult, EpisodeStarted
from core.install_paths import COMMAND
from core.log.store import EpisodeFilter, EpisodeSummary, Store
from core.state.causes import result_words
from core.text.plural import plural
from core.text.untrusted_text import one_line

WIDE = 100  # characters, from which on the list is a table
COUNTS = {"step": "steps", "re-plan": "replans", "override": "overrides"}


def open_to_read(path: Path) -> Store:
    """Open the log read-only. Raises LogError."""
    require_log(path)
    return Store.open(path, read_only=True)


def require_log(path: Path) -> None:
    """Raise LogError if there is no log."""
    if not path.exists():
        raise LogError(
            f"There is no episode log {path} yet: `{COMMAND} run` begins one, or name another with "
            "--database."
        )


@contextmanager
def open_to_write(path: Path) -> Iterator[Store]:
    """Open the log to change it. Raises LogError."""
    with Store.open(path) as store:
        report_repaired(store)
        yield store


def report_repaired(store: Store) -> None:
    """Print which episodes were found interrupted."""
    for episode in store.repaired:
        print_text(f"Episode {episode} was interrupted; everything logged so far is kept.", error=True)


def print_json(form: object) -> None:
    """Print a form on one line."""
    print(json.dumps(form))


# --- reading -----------------------------------------------------------------------------------------


def build_filter(
    tasks: Sequence[str], results: Sequence[str], tags: Sequence[str], words: str, kinds: Sequence[str]
) -> EpisodeFilter:
    known = [r.value for r in EpisodeResult]
    for result in results:
        if result not in known:
            raise UnknownName("result", result, known)
    found = [EpisodeResult(r) for r in results]
    return EpisodeFilter(tasks, found, tags, words, kinds=kinds or (EPISODE,))


def list_episodes(
    store: Store, which: EpisodeFilter, order: str, descending: bool, limit: int, offset: int, as_json: bool
) -> None:
    page = store.episodes(which, order, descending, limit, offset)
    if as_json:
        print_json([json_object(summary) for summary in page])
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


def show_episode(store: Store, episode: str, domain: str, prompts: bool, as_json: bool) -> None:
    """Print an episode as when it ran, with what the log adds.

    `domain` is the folder whose wording is used; it is never taken from the log.
    """
    from app.cli.output.episode_printer import EpisodePrinter
    from core.episode_state import EpisodeState
    from core.log.annotations import EpisodeAnnotations
    from core.log.rerun_settings import domain_spec_of, external_references
    from core.state.state_reducer import apply_record

    summary = store.summary(episode)
    annotations = EpisodeAnnotations(store)
    tags, notes = annotations.tags(summary.episode), annotations.notes(summary.episode)
    if as_json:
        print_json({**json_object(summary), "tags": tags, "notes": [json_object(n) for n in notes]})
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
    folder = domain_spec_of(started, domain)
    watch, state = EpisodePrinter(folder, console, prompts), EpisodeState()
    for record in records:
        state = apply_record(state, record)
        watch.show(record.event, state)


def search_moments(store: Store, words: str, limit: int, as_json: bool) -> int:
    """Print the moments found; return their number."""
    from core.log.rerun_settings import domain_spec_of
    from core.log.search import search

    hits = search(store, words, limit)
    if as_json:
        print_json([json_object(hit) for hit in hits])
        return len(hits)
    console = PlainConsole()
    for episode, moments in groupby(hits, lambda hit: hit.episode):
        print_line(console, episode, "bold")
        first = next(iter(store.records(episode))).event
        name = domain_spec_of(first).display_name if isinstance(first, EpisodeStarted) else str
        for hit in moments:
            where = (f"{hit.number:>6}  {hit.kind.lower()}: ", "dim")
            words = " ".join(map(name, hit.text.split()))
            print_line(console, Text.assemble(where, one_line(words)))
    if not hits:
        print_line(console, f"Nothing matches {words} in an ended episode.")
    return len(hits)


# --- out and in --------------------------------------------------------------------------------------


def export_episodes(
    store: Store, episodes: list[str], to: Path, options: Mapping[str, str], as_json: bool
) -> None:
    from core.log.export.registry import export, exporter_for

    ids = [store.summary(episode).episode for episode in episodes]
    count = export(store, ids, to, options)
    if as_json:
        print_json({"file": str(to), "written": count})
    else:
        print_text(f"{plural(count, exporter_for(to).unit)} in {to}")


def import_episodes(file: Path, log: Path, as_json: bool) -> None:
    from core.log.export.jsonl import import_file

    with open_to_write(log) as store:
        new = import_file(store, file)
    if as_json:
        print_json({"episodes": new})
    else:
        print_text(f"{plural(len(new), 'episode')} imported from {file}")


def delete_episodes(path: Path, episodes: list[str], yes: bool, as_json: bool) -> None:
    """Delete these episodes permanently, with the pictures and videos that no other one has."""
    from core.log.annotations import EpisodeAnnotations

    require_log(path)
    with open_to_write(path) as store, EpisodeAnnotations(store) as annotations:
        ids = list(dict.fromkeys(store.summary(episode).episode for episode in episodes))
        for id in ids if yes else ():
            annotations.delete(id)
    if as_json:
        print_json({"episodes": ids, "deleted": yes})
        return
    for id in ids:
        print_text(id)
    print_text("deleted permanently" if yes else "would be deleted; --yes deletes them permanently")
