"""Package: turn, go to each package and open it. One may stand on a package."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from random import Random

from core.belief import Atom
from core.drafting.world import Cell, State
from core.planning_model import Domain, Problem
from robots.grids.cells import (
    BORDER,
    DIRECTIONS,
    described,
    facts,
    grid_problem,
    inside,
    links,
    named,
    near,
    side,
    square,
    the_one,
    turned,
    turns,
    where,
)


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
            return at, turned(facing, 1 if verb == "turn-right" else -1), opened
        ahead = near(at, facing)
        if verb == "move":
            return (ahead, facing, opened) if inside(ahead, self.size) else BORDER
        if self.places[name] != ahead:
            return f"{name} is not at {named(ahead)}"
        if (name in opened) == (verb == "open"):
            return f"{name} is {'open' if name in opened else 'closed'} already"
        return at, facing, opened ^ {name}

    def reached(self, state: State) -> bool:
        return len(state[2]) == len(self.packages)

    def cells(self, state: State) -> dict[Cell, str]:
        at, facing, opened = state
        shown = dict.fromkeys(square(self.size), "floor")
        shown |= {cell: "open" if name in opened else "package" for name, cell in self.places.items()}
        return shown | {at: facing}

    @property
    def scene(self) -> str:
        packages = (f"{name} is at ({named(cell)}) and closed." for name, cell in self.places.items())
        lines = (f"The agent is at ({named(self.start)}).", f"The agent is facing {self.facing}.", *packages)
        return described(self.size, lines, "All packages are open")

    def problem(self, domain: Domain) -> Problem:
        state = facts("at", [self.start]) + turns() + links(self.size)
        state.append(Atom("facing", (self.facing,)))
        for name, cell in self.places.items():
            state += [Atom("package-at", (name, named(cell))), Atom("package-closed", (name,))]
        goal = [Atom("package-open", (name,)) for name in self.places]
        return grid_problem(self, domain, dict.fromkeys(self.places, "package"), state, goal)


def package(size: int, seed: int) -> Package:
    draw = Random(f"package {size} {seed}")
    start, *packages = draw.sample(square(size), 3)
    facing = draw.choice(DIRECTIONS)
    return Package(f"package-{size}-{seed}", size, start, facing, tuple(sorted(packages)))


def package_shown(name: str, cells: Mapping[Cell, str]) -> Package:
    at = the_one(cells, *DIRECTIONS)
    return Package(name, side(cells), at, cells[at], tuple(where(cells, "package")))
