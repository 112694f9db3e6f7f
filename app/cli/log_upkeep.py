"""Commands that check, save, shrink or evaluate a whole log. Each raises ConsoleError if it cannot."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

from app.cli.episodes import open_to_write, print_json, report_repaired, require_log
from app.cli.output.json_output import json_object
from app.cli.output.printing import print_text
from core.data_file import write_text
from core.errors import BadValue, UnknownName
from core.log.integrity.schema_check import OlderLog
from core.log.quota import PruneOrder
from core.log.store import Store
from core.text.numbers import read_number
from core.text.plural import plural

if TYPE_CHECKING:
    from core.log.integrity.verify import VerificationReport

UNITS = {"": 1, "k": 10**3, "m": 10**6, "g": 10**9, "t": 10**12}


def verify_log(path: Path, as_json: bool) -> bool:
    """Verify the log without changing it, except that an older version is migrated first."""
    from core.log.integrity.verify import verify
    from core.log.sidecar import world_readable

    require_log(path)
    exposed = world_readable(path)
    try:
        store = Store.open(path, read_only=True)
    except OlderLog:
        store = Store.open(path)
        report_repaired(store)
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
    from core.log.integrity.salvage import salvage

    require_log(path)
    saved = salvage(path, into)
    if as_json:
        print_json(json_object(saved))
    else:
        for lost in saved.lost:
            print_text(f"lost: {lost}")
        counts = {"episode": saved.episodes, "record": saved.records, "picture": saved.pictures}
        print_text(f"Saved into {into}: " + ", ".join(plural(n, name) for name, n in counts.items()))
    return not saved.lost


def make_profile(store: Store, model: str, to: Path | None, name: str, as_json: bool) -> None:
    """Write a model's error rates, from people's judgements, as a profile, or print them."""
    from core.log import labels

    text = labels.profile_toml(store, model, name or (to.stem if to else f"{model}-judged"))
    if to:
        write_text(to, text)
    if as_json:
        print_json({"model": model, "judged": [json_object(j) for j in labels.answer_counts(store, model)]})
    elif to:
        print_text(f"The profile is in {to}; answer by it with `run --answerer {to}`")
        print_text(f"The method careful can use its rates: `-o method.error_rates={to}`")
    else:
        print_text(text.rstrip("\n"))


def prune_log(path: Path, most: str, first: str, yes: bool, as_json: bool) -> bool:
    """Delete episodes until the log takes at most this size. Return True if it does."""
    from core.log import quota

    require_log(path)
    limit = parse_size(most)
    known = [f.value for f in PruneOrder]
    if first not in known:
        raise UnknownName("order of pruning", first, known)
    with open_to_write(path) as store:
        pruning = (quota.prune if yes else quota.plan_pruning)(store, limit, PruneOrder(first))
    if as_json:
        print_json({**json_object(pruning), "deleted": yes})
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
    found = re.fullmatch(r"\s*([\d.,]+)\s*([kmgt]?)i?b?\s*", words.lower())
    if not found:
        raise BadValue(f"{words!r} is no size: say for example 500M or 2G.")
    return round(read_number(found[1]) * UNITS[found[2]])
