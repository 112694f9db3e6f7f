"""Print the components for the command `parts` and for help texts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import groupby

from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from app.cli.output.printing import PlainConsole
from core.parameters import Parameter, parameters_of
from core.registry import MissingRequirement, Registries


@dataclass(frozen=True)
class ComponentInfo:
    """An entry as it is printed. `missing` and `remedy` are "" if it can be used here."""

    kind: str
    name: str
    title: str
    summary: str
    options: tuple[Parameter, ...]
    missing: str
    remedy: str


def component_infos(tables: Registries) -> Iterator[ComponentInfo]:
    for table in tables.values():
        for entry in table:
            lacks = entry.missing() or MissingRequirement("", "")
            about = table.kind, entry.name, entry.title, entry.summary
            yield ComponentInfo(*about, parameters_of(entry.options), lacks.problem, lacks.remedy)


def print_choices(tables: Registries, options: Mapping[str, str]) -> None:
    """Print names and descriptions; `options` gives for each kind the option that selects one."""
    console = PlainConsole()
    for kind, table in tables.items():
        console.print(f"{kind.capitalize()}, by {options[kind]}", style="bold")
        grid = _grid()
        for form in component_infos({kind: table}):
            _add_named(grid, form)
        console.print(Padding(grid, (0, 0, 1, 2)))
    if any(parameters_of(entry.options) for table in tables.values() for entry in table):
        console.print("Their options, with type, range and default: parts " + " | ".join(tables), style="dim")


def print_parts(tables: Registries) -> None:
    console = PlainConsole()
    for kind, table in tables.items():
        console.print(kind.capitalize(), style="bold")
        grid = _grid()
        for options, same in groupby(component_infos({kind: table}), lambda form: form.options):
            _add(grid, list(same), options)
        console.print(Padding(grid, (0, 0, 1, 2)))


def _grid() -> Table:
    grid = Table.grid(padding=(0, 2))
    grid.add_column(no_wrap=True)
    grid.add_column(overflow="fold")
    return grid


def _add_named(grid: Table, form: ComponentInfo) -> None:
    said = form.summary if form.title.lower() == form.name else f"{form.title}. {form.summary}"
    grid.add_row(form.name, said)
    if form.missing:
        grid.add_row("", Text(f"{form.missing.rstrip('.')}: {form.remedy}", "yellow"))


def _add(grid: Table, same: list[ComponentInfo], options: tuple[Parameter, ...]) -> None:
    """Add entries with the same options, which are listed once."""
    for form in same:
        _add_named(grid, form)
    for option in options:
        name = Text(f"  {same[0].kind}.{option.name}", "dim")
        default = f", by default {option.default}" if option.default else ""
        each = "Of each of these: " if len(same) > 1 else ""
        grid.add_row(name, Text(f"{each}{option.allowed_values}{default}. {option.help}".strip(), "dim"))
