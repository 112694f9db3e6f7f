"""Read which map a picture shows: its cells by the looks that are known, else by a person's names."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import lru_cache

from core.drafting.source import WHOLE, DraftingTools, DraftSource, Sides, picture_of
from core.drafting.world import Cell, Game, World, name_of_cells
from core.errors import BadValue
from core.pictures import decode_picture
from core.ports import Frame, RgbImage
from core.text.plural import plural
from core.vqa.grid_reader.grid_reader import SIZES, Grid, NamedLook, read_grid

NAMING_SEEDS, NAMING, FEW = 500, 16, 3  # maps from which the kinds of a look are named; of the room, few
NARROW = 0.1  # of a picture, the least that a grid takes up


@dataclass(frozen=True)
class Seams:
    """The seams of `size` x `size` cells between the sides of a grid; `size` 0 is no grid."""

    size: int = 0
    sides: Sides = WHOLE

    @property
    def cells(self) -> Iterator[Cell]:
        return ((row, column) for row in range(1, self.size + 1) for column in range(1, self.size + 1))

    def sides_of(self, cell: Cell) -> Sides:
        """Return the sides of a cell."""
        left, top, right, bottom = self.sides
        wide, high, (row, column) = (right - left) / self.size, (bottom - top) / self.size, cell
        x, y = left + (column - 1) * wide, top + (row - 1) * high
        return x, y, x + wide, y + high

    def near(self, place: tuple[float, float], reach: tuple[float, float]) -> tuple[int, int] | None:
        """Return the seam near a place, an edge before others: 0 for upright, 1 for level, and its number."""
        found = list[tuple[int, int]]()
        for axis in (0, 1):
            low, side = self.sides[axis], (self.sides[axis + 2] - self.sides[axis]) / self.size
            number = round((place[axis] - low) / side)
            if abs(place[axis] - low - number * side) < reach[axis]:
                found.append((axis, number))
        return min(found, key=lambda one: one[1] not in (0, self.size), default=None)

    def dragged(self, place: tuple[float, float], axis: int, number: int) -> Seams:
        """Return them with a seam dragged there: an edge moves, one between makes cells larger or smaller."""
        sides, size, share = list(self.sides), self.size, place[axis]
        low, high = sides[axis], sides[axis + 2]
        if number == 0:
            sides[axis] = min(share, high - NARROW)
        elif number == size:
            sides[axis + 2] = max(share, low + NARROW)
        else:
            size = max(SIZES[0], min(round(number * (high - low) / max(share - low, 0.01)), SIZES[-1]))
        return Seams(size, (sides[0], sides[1], sides[2], sides[3]))

    def cut(self, rgb: RgbImage) -> RgbImage:
        """Return what of a picture lies between the sides."""
        left, top, right, bottom = self.sides
        high, wide = rgb.shape[:2]
        return rgb[round(top * high) : round(bottom * high), round(left * wide) : round(right * wide)]


@dataclass(frozen=True)
class Unnamed:
    """A picture of which some kinds of cells have no name yet, which is ""."""

    source: DraftSource
    game: Game
    frame: Frame
    grid: Grid
    names: tuple[str, ...]  # of the groups of like cells

    @property
    def cells(self) -> dict[Cell, str]:
        return self.grid.cells(self.names)

    @property
    def advice(self) -> str:
        """Return what a person should do about it."""
        kinds = plural(self.names.count(""), "kind")
        return f"{kinds} of cells to name: choose a kind, then click on one of the outlined cells."

    @property
    def read(self) -> Unnamed | DraftSource:
        """Return the map that it shows, if each kind has a name."""
        return self if "" in self.names else replace(self.source, map=name_of_cells(self.game, self.cells))

    def with_kind(self, cell: Cell, kind: str) -> Unnamed | DraftSource:
        """Return what is read once the whole group of a cell is named."""
        group = self.grid.groups[(cell[0] - 1) * self.grid.size + cell[1] - 1]
        return replace(self, names=(*self.names[:group], kind, *self.names[group + 1 :])).read


def map_shown(tools: DraftingTools, source: DraftSource) -> Unnamed | DraftSource:
    """Return the source with the map that its picture shows, if it has one of a game. Raises ConsoleError."""
    game = tools.games().get(source.game)
    if source.picture is None or "-c" in source.map or game is None:
        return source
    frame = picture_of(source.picture)
    if game.shown is None:
        raise BadValue(f"No map of {game.name} can be read from a picture: choose one by its name.")
    if frame.rgb is None:
        raise BadValue("There is no picture to read.")
    sizes = (source.size,) if source.size else tuple(n for n in SIZES if n in game.sizes)
    rgb = Seams(source.size, source.sides).cut(frame.rgb)
    for known in (*(known_look(tools, game.name, look, FEW) for look in tools.looks), NamedLook()):
        grid = read_grid(rgb, sizes, known)
        if None not in grid.names:
            break
    return Unnamed(source, game, frame, grid, tuple(name or "" for name in grid.names)).read


@lru_cache(64)
def known_look(tools: DraftingTools, game: str, look: str, maps: int = NAMING) -> NamedLook:
    """Return a look after one name a kind of cell, each asked about where it is first seen."""
    known, of = NamedLook(), tools.games()[game]
    for seed in () if of.read else range(maps):
        world = of.make(of.sizes[0], NAMING_SEEDS + seed)
        grid = read_grid(decode_picture(tools.paint(of, world, look)), known=known)
        if grid.size == world.size:
            cells, named = world.cells(world.first), zip(grid.names, grid.examples, strict=True)
            known = known.with_names(grid, [name or cells[example] for name, example in named])
    return known


def seen_world(game: Game, name: str, picture: RgbImage, known: NamedLook) -> World | None:
    """Return the map that a picture shows; None: a kind of cell has no name. Raises BadValue."""
    if game.read is not None:
        return game.read(name, picture)
    grid = read_grid(picture, known=known)
    names = [name for name in grid.names if name is not None]
    whole = len(names) == len(grid.names)
    return game.shown(name, grid.cells(names)) if whole and game.shown else None
