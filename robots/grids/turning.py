"""Worlds of an agent that turns and walks: Package and Printer.

Package: go to each package and open it; one may stand on it. Printer: carry the printer to the desk and
switch it on; one may stand on the printer, not on the desk.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from random import Random

from core.belief import Atom
from core.drafting.world import Cell, State
from core.planning_model import Domain, Problem
from robots.grids import cells as grid


@dataclass(frozen=True)
class Package:
    """A state is the agent's cell, its direction, and the names of the open packages."""

    name: str
    size: int
    start: Cell
    facing: str
    packages: tuple[Cell, ...]

    @property
    def first(self) -> State:
        return self.start, self.facing, frozenset[str]()

    @cached_property
    def places(self) -> dict[str, Cell]:
        return {f"pkg-{i}": cell for i, cell in enumerate(self.packages, 1)}

    @cached_property
    def words(self) -> tuple[str, ...]:
        said = (f"{verb} {name}" for name in self.places for verb in ("open", "close"))
        return ("turn-left", "turn-right", "move", *said)

    def do(self, state: State, word: str) -> State | str:
        at, facing, opened = state
        verb, _, name = word.partition(" ")
        if verb.startswith("turn"):
            return at, grid.turned(facing, 1 if verb == "turn-right" else -1), opened
        ahead = grid.near(at, facing)
        if verb == "move":
            return (ahead, facing, opened) if grid.inside(ahead, self.size) else grid.BORDER
        if self.places[name] != ahead:
            return f"{name} is not at {grid.named(ahead)}"
        if (name in opened) == (verb == "open"):
            return f"{name} is {'open' if name in opened else 'closed'} already"
        return at, facing, opened ^ {name}

    def reached(self, state: State) -> bool:
        return len(state[2]) == len(self.packages)

    def cells(self, state: State) -> dict[Cell, str]:
        at, facing, opened = state
        shown = dict.fromkeys(grid.square(self.size), "floor")
        shown |= {cell: "open" if name in opened else "package" for name, cell in self.places.items()}
        return shown | {at: facing}

    @property
    def scene(self) -> str:
        packages = (f"{name} is at ({grid.named(cell)}) and closed." for name, cell in self.places.items())
        lines = (
            f"The agent is at ({grid.named(self.start)}).",
            f"The agent is facing {self.facing}.",
            *packages,
        )
        return grid.described(self.size, lines, "All packages are open")

    def problem(self, domain: Domain) -> Problem:
        state = grid.facts("at", [self.start]) + grid.turns() + grid.links(self.size)
        state.append(Atom("facing", (self.facing,)))
        for name, cell in self.places.items():
            state += [Atom("package-at", (name, grid.named(cell))), Atom("package-closed", (name,))]
        goal = [Atom("package-open", (name,)) for name in self.places]
        return grid.grid_problem(self, domain, dict.fromkeys(self.places, "package"), state, goal)


def package(size: int, seed: int) -> Package:
    draw = Random(f"package {size} {seed}")
    start, *packages = draw.sample(grid.square(size), 3)
    facing = draw.choice(grid.DIRECTIONS)
    return Package(f"package-{size}-{seed}", size, start, facing, tuple(sorted(packages)))


def package_shown(name: str, cells: Mapping[Cell, str]) -> Package:
    at = grid.the_one(cells, *grid.DIRECTIONS)
    return Package(name, grid.side(cells), at, cells[at], tuple(grid.where(cells, "package")))


@dataclass(frozen=True)
class Printer:
    """A state is the agent's cell, its direction, the printer's cell (None: carried), whether it is on."""

    name: str
    size: int
    start: Cell
    facing: str
    printer: Cell
    desk: frozenset[Cell]
    words = ("turn-left", "turn-right", "move", "pick", "drop", "drop_desk", "toggle_on", "toggle_off")

    @property
    def first(self) -> State:
        return self.start, self.facing, self.printer, False

    def do(self, state: State, word: str) -> State | str:
        at, facing, printer, on = state
        if word.startswith("turn-"):
            return at, grid.turned(facing, 1 if word == "turn-right" else -1), printer, on
        ahead = grid.near(at, facing)
        if word in ("move", "drop", "drop_desk"):
            if not grid.inside(ahead, self.size):
                return grid.BORDER
            if (ahead in self.desk) != (word == "drop_desk"):
                return f"{grid.named(ahead)} is {'' if ahead in self.desk else 'not '}on the desk"
            if word == "move":
                return ahead, facing, printer, on
            return "the printer is not carried" if printer else (at, facing, ahead, on)
        if printer != ahead:
            return f"the printer is not at {grid.named(ahead)}"
        if word == "pick":
            return at, facing, None, on
        if on == (word == "toggle_on"):
            return f"the printer is {'on' if on else 'off'} already"
        return at, facing, printer, not on

    def reached(self, state: State) -> bool:
        return state[2] in self.desk and bool(state[3])

    def cells(self, state: State) -> dict[Cell, str]:
        at, facing, printer, on = state
        shown = dict.fromkeys(grid.square(self.size), "floor") | dict.fromkeys(self.desk, "desk")
        return shown | ({printer: "running" if on else "printer"} if printer else {}) | {at: facing}

    @property
    def scene(self) -> str:
        agent = f"The agent is at ({grid.named(self.start)}).", f"The agent is facing {self.facing}."
        printer = f"The printer is at ({grid.named(self.printer)}) and switched off."
        lines = (*agent, printer, grid.places("cells of the desk", self.desk))
        return grid.described(self.size, lines, "The printer was put down on the desk and is switched on")

    def problem(self, domain: Domain) -> Problem:
        state = grid.facts("at", [self.start]) + grid.turns() + grid.links(self.size)
        state += [Atom("facing", (self.facing,)), Atom("printer-off")]
        state += grid.facts("printer-at", [self.printer]) + grid.facts("desk", self.desk)
        state += grid.facts("not-desk", (cell for cell in grid.square(self.size) if cell not in self.desk))
        return grid.grid_problem(self, domain, {}, state, [Atom("on-desk"), Atom("printer-on")])


def printer(size: int, seed: int) -> Printer:
    draw = Random(f"printer {size} {seed}")
    while True:
        row, column, length = draw.randint(1, size), draw.randint(1, size - 1), 3 if size > 5 else 2
        desk = frozenset((row, c) for c in range(column, min(column + length, size + 1)))
        start, where = draw.sample([cell for cell in grid.square(size) if cell not in desk], 2)
        name = f"printer-{size}-{seed}"
        made = Printer(name, size, start, draw.choice(grid.DIRECTIONS), where, desk)
        if grid.can_be_won(made):
            return made


def printer_shown(name: str, cells: Mapping[Cell, str]) -> Printer:
    at, desk = grid.the_one(cells, *grid.DIRECTIONS), frozenset(grid.where(cells, "desk"))
    return Printer(name, grid.side(cells), at, cells[at], grid.the_one(cells, "printer"), desk)
