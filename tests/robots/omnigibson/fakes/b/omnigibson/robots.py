"""Fetch: a robot is a class of its own."""

from __future__ import annotations

from typing import Any

from contract_robots import Joint, RobotBody


class Fetch(RobotBody):
    def __init__(self, world: Any, config: dict[str, Any]) -> None:
        super().__init__(world, config, "eyes")
        self.joints = {"head_pan_joint": Joint(), "head_tilt_joint": Joint()}

    @property
    def camera_joint_names(self) -> list[str]:
        return ["head_pan_joint", "head_tilt_joint"]

    def _establish_grasp(self, arm: str = "default", ag_data: Any = None, contact_pos: Any = None) -> None:
        if ag_data is None:
            return
        thing, link = ag_data
        assert link is thing.root_link
        self._take(arm, thing, contact_pos)

    def release_grasp_immediately(self) -> None:
        self._ag_obj_in_hand = dict.fromkeys(self.arm_names)


REGISTERED_ROBOTS = {"Fetch": Fetch}
