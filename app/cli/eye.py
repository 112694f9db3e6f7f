"""`eye`: the eyes of one's own, taught with what the log knows."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import Annotated

import typer
from rich.table import Column, Table
from typer import Argument, Option

from app.cli.help_text import CommandLine
from app.cli.log_file import open_to_read
from app.cli.options import Database, Json
from app.cli.output.json_output import json_object, print_json
from app.cli.output.printing import OperatorGone, PlainConsole, ask, print_text, progress, right_column
from core.errors import BadValue, UnknownName
from core.install_paths import as_called_here
from core.log.store import Store
from core.planning.domain_library import find_task
from core.robots import RobotRegistry
from core.stop_token import StopToken
from core.text.plural import plural
from core.vqa.eye.coverage import vision_atoms
from core.vqa.eye.eye import NO, YES, Eye
from core.vqa.eye.eye_file import EyeCard, doubts, measured, shortfall, total, verdict
from core.vqa.eye.teaching import versions
from core.vqa.eye.teaching.drawn import drawn_labels
from core.vqa.eye.teaching.labels import LabelSource, PictureLabel, choose, count_labels, read_labels
from core.vqa.eye.teaching.measure import (
    ALL,
    Answered,
    ask_labelled,
    error_profile,
    read_viewpoints,
    said_yes,
    with_figures,
    write_profile,
)
from core.vqa.eye.teaching.teach import HEADS, WORDS, TaughtEye, figure_rows, teach, warnings
from core.vqa.eye.teaching.versions import EyeVersion, find_version

SOURCES = {
    "blind": LabelSource.BLIND,
    "review": LabelSource.REVIEW,
    "override": LabelSource.OVERRIDE,
    "truth": LabelSource.TRUTH,
}
DRAWN_SEEDS = range(50_000, 50_040)  # none of episodes, nor of the shipped eyes
Name = Annotated[str, typer.Argument(help="Which eye; `eye list` names them.")]
Source = Annotated[
    list[str] | None,
    typer.Option("--from", help="Labels only from: blind, review, override, truth. Repeat for each."),
]
Episodes = Annotated[list[str] | None, typer.Argument(help="Their ids; none means all.")]
cli = CommandLine(
    name="eye", help="Teach an eye, choose its version, and measure its errors.", no_args_is_help=True
)


@cli.command("list")
def list_(as_json: Json = False) -> None:
    """List the eyes and their versions; those in force are marked."""
    found = versions.versions()
    if as_json:
        rows = [(v.card.name, v.card.version, v.in_force, v.card.parent, doubts(v.card)) for v in found]
        names = ("name", "version", "in_force", "parent", "doubts")
        print_json([dict(zip(names, row, strict=True)) for row in rows])
        return
    if not found:
        print_text(as_called_here("There is no eye yet: docs/eye.md says how to train one."))
        return
    version = Column("version", no_wrap=True)
    table = Table("eye", version, "", "trained on", box=None, header_style="dim")
    for v in found:
        table.add_row(v.card.name, v.card.version, "in force" if v.in_force else "", v.card.trained_on)
    PlainConsole().print(table)
    for card in (v.card for v in found if v.in_force):
        print_text(doubts(card) or f"The eye {card.name} {card.version}: {measured(card)}.")


@cli.command("teach")
def teach_command(
    context: typer.Context,
    name: Name,
    episode: Episodes = None,
    source: Source = None,
    draw: str = Option(
        "",
        metavar="TASK",
        help="Learn from pictures of this task that its simulator draws, not the log.",
    ),
    domain: str = Option("", help="With --draw: the task's domain folder, shipped or yours."),
    keep: bool = Option(False, "--keep", help="Keep it without asking."),
    database: Database = None,
    as_json: Json = False,
) -> None:
    """Teach an eye with labels: blind reviews, overrides, and what simulators knew.

    It is measured on episodes that it did not learn from, before and after, and used only if you keep it.
    Exit 1: it was not kept.
    """
    with nullcontext() if draw else open_to_read(database) as store:
        base, console = find_version(name), PlainConsole(stderr=True)
        if store is None:
            drawn = _drawing(context.obj.tables()["robots"], draw, domain)
            console.print(f"  pictures of {draw} are drawn: two minutes of processor time, with the rest")
            with console.status("drawing"):
                labels, pngs = drawn()
            picture_of = pngs.__getitem__
        else:
            labels, picture_of = labels_of(store, episode or (), source or ()), store.picture
        for predicate, counts in count_labels(labels).items():
            told = ", ".join(f"{n} {word}" for n, word in zip(counts, WORDS, strict=True) if n)
            console.print(f"  {predicate}: {told}", style="dim")
        if labels and not keep and not sys.stdin.isatty():
            console.print("  Nobody can be asked here: without --keep the new version is measured, not kept.")
        with progress(console, "teaching") as report:
            taught = teach(Eye(base.folder), labels, picture_of, StopToken(), report)
        show_taught(taught, as_json)
        worse = keep and replaces_a_good_one(base.card, taught.eye.card)
        why = "it is shown to be good enough, the new one is not; without --keep you are asked"
        if worse or (not keep and sys.stdin.isatty()):
            keep = not worse and _agreed(console)
        if keep:
            now = versions.keep(versions.stage_version(taught.eye, base.folder / "trunk.onnx"))
            if not as_json:
                print_version_in_use(now)
        elif not as_json:
            because = why if worse else "--keep keeps it"
            print_text(f"It was not kept: {name} {base.card.version} stays in force ({because}).")
    raise typer.Exit(0 if keep else 1)


@cli.command()
def use(name: Name, version: str = Argument(..., help="Which version.")) -> None:
    """Put a version in force, from the next episode on."""
    print_version_in_use(versions.activate(name, version))


@cli.command()
def back(name: Name) -> None:
    """Go back to the version from which the present one was taught."""
    print_version_in_use(versions.revert(name))


@cli.command()
def profile(
    name: Name,
    episode: Episodes = None,
    version: str = Option("", help="By default the one in force."),
    source: Source = None,
    to: Path | None = Option(None, help="A TOML file; by default one found by its name."),
    database: Database = None,
    as_json: Json = False,
) -> None:
    """Measure an eye's error rates in episodes that it was not taught with, and write them as a profile.

    `bench` and the method careful take it like any other profile. Without --to they become the figures of a
    version of yours, so that `run` and the set-up say where it errs too often.
    """
    with open_to_read(database) as store:
        chosen = find_version(name, version)
        eye, console = Eye(chosen.folder), PlainConsole(stderr=True)
        found = [x for x in labels_of(store, episode or (), source or ()) if eye.knows(x.question)]
        labels = [x for x in found if x.episode not in eye.card.learnt]
        if left := {x.episode for x in found} - {x.episode for x in labels}:
            console.print(f"  left out, as it was taught with them: {plural(len(left), 'episode')}")
        with console.status("asking about labelled pictures"):
            answered = ask_labelled(eye, labels, store.picture, StopToken(), lambda done, of: None)
        made = error_profile(eye.card, answered, read_viewpoints(store))
        path = write_profile(made, to)
        card = with_figures(chosen.card, answered) if to else versions.set_figures(chosen, answered)
        if as_json:
            print_json(
                {**json_object(made), "file": str(path), "doubts": doubts(card), "measured": measured(card)}
            )
            return
        _show_rates(answered)
        print_text(verdict(card))
        unsure = max(0.0, 1 - total(card).right - total(card).opposite)
        print_text(f"It was not sure of {100 * unsure:.1f} %, which the table leaves out.")
        words = f"`run --answerer {to or made.name}` simulates answers that err like this"
        print_text(f"The profile is in {path}; {words}; `--answerer eye` asks the eye itself.")


def replaces_a_good_one(old: EyeCard, new: EyeCard) -> bool:
    """Return True if the old one, of a person's own, is shown to be good enough, and the new one is not."""
    return bool(old.parent) and not shortfall(old) and bool(shortfall(new))


def print_version_in_use(now: EyeVersion) -> None:
    print_text(f"The eye {now.card.name} {now.card.version} is in force from the next episode on.")


def labels_of(store: Store, episodes: Sequence[str], sources: Sequence[str]) -> tuple[PictureLabel, ...]:
    """Return the labels from these sources, from all if none is named. Raises UnknownName, LogError."""
    for source in sources:
        if source not in SOURCES:
            raise UnknownName("kind of label", source, SOURCES)
    return choose(read_labels(store, episodes), [SOURCES[s] for s in sources] or list(LabelSource))


def _drawing(
    robots: RobotRegistry, task: str, domain: str
) -> Callable[[], tuple[tuple[PictureLabel, ...], dict[str, bytes]]]:
    """Return what draws pictures of a task, with their labels. Raises ConsoleError."""
    domain_spec, found = find_task(task, domain)
    if (draw := robots[domain_spec.default_robot].draw) is None:
        raise BadValue(f"Nothing draws pictures of {task}: teach from the log's, without --draw.")
    asked = vision_atoms(domain_spec, found.problem)
    return lambda: drawn_labels(
        lambda seed: draw(domain_spec, found, seed, asked), DRAWN_SEEDS, asked, StopToken()
    )


def _agreed(console: PlainConsole) -> bool:
    try:
        return ask(console, "Keep it? y, or Enter to discard").lower() in ("y", "yes")
    except OperatorGone:
        return False


def show_taught(taught: TaughtEye, as_json: bool) -> None:
    if as_json:
        kinds = {
            name: {"before": json_object(before), "after": json_object(taught.after[name])}
            for name, before in taught.before.items()
        }
        said = {"version": taught.eye.card.version, "learnt": dict(taught.learnt), "held_out": kinds}
        said["one_moment"] = {k: [WORDS[v], after] for k, (v, after) in taught.one_moment.items()}
        print_json({**said, "left_out": {k: WORDS[v] for k, v in taught.left_out.items()}})
        return
    table = Table(HEADS[0], *map(right_column, HEADS[1:]), box=None, header_style="dim")
    for row in figure_rows(taught):
        table.add_row(*row, style="bold" if row[0] == ALL else "")
    PlainConsole().print(table)
    for sentence in warnings(taught):
        print_text(sentence)


def _show_rates(answered: Sequence[Answered]) -> None:
    """Print the counts; a profile's rate of k in n is (k + 1) / (n + 2)."""
    heads = map(right_column, ("said yes where it was so", "where it was not"))
    table = Table("predicate", *heads, box=None, header_style="dim")
    for name in sorted({label.atom.predicate for label, _ in answered}):
        about = [x for x in answered if x[0].atom.predicate == name]
        table.add_row(name, *("{} of {}".format(*said_yes(about, truth)) for truth in (YES, NO)))
    PlainConsole().print(table)
