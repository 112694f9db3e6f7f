"""What the robots of all API versions share. Their grasps and their classes differ."""

from __future__ import annotations

import math
from typing import Any

from contract_cameras import Camera, Laser
from contract_layouts import ROOMS
from contract_values import Tensor, yaw_of
from contract_world import World


class Joint:
    _pos = 0.0

    def set_pos(self, pos: Any, normalized: bool = False, drive: bool = False) -> None:
        self._pos = float(pos)


class RobotBody:
    """What the robots of all API versions share. Their grasps and their classes differ."""

    _handles_grasps = True

    def __init__(self, world: World, config: dict[str, Any], eye: str) -> None:
        self._world, self.name = world, config["name"]
        shape = config["sensor_config"]["VisionSensor"]["sensor_kwargs"]
        assert shape.keys() == {"image_height", "image_width"}
        modalities = set(config["obs_modalities"])
        camera = Camera(
            world, f"robot:{eye}:Camera:0", shape["image_height"], shape["image_width"], modalities
        )
        self.sensors = {Laser.name: Laser(), camera.name: camera}
        self.arm_names = ["0"]
        self.default_arm = "0"
        self._ag_obj_in_hand: dict[str, Any] = {"0": None}
        self._handles_grasps = not config.get("disable_grasp_handling", False)
        room = ROOMS["garden_0" if world.activity == "bringing_water" else "kitchen_0"]
        if world.activity == "store_firewood":
            room = ROOMS["living_room_0"]
        self._at, self._turn = [room[0] + 1.0, room[1] + 1.0, 0.01], [0.0, 0.0, 0.0, 1.0]
        assert config["grasping_mode"] == "sticky"

    def _tilt(self) -> float:
        """How far the head looks down, if it can."""
        return next((j._pos for name, j in getattr(self, "joints", {}).items() if "tilt" in name), 0.0)

    @property
    def held_thing(self) -> Any:
        return self._ag_obj_in_hand["0"]

    def _hand(self) -> list[float]:
        yaw = yaw_of(self._turn)
        return [self._at[0] + 0.6 * math.cos(yaw), self._at[1] + 0.6 * math.sin(yaw), 0.8]

    def _physics(self) -> None:
        if self._handles_grasps:  # the gripper is not closing
            self._ag_obj_in_hand["0"] = None
        if self.held_thing is not None:
            self.held_thing._at = self._hand()

    def get_position_orientation(self, frame: str = "world", clone: bool = True) -> tuple[Tensor, Tensor]:
        return Tensor(list(self._at)), Tensor(list(self._turn))

    def set_position_orientation(
        self, position: Any = None, orientation: Any = None, frame: str = "world"
    ) -> None:
        yaw_of(orientation)
        self._at, self._turn = [float(n) for n in position], [float(n) for n in orientation]
        if self.held_thing is not None:
            self.held_thing.set_position_orientation(position=self._hand())

    def keep_still(self) -> None:
        pass

    def get_eef_position(self, arm: str = "default") -> Tensor:
        return Tensor(self._hand())

    def _take(self, arm: str, thing: Any, position: Any) -> None:
        assert position is not None
        if thing.root_link.mass <= 10:
            self._ag_obj_in_hand[arm], thing._place = thing, None
