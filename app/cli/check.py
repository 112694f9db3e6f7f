"""`check`: what a domain folder lacks, for its author, as a table that fits 80 columns."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import groupby
from typing import Annotated, Any

import typer
from rich.table import Column, Table

from app.cli.help_text import CommandLine
from app.cli.options import Json, Plugins, log_path
from app.cli.output.json_output import print_json
from app.cli.output.printing import PlainConsole
from app.cli.settings_options import takes_settings
from core.drafting.folder import contradictions
from core.errors import ConsoleError
from core.knowledge.changes import SideEffect
from core.log.knowledge_store import KnowledgeStore
from core.planning.domain_check import DomainFinding, Severity, check_folder, whole_state_findings
from core.planning.domain_library import load_domain_spec
from core.text.plural import plural

STYLES = {Severity.FAULT: "red", Severity.GAP: "yellow", Severity.NOTE: "dim"}
GLYPHS = {Severity.FAULT: "✗", Severity.GAP: "◆", Severity.NOTE: "–"}
Folder = Annotated[str, typer.Argument(metavar="DOMAIN_FOLDER", help="A domain folder, shipped or yours.")]
cli = CommandLine()


@cli.command()
@takes_settings("engine")
def check(
    context: typer.Context, folder: Folder, plugins: Plugins = None, as_json: Json = False, **given: Any
) -> None:
    """Check a domain folder for each robot: PDDL, wording, situations, goals that cannot be reached,
    actions that a robot cannot do.

    Exit 0: no faults; there may be notes. 1: faults or gaps. 2: no such folder.
    """
    findings = check_folder(folder, context.obj.tables()["robots"], given["engine"])
    findings += (*whole_state_findings(folder), *_judged(folder), *_learnt(folder))
    if as_json:
        print_json(findings)
    else:
        print_findings(findings)
    raise typer.Exit(any(f.severity is not Severity.NOTE for f in findings))


def _judged(folder: str) -> Iterator[DomainFinding]:
    """Yield the walks that the domain does not do as a person said."""
    try:
        for walk, lack in contradictions(load_domain_spec(folder)):
            yield DomainFinding(Severity.FAULT, f"walk {walk}", lack, "the domain, or who says so, is wrong")
    except ConsoleError as error:
        yield DomainFinding(Severity.FAULT, "walks", str(error), "they are not replayed")


def _learnt(folder: str) -> Iterator[DomainFinding]:
    """Yield what a person let count against the folder in earlier episodes."""
    try:
        kept = KnowledgeStore(log_path(None).parent / "knowledge").load(load_domain_spec(folder).name)
    except ConsoleError:  # said above, or where it is used
        return
    for change in (one.learnt.change for one in kept if one.kept):
        if isinstance(change, SideEffect) and not change.robot:
            about, lack = f"side effect of {change.cause}", change.describe()
            yield DomainFinding(Severity.NOTE, about, lack, "is an effect, or a situation, missing?")


def print_findings(findings: Sequence[DomainFinding]) -> None:
    """Print faults first; findings with the same lack and the same effect share a line."""
    console = PlainConsole()
    if not findings:
        console.print("Nothing is missing.")
        return
    heads = (Column(head, overflow="fold") for head in ("", "where", "what", "what it costs"))
    table = Table(*heads, box=None, header_style="dim", padding=(0, 2, 0, 0))
    counts = []
    for level in Severity:
        groups: dict[tuple[str, str], list[str]] = {}
        for f in _shortened([f for f in findings if f.severity is level]):
            groups.setdefault((f.problem, f.consequence), []).append(f.subject)
        for (lack, costs), abouts in groups.items():
            words = (GLYPHS[level], _together(abouts), lack, costs)
            table.add_row(*words, style=STYLES[level])
        counts.append(plural(len(groups), level.value))  # as many as there are lines
    console.print(table)
    console.print(f"{', '.join(counts)}. A note may be just as you want it.")


def _shortened(findings: Sequence[DomainFinding]) -> Iterator[DomainFinding]:
    """Return the findings; those of a robot that is not the default become the first one and a count."""
    for about, group in groupby(findings, lambda f: f.subject):
        first, *more = group
        if more and first.severity is Severity.NOTE and about.startswith("robot "):
            yield replace(first, problem=f"{first.problem}, and {len(more)} more")
        else:
            yield from (first, *more)


def _together(abouts: Sequence[str]) -> str:
    """Join subjects of one kind: "predicate on", "predicate clear" become "predicate on, clear"."""
    kind = abouts[0].partition(" ")[0]
    if all(about.startswith(f"{kind} ") for about in abouts):
        return f"{kind} {', '.join(about.partition(' ')[2] for about in abouts)}"
    return ", ".join(abouts)
