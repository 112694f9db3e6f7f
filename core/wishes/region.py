"""Where on a table a thing may go: its tests, place by place, coarse to fine, and which of them refuses one.

A place is where the thing's centre would be; how high it lies there follows from what it is put on. Small
islands are not missed: the grid is finer around every box that a test names.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, reduce
from itertools import combinations
from operator import and_

import numpy as np
from numpy.typing import NDArray

from core.motion.frames import RESTS, as_pose, frame, rotation, scene_bodies
from core.motion.search import named
from core.planning_model import Step
from core.scene import Bodies, Body, Scene, SceneThing
from core.wish import Test, verdicts
from core.wishes.english import TABLE

CELL_M, COARSE_M = 0.005, 0.04
TILTS = tuple(rotation(roll, 0, 0) for roll in (1.9, -1.9, 2.3, -2.3))  # of what is poured
YAWS = tuple(k * math.pi / 12 for k in range(24))
_OTHER_YAWS = (math.pi / 2, math.pi / 4, 3 * math.pi / 4)  # tried where no rest passes as it is
_FLOOR_M, _GAP_M, _POUR_M = 0.004, 0.002, 0.04
_BATCH = 1500  # places of one call, so that it stays well under the sandbox's second
_SPARSE = 7  # one in so many coarse places, where many ways to lie are tried
_LEARNT = 40  # places that a wrong set of rows teaches
_FILLS = 0.75  # of a part of the table, which is named as such
_MOST = 14  # rows of which the very smallest set is found
_DEFAULT = (0.52, 0.0), (0.4, 0.52)  # where no table is told: its centre, and half its size
Cells = NDArray[np.int16]
Grid = NDArray[np.float64]  # n x 2
Check = Callable[[], None]
Turns = tuple[tuple[bool, ...], tuple[bool, ...]]  # of rests and of YAWS


def _nothing() -> None:
    """Go on."""


@dataclass(frozen=True)
class Places:
    """Poses of a thing over a table. `onto` says what it is put on, and whether it goes into it."""

    bodies: Bodies
    thing: SceneThing
    onto: Mapping[str, bool] = field(default_factory=dict)
    pours: bool = False

    @cached_property
    def low(self) -> tuple[float, float]:
        lower = self.bodies[TABLE].lower if TABLE in self.bodies else np.subtract(*_DEFAULT)
        return float(lower[0]), float(lower[1])

    @cached_property
    def coarse(self) -> tuple[int, int]:
        """Return how many coarse cells there are along x and y."""
        upper = self.bodies[TABLE].upper[:2] if TABLE in self.bodies else np.add(*_DEFAULT)
        nx, ny = (math.ceil((u - low) / COARSE_M - 1e-6) for u, low in zip(upper, self.low, strict=True))
        return nx, ny

    @property
    def nowhere(self) -> Region:
        """Return the region of what lets the thing go nowhere, as what does not run."""
        return Region(self.low, np.zeros(np.array(self.coarse) * round(COARSE_M / CELL_M), np.int16))

    @property
    def rests(self) -> int:
        return len(TILTS) if self.pours else 1 if self.thing.shape == "ball" else len(RESTS)

    def states(self, grid: Grid, rest: int = 0, yaw: float = 0.0) -> list[Bodies]:
        """Return the scene with the thing at each of these places."""
        turned = rotation(0, 0, yaw) @ (TILTS if self.pours else RESTS)[rest]
        half = np.array(self.thing.half)
        reach = half if self.thing.shape == "ball" else np.abs(turned) @ half
        angles = as_pose(frame(turned, (0, 0, 0)))[3:]
        rise = reach[2] + _GAP_M
        if self.pours:  # its mouth's edge over the target, its centre above
            rise = _POUR_M + float(np.abs(turned[2, :2]) @ half[:2]) - float(turned[2, 2]) * half[2]
        states: list[Bodies] = []
        for (x, y), z in zip(grid.tolist(), (self._under(grid) + rise).tolist(), strict=True):
            lower = x - reach[0], y - reach[1], z - reach[2]
            upper = x + reach[0], y + reach[1], z + reach[2]
            states.append({**self.bodies, self.thing.name: Body((x, y, z, *angles), lower, upper)})
        return states

    def _under(self, grid: Grid) -> Grid:
        """Return how high what is under each place is: what the thing is put on, else the table."""
        heights = np.zeros(len(grid))
        for name, inside in self.onto.items():
            if name == TABLE or name not in self.bodies:
                continue
            b = self.bodies[name]
            over = np.all((grid >= b.lower[:2]) & (grid <= b.upper[:2]), axis=1)
            heights[over] = max(0.0, b.lower[2] + _FLOOR_M if inside and not self.pours else b.upper[2])
        return heights


def places_of(scene: Scene, steps: Iterable[Step], thing: str, at: Bodies | None = None) -> Places:
    """Return the places for a thing that these steps put somewhere. `at`: where things are by then."""
    mine = [step for step in steps if step.args[0] == thing and step.name != "pick"]
    onto = {step.args[1]: step.name == "place_inside" for step in mine if len(step.args) > 1}
    of = next(t for t in scene.things if t.name == thing)
    return Places(at or scene_bodies(scene), of, onto, bool(mine) and mine[-1].name == "pour")


@dataclass(frozen=True)
class Region:
    """For each cell of 5 mm, from `low` on, the number of the first test that refuses it, or -1.

    `rest` and `yaw` are how the thing lies there.
    """

    low: tuple[float, float]
    refused: Cells
    rest: int = 0
    yaw: float = 0.0

    @cached_property
    def passes(self) -> NDArray[np.bool_]:
        return np.asarray(self.refused < 0)

    @property
    def share(self) -> float:
        return float(self.passes.mean())

    def cell(self, x: float, y: float) -> tuple[int, int] | None:
        i, j = int((x - self.low[0]) // CELL_M), int((y - self.low[1]) // CELL_M)
        return (i, j) if 0 <= i < self.refused.shape[0] and 0 <= j < self.refused.shape[1] else None

    def refusal(self, x: float, y: float) -> int | None:
        """Return the number of the test that refuses this place, or None."""
        at = self.cell(x, y)
        return None if at is None or self.refused[at] < 0 else int(self.refused[at])

    def in_words(self) -> str:
        """Return where it is, as the robot sees the table: "left half of the table, 14 %"."""
        return self._words

    @cached_property
    def _words(self) -> str:
        found = np.argwhere(self.passes)
        if not len(found):
            return "nowhere on the table"
        (near, left), (nx, ny) = np.mean(found, axis=0), self.refused.shape
        share = max(1, round(100 * self.share))
        if share > 90:
            return f"nearly all of the table, {share} %" if share < 100 else "all of the table"
        inside = [np.mean(found[:, 0] >= nx / 2), np.mean(found[:, 1] >= ny / 2)]
        side = "left" if inside[1] > 0.9 else "right" if inside[1] < 0.1 else ""
        depth = "far" if inside[0] > 0.9 else "near" if inside[0] < 0.1 else ""
        if not side and not depth:
            middle = abs(near / nx - 0.5) < 0.1 and abs(left / ny - 0.5) < 0.1 and share < 30
            return f"{'middle' if middle else 'parts'} of the table, {share} %"
        part, whole = ("quarter", 0.25) if side and depth else ("half", 0.5)
        within = "" if self.share > _FILLS * whole else "in the "
        return f"{within}{f'{depth} {side}'.strip()} {part} of the table, {share} %"


def find_region(places: Places, tests: Sequence[Test], check: Check = _nothing) -> Region:
    """Return where the tests let the thing go. `check` is called between tests, and may raise.

    Raises BadValue for a test that does not answer.
    """
    coarse, seeds = _centres(places.low, places.coarse, COARSE_M), _seeds(places, tests)
    every, few = np.vstack((coarse, seeds)), np.vstack((coarse[::_SPARSE], seeds))
    rest, yaw = 0, 0.0
    said = refusals(tests, places.states(every), check)
    if np.all(said >= 0):  # as it stands, nowhere: then on another face, or turned

        def somewhere(turn: tuple[int, float]) -> bool:
            return bool(np.any(refusals(tests, places.states(few, *turn), check) < 0))

        if (found := next(filter(somewhere, _turns(places)), None)) is not None:
            rest, yaw = found
            said = refusals(tests, places.states(every, rest, yaw), check)
    cells, at_seeds, size = said[: len(coarse)].reshape(places.coarse), said[len(coarse) :], COARSE_M
    while size > 1.01 * CELL_M:
        cells, size = cells.repeat(2, 0).repeat(2, 1), size / 2
        left = np.ones(cells.shape, bool)  # not asked at this size
        edge = _edges(cells)
        for (x, y), label in zip(seeds, at_seeds, strict=True):
            i, j = int((x - places.low[0]) // size), int((y - places.low[1]) // size)
            if cells[i, j] != label:
                edge[max(0, i - 1) : i + 2, max(0, j - 1) : j + 2] = True
        while np.any(edge):  # and on from there, as far as the labels turn out to be others
            finer = (np.argwhere(edge) + 0.5) * size + np.array(places.low)
            cells[edge] = refusals(tests, places.states(finer, rest, yaw), check)
            left &= ~edge
            edge = _edges(cells) & left
    for (x, y), label in zip(seeds, at_seeds, strict=True):
        if label < 0:  # an island smaller than a cell
            cells[int((x - places.low[0]) // size), int((y - places.low[1]) // size)] = label
    return Region(places.low, cells, rest, yaw)


def refusals(tests: Sequence[Test], states: Sequence[Bodies], check: Check = _nothing) -> Cells:
    """Return for each state the number of the first test that refuses it, or -1. Raises BadValue."""
    said, left = np.full(len(states), -1, np.int16), np.arange(len(states))
    for number, test in enumerate(tests):
        passed = _verdicts(test, [states[int(i)] for i in left], check)
        said[left[~passed]] = number
        left = left[passed]
    return said


def _verdicts(test: Test, states: Sequence[Bodies], check: Check = _nothing) -> NDArray[np.bool_]:
    said: list[bool] = []
    for start in range(0, len(states), _BATCH):
        check()
        said += verdicts(test, states[start : start + _BATCH])
    return np.array(said, bool)


def _turns(places: Places) -> Iterator[tuple[int, float]]:
    """Yield how the thing may lie: as it is on each face first, then turned."""
    for yaw in (0.0, *(_OTHER_YAWS if places.rests > 1 else ())):
        for rest in range(places.rests):
            yield rest, yaw


def _centres(low: Sequence[float], count: tuple[int, int], size: float) -> Grid:
    i, j = np.meshgrid(np.arange(count[0]), np.arange(count[1]), indexing="ij")
    corners = np.column_stack((i.ravel(), j.ravel())).astype(np.float64)
    return np.asarray(corners * size + size / 2 + np.array(low))


def _edges(cells: Cells) -> NDArray[np.bool_]:
    """Return the cells next to one of another label."""
    edge = np.zeros(cells.shape, bool)
    down, right = cells[1:] != cells[:-1], cells[:, 1:] != cells[:, :-1]
    edge[1:] |= down
    edge[:-1] |= down
    edge[:, 1:] |= right
    edge[:, :-1] |= right
    return edge


def _seeds(places: Places, tests: Sequence[Test]) -> Grid:
    """Return the centre, corners and sides' middles of each box that the tests name or the thing goes on."""
    names = dict.fromkeys((*named(tests), *places.onto))
    boxes = [places.bodies[n] for n in names if n in places.bodies and n not in (TABLE, places.thing.name)]
    low, size = np.array(places.low), np.array(places.coarse) * COARSE_M
    points = [
        (b.lower[0] + u * (b.upper[0] - b.lower[0]), b.lower[1] + v * (b.upper[1] - b.lower[1]))
        for b in boxes
        for u in (0.02, 0.5, 0.98)
        for v in (0.02, 0.5, 0.98)
    ]
    grid = np.array(points).reshape(-1, 2)
    return np.asarray(grid[np.all((grid > low) & (grid < low + size), axis=1)])


def turns_at(places: Places, tests: Sequence[Test], at: tuple[float, float], rest: int) -> Turns:
    """Return which rests pass at a place, and which of YAWS do with this rest. Raises BadValue."""
    here = np.array([at])
    lying = [state for r in range(places.rests) for state in places.states(here, r)]
    turned = [state for yaw in YAWS for state in places.states(here, rest, yaw)]
    passed = (refusals(tests, lying + turned) < 0).tolist()
    return tuple(passed[: len(lying)]), tuple(passed[len(lying) :])


# --- rows that exclude each other --------------------------------------------------------------------------


def conflict(places: Places, rows: Sequence[Sequence[Test]], check: Check = _nothing) -> tuple[int, ...]:
    """Return the smallest set of rows whose tests leave no place together; () if all leave one.

    Raises BadValue.
    """
    tests = [test for of_row in rows for test in of_row]
    points = np.vstack((_centres(places.low, places.coarse, COARSE_M)[::_SPARSE], _seeds(places, tests)))
    states = [s for rest, yaw in _turns(places) if not yaw for s in places.states(points, rest, yaw)]
    masks = [_mask(of_row, states, check) for of_row in rows]
    while found := _smallest(masks):
        region = find_region(places, [test for number in found for test in rows[number]], check)
        if not region.share:
            return found
        passing = np.argwhere(region.passes)[:: max(1, int(region.passes.sum()) // _LEARNT)]
        grid = (passing + 0.5) * CELL_M + np.array(places.low)
        more = places.states(grid, region.rest, region.yaw)
        masks = [m << len(more) | _mask(of_row, more, check) for m, of_row in zip(masks, rows, strict=True)]
    return ()


def _mask(tests: Sequence[Test], states: Sequence[Bodies], check: Check) -> int:
    passed = refusals(tests, states, check) < 0
    return int.from_bytes(np.packbits(passed).tobytes()) >> (-len(states) % 8)


def _smallest(masks: Sequence[int]) -> tuple[int, ...]:
    """Return the smallest set of masks without a bit in common, or (); of many, one of the small ones."""

    def together(some: Iterable[int]) -> int:
        return reduce(and_, (masks[number] for number in some))

    every = tuple(range(len(masks)))
    if not every or together(every):
        return ()
    for size in range(1, len(every) if len(every) <= _MOST else 3):
        for some in combinations(every, size):
            if not together(some):
                return some
    kept = every
    for number in every:
        less = tuple(n for n in kept if n != number)
        kept = less if less and not together(less) else kept
    return kept
