"""Where the robot can stand, and which room a place is in."""

from __future__ import annotations

from typing import Any

from contract_values import Tensor
from contract_world import World

ORIGIN, RESOLUTION, CELLS = -20.0, 0.1, 400


class _Grid:
    shape = (CELLS, CELLS)

    def __init__(self, world: World) -> None:
        self._world = world

    def __getitem__(self, cell: tuple[int, int]) -> int:
        y, x = ((n + 0.5) * RESOLUTION + ORIGIN for n in cell)
        return 255 if self._world.clear_at(x, y) else 0


class TraversableMap:
    def __init__(self, world: World) -> None:
        self.floor_map = [_Grid(world)]

    def world_to_map(self, xy: Any) -> Tensor:
        x, y = xy
        return Tensor([int((y - ORIGIN) / RESOLUTION), int((x - ORIGIN) / RESOLUTION)])


class SegmentationMap:
    def __init__(self, world: World) -> None:
        self._world = world

    def get_room_instance_by_point(self, xy: Any) -> str | None:
        x, y = xy
        return self._world.room_at(x, y)
