"""The eye, and the camera of the viewer."""

from __future__ import annotations

from typing import Any

from contract_values import FAULTS, Tensor, yaw_of
from contract_world import WIDE, World


class Camera:
    def __init__(self, world: World, name: str, height: int, width: int, modalities: set[str]) -> None:
        self._world, self._size, self.name, self.modalities = world, (height, width), name, modalities
        self._at, self._turn = [0.0, 0.0, 0.0], [0.0, 0.0, 0.0, 1.0]

    def get_position_orientation(self, frame: str = "world", clone: bool = True) -> tuple[Tensor, Tensor]:
        if "seg_instance" not in self.modalities:
            return Tensor(self._at), Tensor(self._turn)
        robot = self._world.robot
        x, y, z = robot._at
        return Tensor([x, y, z + 1.1]), Tensor(self._turn)

    def set_position_orientation(
        self, position: Any = None, orientation: Any = None, frame: str = "world"
    ) -> None:
        yaw_of(orientation)
        self._at, self._turn = list(position), list(orientation)

    def get_obs(self) -> tuple[dict[str, Any], dict[str, Any]]:
        height, width = self._size
        labels = {1: "background"}
        rows = [[1] * width for _ in range(height)]
        observed: dict[str, Any] = {}
        if "seg_instance" not in self.modalities:
            observed["rgb"] = Tensor(bytes(range(240)) * (height * width // 60), (height, width, 4))
            return observed, {}
        here = self._world.room_at(*self._world.robot._at[:2])
        for floor in (t for t in self._world.things.values() if t.category == "floor"):
            if floor.in_rooms == [here]:
                labels[2] = floor.name
                rows[height // 2 :] = [[2] * width for _ in range(height - height // 2)]
        for number, (thing, angle) in enumerate(self._world.visible(), 3):
            labels[number] = thing.name
            side = 16 if "movable" in thing._kinds else 40
            left = int((0.5 - angle / WIDE / 2) * (width - side))
            top = (5 + 17 * number if "movable" in thing._kinds else 60) % (height - side)
            for row in rows[top : top + side]:
                row[left : left + side] = [number] * side
        if "no segmentation" not in FAULTS:
            observed["seg_instance"] = Tensor(rows, self._size)
        drawn: dict[int, bytes] = {}  # of rows that are one and the same list, or equal
        lines = []
        for row in rows:
            key = hash(tuple(row))
            if key not in drawn:
                drawn[key] = b"".join(bytes((v * 53 % 256, v * 97 % 256, v * 29 % 256, 255)) for v in row)
            lines.append(drawn[key])
        raw = b"".join(lines)
        observed["rgb"] = Tensor(raw, (height, width, 4))
        return observed, {"seg_instance": labels} if "seg_instance" in observed else {}


class Laser:
    name, modalities = "robot:laser:Lidar:0", frozenset({"scan"})
