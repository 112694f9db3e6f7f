"""What the verb `check` prints: a table that is readable at 80 columns."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import groupby

from rich.table import Table

from app.terminal.printing import Screen
from app.words import count
from core.planning.checking import Finding, Level

STYLES = {Level.FAULT: "red", Level.GAP: "yellow", Level.NOTE: "dim"}
GLYPHS = {Level.FAULT: "✗", Level.GAP: "◆", Level.NOTE: "–"}


def print_findings(findings: Sequence[Finding]) -> None:
    """Faults first; findings with the same lack and the same cost share a line."""
    console = Screen()
    if not findings:
        console.print("Nothing is missing.")
        return
    table = Table(box=None, header_style="dim", padding=(0, 2, 0, 0))
    for name in ("", "where", "what", "what it costs"):
        table.add_column(name, overflow="fold")
    for level in Level:
        groups: dict[tuple[str, str], list[str]] = {}
        for f in _shortened([f for f in findings if f.level is level]):
            groups.setdefault((f.lack, f.costs), []).append(f.about)
        for (lack, costs), abouts in groups.items():
            words = (GLYPHS[level], _together(abouts), lack, costs)
            table.add_row(*words, style=STYLES[level])
    console.print(table)
    told = (count(sum(f.level is level for f in findings), level.value) for level in Level)
    console.print(f"{', '.join(told)}. A note may be just as you want it.")


def _shortened(findings: Sequence[Finding]) -> Iterator[Finding]:
    """Of a robot that is not the domain's own, the first reason and how many more there are."""
    for about, group in groupby(findings, lambda f: f.about):
        first, *more = group
        if more and first.level is Level.NOTE and about.startswith("robot "):
            yield replace(first, lack=f"{first.lack}, and {len(more)} more")
        else:
            yield from (first, *more)


def _together(abouts: Sequence[str]) -> str:
    """ "predicate on", "predicate clear": "predicate on, clear"."""
    kind = abouts[0].partition(" ")[0]
    if all(about.startswith(f"{kind} ") for about in abouts):
        return f"{kind} {', '.join(about.partition(' ')[2] for about in abouts)}"
    return ", ".join(abouts)
