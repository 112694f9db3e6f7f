"""The commands of `episodes` that write: export, import, verify, delete, profile, prune."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Annotated

import typer
from typer import Argument, Option

from app.cli import completion
from app.cli.help_text import CommandLine, listing
from app.cli.log_file import existing_log, open_to_read, open_to_write, print_notices
from app.cli.options import Database, Json, Plugins, log_path, part_options
from app.cli.output.json_output import json_object, print_json
from app.cli.output.printing import PlainConsole, print_text, progress
from core.data_file import make_folder, write_text
from core.errors import BadValue, UnknownName
from core.log import labels, quota
from core.log.annotations import EpisodeAnnotations
from core.log.export.jsonl import import_file
from core.log.export.registry import Counted, export, exporter_for
from core.log.integrity.salvage import salvage
from core.log.integrity.schema_check import OlderLog
from core.log.integrity.verify import VerificationReport, verify
from core.log.quota import PruneOrder
from core.log.sidecar import copies, world_readable
from core.log.store import Store
from core.methods.careful.known_rates import known_rates
from core.text.numbers import read_number
from core.text.plural import plural
from core.vqa.answerers.profiles import load_profile

WHICH = "its id, or as much of it as is unique, or `last` for the latest."
UNITS = {"": 1, "k": 10**3, "m": 10**6, "g": 10**9, "t": 10**12}
EACH = "{episode}"  # in the name of an export: one file for each
DELETED = {True: "deleted permanently", False: "would be deleted; --yes deletes them permanently"}
Yes = Annotated[bool, typer.Option("--yes", help="Delete; by default only list them.")]
upkeep = CommandLine()


@upkeep.command("export", cls=listing("exporters"))
def export_command(
    episode: list[str] | None = Argument(
        None, help=f"None means all; of each {WHICH}", autocompletion=completion.episodes
    ),
    to: Path = Option(
        Path("episodes.jsonl"),
        help="The file; its extension sets the format, one of those listed below. `out/{episode}.html` makes "
        "one file for each episode.",
    ),
    option: list[str] | None = Option(
        None,
        "--option",
        "-o",
        metavar="NAME=VALUE",
        help="An option of the format; `parts exporters` lists them. Repeat for each.",
    ),
    table: str = Option("", help="Short for -o table=..., of a CSV."),
    pictures: bool = Option(
        True, "--pictures/--no-pictures", help="Short for -o pictures=no, of JSON Lines."
    ),
    plugins: Plugins = None,
    database: Database = None,
    as_json: Json = False,
) -> None:
    """Export episodes for other programs and for people. HTML, MCAP and MP4 hold one episode: `--to
    out/{episode}.html` writes one for each.
    """
    with open_to_read(database) as store:
        options = {name.removeprefix("exporter."): v for name, v in part_options(option).items()}
        options |= ({"table": table} if table else {}) | ({} if pictures else {"pictures": "no"})
        ids = [store.summary(name).episode for name in episode or ()]
        if EACH in str(to):
            make_folder(to.parent)
        if not ids and (EACH in str(to) or to.suffix == ".lerobot"):
            ids = [s.episode for s in store.episodes(descending=False, limit=-1)]
        with progress(PlainConsole(stderr=True), "exporting") as report:
            every = Counted(ids, report)
            if EACH in str(to):
                count = sum(export(store, [id], Path(str(to).replace(EACH, id)), options) for id in every)
            else:
                count = export(store, every, to, options)
    if as_json:
        print_json({"file": str(to), "written": count})
    else:
        print_text(f"{plural(count, exporter_for(to).unit)} in {to}")


@upkeep.command("import")
def import_(
    file: Path = Argument(..., help="JSON Lines, as `episodes export` writes them."),
    database: Database = None,
    as_json: Json = False,
) -> None:
    """Import episodes, record by record. Those already in the log are left as they are."""
    with open_to_write(log_path(database)) as store:
        new = import_file(store, file)
    if as_json:
        print_json({"episodes": new})
    else:
        print_text(f"{plural(len(new), 'episode')} imported from {file}")


@upkeep.command("verify")
def verify_command(
    into: Path | None = Option(
        None, "--salvage", help="Save what can be read of a damaged log into this new file."
    ),
    database: Database = None,
    as_json: Json = False,
) -> None:
    """Check that every episode is complete so far and unchanged. Exit 1: something is not.

    This changes nothing, except that a log of an older version is migrated first.
    """
    path = existing_log(database)
    whole = salvage_log(path, into, as_json) if into else verify_log(path, as_json)
    raise typer.Exit(0 if whole else 1)


@upkeep.command()
def delete(
    episode: list[str] = Argument(..., help=f"Of each {WHICH}", autocompletion=completion.episodes),
    yes: Yes = False,
    database: Database = None,
    as_json: Json = False,
) -> None:
    """Delete episodes permanently, with the pictures and videos that no other one has."""
    with open_to_write(existing_log(database)) as store, EpisodeAnnotations(store) as annotations:
        ids = list(dict.fromkeys(store.summary(name).episode for name in episode))
        for id in ids if yes else ():
            annotations.delete(id)
    if as_json:
        print_json({"episodes": ids, "deleted": yes})
        return
    for id in ids:
        print_text(id)
    print_text(DELETED[yes])
    for copy in copies(store.path) if yes else ():
        print_text(f"{copy}, kept when the log was upgraded, still has what was in it then: remove it too.")


@upkeep.command()
def profile(
    model: str = Argument(..., help="The model, as named in the log."),
    to: Path | None = Option(None, help="A TOML file, for `run --answerer FILE`."),
    name: str = Option("", help="Its name; by default that of its file."),
    database: Database = None,
    as_json: Json = False,
) -> None:
    """Write a model's error rates per predicate, from people's judgements of its answers."""
    with open_to_read(database) as store:
        text = labels.profile_toml(store, model, name or (to.stem if to else f"{model}-judged"))
        if to:
            write_text(to, text)
        if as_json:
            print_json({"model": model, "judged": labels.answer_counts(store, model)})
        elif to:
            print_text(f"The profile is in {to}; answer by it with `run --answerer {to}`")
            print_text(f"The method careful can use its rates: `-o method.error_rates={to}`")
            if known := known_rates(load_profile(to), None).sentence:
                print_text(known)
        else:
            print_text(text.rstrip("\n"))


@upkeep.command()
def prune(
    most: str = Option(..., help="Maximum size of the log: 500M, 2G."),
    first: str = Option("oldest", help="Delete these first: oldest, largest, succeeded."),
    yes: Yes = False,
    database: Database = None,
    as_json: Json = False,
) -> None:
    """Delete episodes permanently until the log is small enough; never an unfinished or tagged one.

    Exit 1: the log is still too large.
    """
    path, limit = existing_log(database), parse_size(most)
    known = [f.value for f in PruneOrder]
    if first not in known:
        raise UnknownName("order of pruning", first, known)
    with open_to_write(path) as store:
        pruning = quota.prune(store, limit, PruneOrder(first), delete=yes)
    if as_json:
        print_json({**json_object(pruning), "deleted": yes})
    else:
        for name in pruning.episodes_without_video:
            print_text(f"{name} (only its live video)")
        for name in pruning.episodes:
            print_text(name)
        print_text(
            f"{plural(len(pruning.episodes), 'episode')} ({pruning.bytes / 1e6:.1f} MB) {DELETED[yes]}"
        )
        print_text(f"the log takes {pruning.size / 1e6:.1f} MB")
        if not pruning.enough:
            print_text("What is left is tagged or unfinished, and still too much.")
    raise typer.Exit(0 if pruning.enough else 1)


def verify_log(path: Path, as_json: bool) -> bool:
    """Verify the log without changing it, except that an older version is migrated first."""
    exposed = world_readable(path)
    try:
        store = Store.open(path, read_only=True)
    except OlderLog:
        store = Store.open(path)
        print_notices(store)
    with store:
        report = verify(store)
    if as_json:
        form = {
            **json_object(report),
            "whole": report.is_intact,
            "readable_by_others": list(map(str, exposed)),
        }
        print_json(form)
        return report.is_intact
    for finding in report.findings:
        print_text(f"{finding.episode or path}: {finding.problem}")
    for episode in report.unfinished:
        print_text(f"{episode}: ended by a kill, whole so far; the next start marks it as broken off")
    if exposed:
        print_text(f"{', '.join(map(str, exposed))}: others may read it; the next start makes it yours alone")
    print_text(
        f"{plural(report.episodes, 'episode')} ({report.interrupted} broken off, "
        f"{len(report.unfinished)} ended by a kill, {report.live} being written), "
        f"{plural(report.records, 'record')}, {plural(report.pictures, 'picture')}: "
        + ("whole" if report.is_intact else "NOT whole; --salvage FILE saves what can be read")
        + _unproved(report)
    )
    return report.is_intact


def _unproved(report: VerificationReport) -> str:
    """Return what `verify` could not have found, of how many episodes."""
    words = ""
    if (count := report.unsealed) > 0:
        ends = "its end" if count == 1 else "their ends"
        words += f"; {plural(count, 'episode')} without a seal: {ends} could have been cut off"
    if (count := report.unchained) > 0:
        words += f"; {plural(count, 'episode')} without a chain: a change with its checksum would not show"
    return words


def salvage_log(path: Path, into: Path, as_json: bool) -> bool:
    """Copy what can be read into a new log. Return True if nothing was lost."""
    saved = salvage(path, into)
    if as_json:
        print_json(saved)
    else:
        for lost in saved.lost:
            print_text(f"lost: {lost}")
        counts = {"episode": saved.episodes, "record": saved.records, "picture": saved.pictures}
        print_text(f"Saved into {into}: " + ", ".join(plural(n, name) for name, n in counts.items()))
    return not saved.lost


def parse_size(words: str) -> int:
    """Return the bytes of a size such as "500M", "2 GB" or "1000". Raises BadValue."""
    found = re.fullmatch(r"\s*([\d.,]+)\s*([kmgt]?)i?b?\s*", words.lower())
    if not found:
        raise BadValue(f"{words!r} is no size: say for example 500M or 2G.")
    return round(read_number(found[1]) * UNITS[found[2]])
