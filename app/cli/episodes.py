"""What the commands of `episodes` do. Each raises ConsoleError if it cannot."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime
from itertools import groupby
from pathlib import Path

from rich.table import Table
from rich.text import Text

from app.cli.json_output import json_object
from app.cli.printing import PlainConsole, print_line, print_text
from app.presentation.formatting import plural
from core.errors import BadValue, LogError, UnknownName
from core.events import EpisodeResult, EpisodeStarted
from core.install_paths import COMMAND
from core.log.integrity.schema_check import OlderLog
from core.log.quota import PruneOrder
from core.log.store import EpisodeFilter, EpisodeSummary, Store
from core.state.causes import result_words
from core.text.untrusted_text import one_line

WIDE = 100  # characters, from which on the list is a table
COUNTS = {"step": "steps", "re-plan": "replans", "override": "overrides"}
UNITS = {"": 1, "k": 10**3, "m": 10**6, "g": 10**9, "t": 10**12}


def reading(path: Path) -> Store:
    """Open the log read-only. Raises LogError."""
    _there(path)
    return Store.open(path, read_only=True)


def _there(path: Path) -> None:
    if not path.exists():
        raise LogError(
            f"There is no episode log {path} yet: `{COMMAND} run` begins one, or name another with "
            "--database."
        )


@contextmanager
def _writing(path: Path) -> Iterator[Store]:
    with Store.open(path) as store:
        _tell_repaired(store)
        yield store


def _tell_repaired(store: Store) -> None:
    for episode in store.repaired:
        print_text(f"Episode {episode} was interrupted; everything logged so far is kept.", error=True)


def _print_json(form: object) -> None:
    print(json.dumps(form))


# --- reading -----------------------------------------------------------------------------------------


def build_filter(
    tasks: Sequence[str], results: Sequence[str], tags: Sequence[str], words: str
) -> EpisodeFilter:
    known = [r.value for r in EpisodeResult]
    for result in results:
        if result not in known:
            raise UnknownName("result", result, known)
    return EpisodeFilter(tasks, [EpisodeResult(r) for r in results], tags, words)


def list_episodes(
    store: Store, which: EpisodeFilter, order: str, descending: bool, limit: int, offset: int, as_json: bool
) -> None:
    page = store.episodes(which, order, descending, limit, offset)
    if as_json:
        _print_json([json_object(summary) for summary in page])
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
    from app.cli.episode_printer import EpisodePrinter
    from core.episode_state import EpisodeState
    from core.log.annotations import EpisodeAnnotations
    from core.log.rerun_settings import domain_spec_of, external_references
    from core.state.state_reducer import apply_record

    summary = store.summary(episode)
    shelf = EpisodeAnnotations(store)
    tags, notes = shelf.tags(summary.episode), shelf.notes(summary.episode)
    if as_json:
        _print_json({**json_object(summary), "tags": tags, "notes": [json_object(n) for n in notes]})
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
    from core.log.search import search

    hits = search(store, words, limit)
    if as_json:
        _print_json([json_object(hit) for hit in hits])
        return len(hits)
    console = PlainConsole()
    for episode, moments in groupby(hits, lambda hit: hit.episode):
        print_line(console, episode, "bold")
        for hit in moments:
            where = (f"{hit.number:>6}  {hit.kind.lower()}: ", "dim")
            print_line(console, Text.assemble(where, one_line(hit.text)))
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
        _print_json({"file": str(to), "written": count})
    else:
        print_text(f"{plural(count, exporter_for(to).unit)} in {to}")


def import_episodes(file: Path, log: Path, as_json: bool) -> None:
    from core.log.export.jsonl import import_file

    with _writing(log) as store:
        new = import_file(store, file)
    if as_json:
        _print_json({"episodes": new})
    else:
        print_text(f"{plural(len(new), 'episode')} imported from {file}")


def delete_episodes(path: Path, episodes: list[str], yes: bool, as_json: bool) -> None:
    """Delete these episodes permanently, with the pictures and videos that no other one has."""
    from core.log.annotations import EpisodeAnnotations

    _there(path)
    with _writing(path) as store, EpisodeAnnotations(store) as shelf:
        ids = list(dict.fromkeys(store.summary(episode).episode for episode in episodes))
        for id in ids if yes else ():
            shelf.delete(id)
    if as_json:
        _print_json({"episodes": ids, "deleted": yes})
        return
    for id in ids:
        print_text(id)
    print_text("deleted permanently" if yes else "would be deleted; --yes deletes them permanently")


# --- keeping -----------------------------------------------------------------------------------------


def verify_log(path: Path, as_json: bool) -> bool:
    """Verify the log without changing it, except that an older version is migrated first."""
    from core.log.integrity.verify import verify
    from core.log.sidecar import world_readable

    _there(path)
    exposed = world_readable(path)
    try:
        store = Store.open(path, read_only=True)
    except OlderLog:
        store = Store.open(path)
        _tell_repaired(store)
    with store:
        report = verify(store)
    if as_json:
        form = {
            **json_object(report),
            "whole": report.is_intact,
            "readable_by_others": list(map(str, exposed)),
        }
        _print_json(form)
        return report.is_intact
    for finding in report.findings:
        print_text(f"{finding.episode or path}: {finding.problem}")
    for episode in report.unfinished:
        print_text(f"{episode}: ended by a kill, whole so far; the next start marks it as broken off")
    if exposed:
        print_text(f"{', '.join(map(str, exposed))}: others may read it; the next start makes it yours alone")
    if report.unchained:
        print_text(
            f"{plural(report.unchained, 'episode')} from a version that did not chain its records: a change "
            "that minded the checksums would not show"
        )
    print_text(
        f"{plural(report.episodes, 'episode')} ({report.interrupted} broken off, "
        f"{len(report.unfinished)} ended by a kill, {report.live} being written), "
        f"{plural(report.records, 'record')}, {plural(report.pictures, 'picture')}: "
        + ("whole" if report.is_intact else "NOT whole; --salvage FILE saves what can be read")
    )
    return report.is_intact


def salvage_log(path: Path, into: Path, as_json: bool) -> bool:
    """Copy what can be read into a new log. Return True if nothing was lost."""
    from core.log.integrity.salvage import salvage

    _there(path)
    saved = salvage(path, into)
    if as_json:
        _print_json(json_object(saved))
    else:
        for lost in saved.lost:
            print_text(f"lost: {lost}")
        counts = {"episode": saved.episodes, "record": saved.records, "picture": saved.pictures}
        print_text(f"Saved into {into}: " + ", ".join(plural(n, name) for name, n in counts.items()))
    return not saved.lost


def make_profile(store: Store, model: str, to: Path | None, name: str, as_json: bool) -> None:
    from core.log import labels

    text = labels.profile_toml(store, model, name or (to.stem if to else f"{model}-judged"))
    if to:
        try:
            to.write_text(text, encoding="utf-8")
        except OSError as error:
            raise BadValue(f"{to} cannot be written ({error.strerror}): choose another file.") from None
    if as_json:
        _print_json({"model": model, "judged": [json_object(j) for j in labels.answer_counts(store, model)]})
    elif to:
        print_text(f"The profile is in {to}; answer by it with `run --answerer {to}`")
    else:
        print_text(text.rstrip("\n"))


def prune_log(path: Path, most: str, first: str, yes: bool, as_json: bool) -> bool:
    from core.log import quota

    _there(path)
    limit = parse_size(most)
    known = [f.value for f in PruneOrder]
    if first not in known:
        raise UnknownName("order of pruning", first, known)
    with _writing(path) as store:
        pruning = (quota.prune if yes else quota.plan_pruning)(store, limit, PruneOrder(first))
    if as_json:
        _print_json({**json_object(pruning), "deleted": yes})
    else:
        done = "deleted permanently" if yes else "would be deleted; --yes deletes them permanently"
        for episode in pruning.episodes_without_video:
            print_text(f"{episode} (only its live video)")
        for episode in pruning.episodes:
            print_text(episode)
        freed = f"{plural(len(pruning.episodes), 'episode')} ({pruning.bytes / 1e6:.1f} MB)"
        print_text(f"{freed} {done}")
        print_text(f"the log takes {pruning.size / 1e6:.1f} MB")
        if not pruning.enough:
            print_text("What is left is tagged or unfinished, and still too much.")
    return pruning.enough


def parse_size(words: str) -> int:
    """Return the bytes of a size such as "500M", "2 GB" or "1000". Raises BadValue."""
    found = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*([kmgt]?)i?b?\s*", words.lower())
    if not found:
        raise BadValue(f"{words!r} is no size: say for example 500M or 2G.")
    return round(float(found[1]) * UNITS[found[2]])
