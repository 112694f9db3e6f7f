"""MultiRob: arms stand where four cells meet, reach these four, and hand boxes over from cell to cell.

The paper leaves open: a cell holds one box, and an arm holds one.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from random import Random

from core.belief import Atom
from core.drafting.world import Cell, State
from core.planning_model import Domain, Problem
from robots.grids.cells import described, facts, grid_problem, in_one_piece, named, square
from robots.scenes.assembly import COLOURS

BOXES = {3: (2,), 4: (2, 3), 5: (3, 4)}  # how many there are at a size
ROBOTS = {3: (2, 4), 4: (3, 6), 5: (5, 9)}  # least and most


@dataclass(frozen=True)
class MultiRob:
    """A state is each box's cell, or the name of the robot that holds it."""

    name: str
    size: int
    robots: tuple[Cell, ...]  # each between its cell and the one below and to the right
    boxes: tuple[tuple[str, Cell, Cell], ...]  # name, where it is, where it shall be

    @property
    def first(self) -> State:
        return tuple(at for _, at, _ in self.boxes)

    @cached_property
    def reach(self) -> dict[str, tuple[Cell, ...]]:
        """Return the four cells around each robot, by its name."""
        around = ((0, 0), (0, 1), (1, 0), (1, 1))
        return {
            f"robot-{n}": tuple((row + down, column + right) for down, right in around)
            for n, (row, column) in enumerate(self.robots, 1)
        }

    @cached_property
    def _numbers(self) -> dict[str, int]:
        return {name: n for n, (name, _, _) in enumerate(self.boxes)}

    @cached_property
    def words(self) -> tuple[str, ...]:
        pairs = [(robot, box) for robot in self.reach for box in self._numbers]
        puts = [f"{r} putdown {box} {named(cell)}" for r, box in pairs for cell in square(self.size)]
        return (*(f"{robot} pickup {box}" for robot, box in pairs), *puts)

    def do(self, state: State, word: str) -> State | str:
        robot, verb, box, *to = word.split()
        number = self._numbers[box]
        at = state[number]
        if verb == "pickup":
            if robot in state:
                return f"{robot} holds {self.boxes[state.index(robot)][0]}"
            if at not in self.reach[robot]:
                return f"{box} is not within reach of {robot}"
            return (*state[:number], robot, *state[number + 1 :])
        if at != robot:
            return f"{robot} does not hold {box}"
        cell = next((cell for cell in self.reach[robot] if named(cell) == to[0]), None)
        if cell is None:
            return f"{to[0]} is not within reach of {robot}"
        if cell in state:
            return f"{self.boxes[state.index(cell)][0]} is at {to[0]}"
        return (*state[:number], cell, *state[number + 1 :])

    def reached(self, state: State) -> bool:
        return all(at == goal for at, (_, _, goal) in zip(state, self.boxes, strict=True))

    def cells(self, state: State) -> dict[Cell, str]:
        return {}

    @property
    def scene(self) -> str:
        stand = (f"{robot} reaches {', '.join(map(named, near))}." for robot, near in self.reach.items())
        boxes = (f"{box} is at ({named(at)})." for box, at, _ in self.boxes)
        goal = "\n- ".join(f"{box} is at ({named(to)})" for box, _, to in self.boxes)
        return described(self.size, (*stand, *boxes), goal)

    def problem(self, domain: Domain) -> Problem:
        full = self.first
        state = facts("clear", (cell for cell in square(self.size) if cell not in full))
        for robot, near in self.reach.items():
            state.append(Atom("free", (robot,)))
            state += [Atom("reaches", (robot, named(cell))) for cell in near]
        state += [Atom("at", (box, named(at))) for box, at, _ in self.boxes]
        goal = [Atom("at", (box, named(to))) for box, _, to in self.boxes]
        objects = dict.fromkeys(self.reach, "robot") | dict.fromkeys(self._numbers, "box")
        return grid_problem(self, domain, objects, state, goal)


def multirob(size: int, seed: int) -> MultiRob:
    """Return a table of size x size cells, on which each box can come to its goal from arm to arm."""
    draw = Random(f"multirob {size} {seed}")
    crossings = square(size - 1)
    while True:
        robots = sorted(draw.sample(crossings, draw.randint(*ROBOTS[size])))
        if not in_one_piece(robots, _near):
            continue
        made = MultiRob(f"multirob-{size}-{seed}", size, tuple(robots), ())
        cells, count = sorted({c for near in made.reach.values() for c in near}), draw.choice(BOXES[size])
        starts, goals = draw.sample(cells, count), draw.sample(cells, count)
        if all(a != b for a, b in zip(starts, goals, strict=True)):
            names = sorted(f"{colour}-box" for colour in draw.sample(COLOURS, count))
            return MultiRob(made.name, size, made.robots, tuple(zip(names, starts, goals, strict=True)))


def _near(robot: Cell) -> list[Cell]:
    """Return where those stand to whom a robot can hand a box."""
    return [(robot[0] + down, robot[1] + right) for down in (-1, 0, 1) for right in (-1, 0, 1)]
