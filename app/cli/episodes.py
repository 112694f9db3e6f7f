"""What the commands of `episodes` do. Each raises ConsoleError if it cannot."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path

from rich.table import Table
from rich.text import Text

from app.cli.json_output import json_object
from app.cli.printing import PlainConsole, print_text
from core.errors import BadValue, LogError, UnknownName
from core.events import EpisodeResult, EpisodeStarted
from core.install_paths import COMMAND
from core.log.integrity.schema_check import OlderLog
from core.log.quota import PruneOrder
from core.log.store import EpisodeFilter, EpisodeSummary, Store
from core.untrusted_text import one_line, sanitise

UNITS = {"": 1, "k": 10**3, "m": 10**6, "g": 10**9, "t": 10**12}
WIDE = 100  # characters, below which a list leaves out what is counted but the steps
COUNTS = {"steps": "steps", "replans": "re-plans", "overrides": "by you"}


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
    total = store.count(which)
    console = PlainConsole()
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
        table.add_row(*map(one_line, cells[: len(table.columns)]))
    console.print(table)
    shown = f"{offset + 1} to {offset + len(page)}" if page else "none"
    more = f"; `episodes show {page[0].episode}` shows the first one turn by turn" if page else ""
    console.print(f"{shown} of {total}{more}", style="dim", soft_wrap=True)


def _result(summary: EpisodeSummary) -> str:
    return summary.result.value if summary.result else "being recorded"


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
    from core.state_reducer import apply_record

    summary = store.summary(episode)
    shelf = EpisodeAnnotations(store)
    tags, notes = shelf.tags(summary.episode), shelf.notes(summary.episode)
    if as_json:
        _print_json({**json_object(summary), "tags": tags, "notes": [json_object(n) for n in notes]})
        return
    console = PlainConsole()
    began = datetime.fromtimestamp(summary.began).strftime("%Y-%m-%d %H:%M:%S")
    console.print(f"{summary.episode}, {began}, seed {summary.seed}", style="dim")
    if tags:
        console.print(f"tags: {one_line(', '.join(tags))}")
    for note in notes:
        at = f"at record {note.number}" if note.number else "on the whole"
        console.print(f"note of {one_line(note.by or 'somebody')} {at}: {sanitise(note.text)}")
    records = list(store.records(summary.episode))
    first = records[0].event if records else None
    started = first if isinstance(first, EpisodeStarted) else EpisodeStarted(summary.task, "", (), (), ())
    for name, word in () if domain else external_references(started):
        text = f"{name} {one_line(word)}: shown, and not opened"
        console.print(Text(text, style="dim"), soft_wrap=True)
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
    for hit in hits:
        where = (f"{hit.episode} {hit.number:>5} {hit.kind} ", "dim")
        console.print(Text.assemble(where, one_line(hit.text)), soft_wrap=True)
    if not hits:
        console.print(f"Nothing matches {words} in an ended episode.")
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
        print_text(f"{count} {exporter_for(to).unit}{'' if count == 1 else 's'} in {to}")


def import_episodes(file: Path, log: Path, as_json: bool) -> None:
    from core.log.export.jsonl import import_file

    with _writing(log) as store:
        new = import_file(store, file)
    if as_json:
        _print_json({"episodes": new})
    else:
        print_text(f"{len(new)} episode{'' if len(new) == 1 else 's'} imported from {file}")


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
            f"{report.unchained} episodes are from a version that did not chain its records: a change that "
            "minded the checksums would not show"
        )
    print_text(
        f"{report.episodes} episodes ({report.interrupted} broken off, "
        f"{len(report.unfinished)} ended by a kill, "
        f"{report.live} being written), {report.records} records, {report.pictures} pictures: "
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
        print_text(
            f"{saved.episodes} episodes, {saved.records} records and {saved.pictures} pictures are in {into}"
        )
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
        print_text(f"{len(pruning.episodes)} episodes ({pruning.bytes / 1e6:.1f} MB) {done}")
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
