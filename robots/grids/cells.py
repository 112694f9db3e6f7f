"""Cells, directions and facts that all grid worlds share."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from functools import partial

from core.belief import Atom
from core.drafting.plans import search
from core.drafting.world import Cell, World, steps_of
from core.errors import BadValue
from core.planning_model import Domain, Literal, Problem, Typed

MOVES: dict[str, Cell] = {"up": (-1, 0), "right": (0, 1), "down": (1, 0), "left": (0, -1)}
DIRECTIONS = tuple(MOVES)  # clockwise
MOST_STATES = 200_000  # of a map: more than any has
BORDER, WALL = "that is beyond the border", "there is a wall"


def named(cell: Cell) -> str:
    return f"pos-{cell[0]}-{cell[1]}"


def square(size: int) -> list[Cell]:
    return [(r, c) for r in range(1, size + 1) for c in range(1, size + 1)]


def near(cell: Cell, direction: str) -> Cell:
    down, right = MOVES[direction]
    return cell[0] + down, cell[1] + right


def around(cell: Cell) -> list[Cell]:
    return [near(cell, direction) for direction in DIRECTIONS]


def inside(cell: Cell, size: int) -> bool:
    return 1 <= cell[0] <= size and 1 <= cell[1] <= size


def turned(facing: str, way: int) -> str:
    return DIRECTIONS[(DIRECTIONS.index(facing) + way) % 4]


def where(cells: Mapping[Cell, str], *kinds: str) -> list[Cell]:
    """Return the cells that a picture shows as one of these kinds, row by row."""
    return sorted(cell for cell, kind in cells.items() if kind in kinds)


def the_one(cells: Mapping[Cell, str], *kinds: str) -> Cell:
    """Return the one cell of these kinds. Raises BadValue if there is not exactly one."""
    found = where(cells, *kinds)
    if len(found) != 1:
        raise BadValue(f"The picture shows {len(found)} cells of {' or '.join(kinds)}: a map has one.")
    return found[0]


def side(cells: Mapping[Cell, str]) -> int:
    return max(row for row, _ in cells)


def neighbours(size: int) -> Iterator[tuple[str, str, str]]:
    """Yield each cell with a neighbour and the direction to it."""
    for cell in square(size):
        for direction in DIRECTIONS:
            if inside(near(cell, direction), size):
                yield named(cell), named(near(cell, direction)), direction


def links(size: int) -> list[Atom]:
    return [Atom("move-dir", link) for link in neighbours(size)]


def turns() -> list[Atom]:
    right = [Atom("right-turn", (d, turned(d, 1))) for d in DIRECTIONS]
    return right + [Atom("left-turn", (d, turned(d, -1))) for d in DIRECTIONS]


def facts(predicate: str, cells: Iterable[Cell]) -> list[Atom]:
    return [Atom(predicate, (named(cell),)) for cell in cells]


def grid_problem(
    world: World, domain: Domain, objects: dict[str, str], state: Iterable[Atom], goal: Iterable[Atom]
) -> Problem:
    """Return a problem of the cells, the directions if the domain has them, and further objects by name."""
    kind = "position" if "position" in domain.parents else "object"
    things = [Typed(named(cell), kind) for cell in square(world.size)]
    if "direction" in domain.parents:
        things += [Typed(d, "direction") for d in DIRECTIONS]
    things += [Typed(name, type) for name, type in objects.items()]
    aims = tuple(Literal(a.predicate, a.args) for a in goal)
    return Problem(world.name, domain, tuple(things), frozenset(state), aims)


def described(size: int, lines: Iterable[str], goal: str) -> str:
    """Return a scene on a grid as the paper's networks say it."""
    return told((f"The size of the gridworld is {size}x{size}.", *lines), goal)


def told(lines: Iterable[str], goal: str) -> str:
    first = "".join(f"- {line}\n" for line in lines)
    return f"Initially:\n{first}\nYour goal is to achieve the following configuration:\n- {goal}"


def places(what: str, cells: Collection[Cell]) -> str:
    if not cells:
        return f"There are no {what}."
    return f"The {what} are at {', '.join(f'({named(c)})' for c in sorted(cells))}."


def in_one_piece(cells: Collection[Cell], near: Callable[[Cell], Iterable[Cell]]) -> bool:
    """Return True if from one of these cells all others can be reached over those that are near."""
    open_ = {next(iter(cells))}
    found = set(open_)
    while open_:
        open_ = {other for cell in open_ for other in near(cell)} & set(cells) - found
        found |= open_
    return len(found) == len(cells)


def can_be_won(world: World, least: int = 1) -> bool:
    """Return True if the goal is reached, in `least` steps or more."""
    won, walk = search(world.first, partial(steps_of, world), world.reached, None, MOST_STATES)
    return won and len(walk) >= least
