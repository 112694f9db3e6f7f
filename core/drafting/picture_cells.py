"""Read which map a picture shows: its cells by the looks that are known, else by a person's names."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache

from core.drafting.source import DraftingTools, DraftSource, picture_of
from core.drafting.trials import named_look
from core.drafting.world import Cell, Game, name_of_cells
from core.errors import BadValue
from core.ports import Frame
from core.vqa.grid_reader.grid_reader import SIZES, Grid, NamedLook, read_grid

MAPS = 3  # of each look, from which its kinds are named


@dataclass(frozen=True)
class PictureCells:
    """The cells of a picture in groups of like ones; "" names a group that somebody has to name."""

    grid: Grid
    names: tuple[str, ...]

    @property
    def cells(self) -> dict[Cell, str]:
        return self.grid.cells(self.names)

    @property
    def unnamed(self) -> int:
        """Return how many groups have no name yet."""
        return self.names.count("")

    def with_name(self, cell: Cell, kind: str) -> PictureCells:
        """Return it with the whole group of a cell named."""
        group = self.grid.groups[(cell[0] - 1) * self.grid.size + cell[1] - 1]
        return replace(self, names=(*self.names[:group], kind, *self.names[group + 1 :]))


@dataclass(frozen=True)
class Unnamed:
    """A picture of which some kinds of cells have no name yet."""

    source: DraftSource
    game: Game
    frame: Frame
    read: PictureCells

    def with_name(self, cell: Cell, kind: str) -> Unnamed | DraftSource:
        """Return it with a kind named; with the last one, the map that it shows."""
        read = self.read.with_name(cell, kind)
        if read.unnamed:
            return replace(self, read=read)
        return replace(self.source, map=name_of_cells(self.game, read.cells))


def map_shown(tools: DraftingTools, source: DraftSource) -> Unnamed | DraftSource:
    """Return the source with the map that its picture shows, if it has one of a game. Raises ConsoleError."""
    game = tools.games().get(source.map.rsplit("-", 2)[0])
    if source.picture is None or source.template or "-c" in source.map or game is None:
        return source
    frame = picture_of(source.picture)
    read = read_cells(tools, game, frame, source.size)
    if read.unnamed:
        return Unnamed(source, game, frame, read)
    return replace(source, map=name_of_cells(game, read.cells))


def read_cells(tools: DraftingTools, game: Game, frame: Frame, size: int = 0) -> PictureCells:
    """Return what a picture shows; `size` 0 finds the number of cells a side. Raises BadValue."""
    if game.shown is None:
        raise BadValue(f"No map of {game.name} can be read from a picture: choose one by its name.")
    if frame.rgb is None:
        raise BadValue("There is no picture to read.")
    sizes = (size,) if size else tuple(n for n in SIZES if n in game.sizes)
    for look in _looks(tools, game.name):
        grid = read_grid(frame.rgb, sizes, look)
        if None not in grid.names:
            return PictureCells(grid, tuple(name or "" for name in grid.names))
    grid = read_grid(frame.rgb, sizes)
    return PictureCells(grid, ("",) * len(grid.means))


@lru_cache(16)
def _looks(tools: DraftingTools, game: str) -> tuple[NamedLook, ...]:
    return tuple(named_look(tools.games()[game], look, tools.paint, MAPS) for look in tools.looks)
