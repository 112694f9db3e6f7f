"""What the verbs of `episodes` do. Each raises ConsoleError for what it cannot do."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from datetime import datetime
from enum import Enum
from pathlib import Path

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from core.errors import BadValue, LogError, UnknownName
from core.events import Result, Started
from core.log.quota import First
from core.log.store import Filter, Store, Summary

UNITS = {"": 1, "k": 10**3, "m": 10**6, "g": 10**9, "t": 10**12}
WIDE = 100  # characters, below which a list leaves out what is counted but the steps
COUNTS = {"steps": "steps", "replans": "re-plans", "overrides": "by you"}


def reading(path: Path) -> Store:
    """The log, to be read and not touched. Raises LogError."""
    _there(path)
    return Store.open(path, read_only=True)


def _there(path: Path) -> None:
    if not path.exists():
        raise LogError(
            f"There is no episode log {path} yet: `python main.py run` begins one, or name another with "
            "--database."
        )


@contextmanager
def _writing(path: Path) -> Iterator[Store]:
    with Store.open(path) as store:
        _tell_repaired(store)
        yield store


def _tell_repaired(store: Store) -> None:
    for episode in store.repaired:
        Console(stderr=True, highlight=False).print(
            f"Episode {episode} was broken off; all that was logged of it is kept."
        )


def _print_json(form: object) -> None:
    print(json.dumps(form, default=_plain))


def _plain(value: object) -> object:
    if isinstance(value, Enum):
        return value.value
    raise TypeError(type(value).__name__)


# --- reading -----------------------------------------------------------------------------------------


def filter_of(tasks: Sequence[str], results: Sequence[str], tags: Sequence[str], words: str) -> Filter:
    known = [r.value for r in Result]
    for result in results:
        if result not in known:
            raise UnknownName("result", result, known)
    return Filter(tasks, [Result(r) for r in results], tags, words)


def list_episodes(
    store: Store, which: Filter, order: str, descending: bool, limit: int, offset: int, as_json: bool
) -> None:
    page = store.episodes(which, order, descending, limit, offset)
    if as_json:
        _print_json([asdict(summary) for summary in page])
        return
    total = store.count(which)
    console = Console(highlight=False)
    wide = console.width >= WIDE
    table = Table(box=None, header_style="dim")
    for name, least in (("episode", 24), ("task", None), ("answerer", None), ("result", 10), ("true", 4)):
        table.add_column(name, no_wrap=True, min_width=least)
    for name in (*COUNTS.values(), "s") if wide else ("steps",):
        table.add_column(name, justify="right", no_wrap=True, min_width=len(name))
    for s in page:
        counts = ("" if (n := getattr(s, name)) is None else str(n) for name in COUNTS)
        seconds = "" if s.seconds is None else f"{s.seconds:.1f}"
        cells = (s.episode, s.task, s.answerer, _result(s), _truth(s.true_goal), *counts, seconds)
        table.add_row(*map(escape, cells[: len(table.columns)]))
    console.print(table)
    shown = f"{offset + 1} to {offset + len(page)}" if page else "none"
    more = f"; `episodes show {page[0].episode}` tells the first turn by turn" if page else ""
    console.print(f"{shown} of {total}{more}", style="dim", soft_wrap=True)


def _result(summary: Summary) -> str:
    return summary.result.value if summary.result else "being recorded"


def _truth(value: bool | None) -> str:
    return "" if value is None else "yes" if value else "NO"


def show_episode(store: Store, episode: str, as_json: bool) -> None:
    """As it was told in the terminal when it ran, with what the log adds."""
    from app.terminal.watch import Watch
    from core.log.repeat import folder_of
    from core.log.shelf import Shelf
    from core.story import Story
    from core.telling import after

    summary = store.summary(episode)
    shelf = Shelf(store)
    tags, notes = shelf.tags(summary.episode), shelf.notes(summary.episode)
    if as_json:
        _print_json({**asdict(summary), "tags": tags, "notes": [asdict(n) for n in notes]})
        return
    console = Console(highlight=False)
    began = datetime.fromtimestamp(summary.began).strftime("%Y-%m-%d %H:%M:%S")
    console.print(f"{summary.episode}, {began}, seed {summary.seed}", style="dim")
    if tags:
        console.print(f"tags: {escape(', '.join(tags))}")
    for note in notes:
        at = f"at record {note.number}" if note.number else "on the whole"
        console.print(f"note of {escape(note.by or 'somebody')} {at}: {escape(note.text)}")
    records = list(store.records(summary.episode))
    first = records[0].event if records else None
    folder = folder_of(first if isinstance(first, Started) else Started(summary.task, "", (), (), ()))
    watch, story = Watch(folder, console), Story()
    for record in records:
        story = after(story, record)
        watch.show(record.event, story)


def search_moments(store: Store, words: str, limit: int, as_json: bool) -> int:
    """Returns how many were found."""
    from core.log.search import search

    hits = search(store, words, limit)
    if as_json:
        _print_json([asdict(hit) for hit in hits])
        return len(hits)
    console = Console(highlight=False)
    for hit in hits:
        console.print(f"[dim]{hit.episode} {hit.number:>5} {hit.kind}[/] {escape(hit.text)}", soft_wrap=True)
    if not hits:
        console.print(f"Nobody said or did {escape(words)} in an ended episode.")
    return len(hits)


# --- out and in --------------------------------------------------------------------------------------


def export_episodes(
    store: Store, episodes: list[str], to: Path, table: str, pictures: bool, as_json: bool
) -> None:
    from core.log.export.choose import WHAT, export

    ids = [store.summary(episode).episode for episode in episodes]
    count = export(store, ids, to, table, pictures)
    if as_json:
        _print_json({"file": str(to), "written": count})
    else:
        print(f"{count} {WHAT[to.suffix.lower()]}{'' if count == 1 else 's'} in {to}")


def import_episodes(file: Path, log: Path, as_json: bool) -> None:
    from core.log.export.lines import take

    with _writing(log) as store:
        new = take(store, file)
    if as_json:
        _print_json({"episodes": new})
    else:
        print(f"{len(new)} episode{'' if len(new) == 1 else 's'} taken in from {file}")


# --- keeping -----------------------------------------------------------------------------------------


def verify_log(path: Path, as_json: bool) -> bool:
    from core.log.verify import verify

    _there(path)
    try:
        store = Store.open(path)
    except LogError:  # read-only, say: then as it is
        store = Store.open(path, read_only=True)
    with store:
        _tell_repaired(store)
        report = verify(store)
    if as_json:
        _print_json({**asdict(report), "whole": report.whole})
        return report.whole
    for finding in report.findings:
        print(f"{finding.episode or path}: {finding.what}")
    print(
        f"{report.episodes} episodes ({report.broken_off} broken off, {report.live} being written), "
        f"{report.records} records, {report.pictures} pictures: "
        + ("whole" if report.whole else "NOT whole; --salvage FILE saves what can be read")
    )
    return report.whole


def salvage_log(path: Path, into: Path, as_json: bool) -> bool:
    """Returns whether nothing was lost."""
    from core.log.salvage import salvage

    _there(path)
    saved = salvage(path, into)
    if as_json:
        _print_json(asdict(saved))
    else:
        for lost in saved.lost:
            print(f"lost: {lost}")
        print(
            f"{saved.episodes} episodes, {saved.records} records and {saved.pictures} pictures are in {into}"
        )
    return not saved.lost


def make_profile(store: Store, model: str, to: Path | None, name: str, as_json: bool) -> None:
    from core.log import labels

    text = labels.profile(store, model, name or (to.stem if to else f"{model}-judged"))
    if to:
        try:
            to.write_text(text, encoding="utf-8")
        except OSError as error:
            raise BadValue(f"{to} cannot be written ({error.strerror}): choose another file.") from None
    if as_json:
        _print_json({"model": model, "judged": [asdict(j) for j in labels.judged(store, model)]})
    elif to:
        print(f"The profile is in {to}; answer by it with `run --answerer {to}`")
    else:
        print(text, end="")


def prune_log(path: Path, most: str, first: str, yes: bool, as_json: bool) -> bool:
    from core.log import quota

    _there(path)
    limit = size_of(most)
    known = [f.value for f in First]
    if first not in known:
        raise UnknownName("order of pruning", first, known)
    with _writing(path) as store:
        pruning = (quota.prune if yes else quota.plan)(store, limit, First(first))
    if as_json:
        _print_json({**asdict(pruning), "deleted": yes})
    else:
        done = "deleted for good" if yes else "would go; --yes deletes them for good"
        for episode in pruning.films:
            print(f"{episode} (only its live video)")
        for episode in pruning.episodes:
            print(episode)
        print(f"{len(pruning.episodes)} episodes ({pruning.bytes / 1e6:.1f} MB) {done}")
        print(f"the log takes {pruning.size / 1e6:.1f} MB")
        if not pruning.enough:
            print("What is left is tagged or unfinished, and still too much.")
    return pruning.enough


def size_of(words: str) -> int:
    """Bytes of "500M", "2 GB", "1000". Raises BadValue."""
    found = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*([kmgt]?)i?b?\s*", words.lower())
    if not found:
        raise BadValue(f"{words!r} is no size: say for example 500M or 2G.")
    return round(float(found[1]) * UNITS[found[2]])
