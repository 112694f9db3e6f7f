"""FrozenLake and Maze: from cell to cell, past holes or walls."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from random import Random

from core.belief import Atom
from core.drafting.world import Cell, State
from core.planning_model import Domain, Problem
from robots.grids import cells as grid

SHARE = 0.25  # of the cells that are holes or walls


@dataclass(frozen=True)
class Lake:
    """A state is the agent's cell."""

    name: str
    size: int
    first: Cell
    goal: Cell
    bad: frozenset[Cell]
    words = tuple(f"move {d}" for d in grid.DIRECTIONS)

    @property
    def holes(self) -> bool:
        return not self.name.startswith("maze")

    def do(self, state: State, word: str) -> State | str:
        to = grid.near((state[0], state[1]), word.split()[1])
        if not grid.inside(to, self.size):
            return grid.BORDER
        if to in self.bad:
            return "there is an ice hole, so the game ends" if self.holes else grid.WALL
        return to

    def reached(self, state: State) -> bool:
        return state == self.goal

    def cells(self, state: State) -> dict[Cell, str]:
        shown = dict.fromkeys(grid.square(self.size), "floor")
        shown |= dict.fromkeys(self.bad, "hole" if self.holes else "wall")
        return shown | {self.goal: "goal", (state[0], state[1]): "agent"}

    @property
    def scene(self) -> str:
        at, to = grid.named(self.first), grid.named(self.goal)
        bad = grid.places("ice holes" if self.holes else "walls", self.bad)
        lines = (f"The agent is at ({at}).", f"The goal is at ({to}).", bad)
        return grid.described(self.size, lines, f"The agent is at ({to})")

    def problem(self, domain: Domain) -> Problem:
        state = [Atom(f"{way}_direction", (here, there)) for here, there, way in grid.neighbours(self.size)]
        state += grid.facts("at", [self.first]) + grid.facts("ice-hole" if self.holes else "wall", self.bad)
        return grid.grid_problem(self, domain, {}, state, grid.facts("at", [self.goal]))


def frozenlake(size: int, seed: int, name: str = "frozenlake", share: float = SHARE) -> Lake:
    return _lake(name, size, seed, (1, 1), (size, size), share)


def maze(size: int, seed: int) -> Lake:
    start, goal = Random(f"maze ends {size} {seed}").sample(grid.square(size), 2)
    return _lake("maze", size, seed, start, goal, SHARE)


def _lake(name: str, size: int, seed: int, start: Cell, goal: Cell, share: float) -> Lake:
    draw = Random(f"{name} {size} {seed}")
    while True:
        free = (cell for cell in grid.square(size) if cell not in (start, goal))
        bad = frozenset(cell for cell in free if draw.random() < share)
        made = Lake(f"{name}-{size}-{seed}", size, start, goal, bad)
        if grid.can_be_won(made):
            return made


def lake_shown(name: str, cells: Mapping[Cell, str]) -> Lake:
    bad = frozenset(grid.where(cells, "hole", "wall"))
    return Lake(name, grid.side(cells), grid.the_one(cells, "agent"), grid.the_one(cells, "goal"), bad)
