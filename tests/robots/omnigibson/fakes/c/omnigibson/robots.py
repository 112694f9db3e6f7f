"""One class for all robots, told apart by their model."""

from __future__ import annotations

from typing import Any

from contract_robots import RobotBody

REGISTERED_ROBOTS = ("fetch", "r1pro")


class Robot(RobotBody):
    def __init__(
        self,
        name: str,
        model: str,
        obs_modalities: Any = ("rgb", "proprio"),
        sensor_config: Any = None,
        grasping_mode: str = "physical",
        disable_grasp_handling: bool = False,
        **kwargs: Any,
    ) -> None:
        self.model = model

    def _enter(self, world: Any, config: dict[str, Any]) -> None:
        super().__init__(world, config, "eyes" if self.model == "fetch" else "zed_link")

    def _establish_grasp(self, obj: Any, link_name: str, arm: str, contact_pos: Any, joint_type: str) -> None:
        assert link_name == obj.root_link_name and joint_type == "FixedJoint"
        self._take(arm, obj, contact_pos)

    def release_grasp_immediately(self, arm: str = "default") -> None:
        self._ag_obj_in_hand[arm]  # a name such as "default" is no key
        self._ag_obj_in_hand[arm] = None
