"""Sokoban: push every box onto a goal. The border of walls is part of the grid."""

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
class Sokoban:
    """A state is the agent's cell and the boxes' cells."""

    name: str
    size: int
    start: Cell
    boxes: tuple[Cell, ...]
    goals: frozenset[Cell]
    walls: frozenset[Cell]

    @property
    def first(self) -> State:
        return self.start, self.boxes

    @cached_property
    def words(self) -> tuple[str, ...]:
        pushes = ("push-to-goal", "push-to-nongoal")
        said = [f"{push} {box} {d}" for box in self._names for push in pushes for d in grid.DIRECTIONS]
        return (*(f"move {d}" for d in grid.DIRECTIONS), *said)

    @property
    def _names(self) -> list[str]:
        return [f"box-{i}" for i, _ in enumerate(self.boxes, 1)]

    def do(self, state: State, word: str) -> State | str:
        at, boxes = state
        verb, *which, way = word.split()
        ahead = grid.near(at, way)
        if verb == "move":
            return self._shut(ahead, boxes) or (ahead, boxes)
        number = int(which[0].removeprefix("box-")) - 1
        if boxes[number] != ahead:
            return f"{which[0]} is not at {grid.named(ahead)}"
        to = grid.near(ahead, way)
        if shut := self._shut(to, boxes):
            return shut
        if (to in self.goals) != (verb == "push-to-goal"):
            return f"{grid.named(to)} is {'a' if to in self.goals else 'no'} goal"
        return ahead, (*boxes[:number], to, *boxes[number + 1 :])

    def _shut(self, cell: Cell, boxes: tuple[Cell, ...]) -> str:
        """Return why nothing can go into a cell, "" if it can."""
        blocked = "wall" if cell in self.walls else "box" if cell in boxes else ""
        return blocked and f"there is a {blocked} at {grid.named(cell)}"

    def reached(self, state: State) -> bool:
        return self.goals.issuperset(state[1])

    def cells(self, state: State) -> dict[Cell, str]:
        shown = dict.fromkeys(grid.square(self.size), "floor") | dict.fromkeys(self.goals, "goal")
        shown |= dict.fromkeys(self.walls, "wall") | dict.fromkeys(state[1], "box")
        return shown | {state[0]: "agent"}

    @property
    def scene(self) -> str:
        boxes = (
            f"{name} is at ({grid.named(cell)})." for name, cell in zip(self._names, self.boxes, strict=True)
        )
        rest = (grid.places("goals", self.goals), grid.places("walls", self.walls))
        lines = (f"The agent is at ({grid.named(self.start)}).", *boxes, *rest)
        return grid.described(self.size, lines, "All boxes are at goals")

    def problem(self, domain: Domain) -> Problem:
        state, names = grid.links(self.size), self._names
        shut = {*self.walls, *self.boxes, self.start}
        state += grid.facts("at", [self.start])
        state += grid.facts("clear", (c for c in grid.square(self.size) if c not in shut))
        state += grid.facts("is-goal", self.goals)
        state += grid.facts("is-nongoal", (c for c in grid.square(self.size) if c not in self.goals))
        for name, cell in zip(names, self.boxes, strict=True):
            state.append(Atom("box-at", (name, grid.named(cell))))
            if cell in self.goals:
                state.append(Atom("at-goal", (name,)))
        goal = [Atom("at-goal", (name,)) for name in names]
        return grid.grid_problem(self, domain, dict.fromkeys(names, "box"), state, goal)


def sokoban(size: int, seed: int) -> Sokoban:
    draw = Random(f"sokoban {size} {seed}")
    border = {cell for cell in grid.square(size) if 1 in cell or size in cell}
    while True:
        walls = border | {c for c in grid.square(size) if c not in border and draw.random() < 0.08}
        free = [cell for cell in grid.square(size) if cell not in walls]
        count = 1 if size == 5 else draw.choice((1, 2))
        if len(free) < 2 * count + 2:
            continue
        start, *rest = draw.sample(free, 2 * count + 1)
        boxes, goals = tuple(sorted(rest[:count])), frozenset(rest[count:])
        made = Sokoban(f"sokoban-{size}-{seed}", size, start, boxes, goals, frozenset(walls))
        if grid.can_be_won(made, least=2):
            return made


def sokoban_shown(name: str, cells: Mapping[Cell, str]) -> Sokoban:
    boxes, goals, walls = (grid.where(cells, kind) for kind in ("box", "goal", "wall"))
    at = grid.the_one(cells, "agent")
    return Sokoban(name, grid.side(cells), at, tuple(boxes), frozenset(goals), frozenset(walls))
