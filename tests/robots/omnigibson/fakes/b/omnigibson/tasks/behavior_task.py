"""The task: one scope, of entities that wrap an object or nothing."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from bddl.activity import evaluate_goal_conditions

__all__ = ["BDDLEntity", "BehaviorTask", "evaluate_goal_conditions"]


class BDDLEntity:
    def __init__(self, world: Any, inst: str) -> None:
        self._world, self.bddl_inst = world, inst

    @property
    def wrapped_obj(self) -> Any:
        return self._world.of(self.bddl_inst)

    @property
    def exists(self) -> bool:
        return self.wrapped_obj is not None


class BehaviorTask:
    def __init__(
        self,
        activity_name: Any = None,
        activity_definition_id: int = 0,
        activity_instance_id: int = 0,
        predefined_problem: Any = None,
        online_object_sampling: bool = False,
        use_presampled_robot_pose: bool = False,
        highlight_task_relevant_objects: bool = False,
        termination_config: Any = None,
        reward_config: Any = None,
    ) -> None:
        assert termination_config.keys() == {"max_steps"}
        self.activity_name = activity_name

    def _bind(self, world: Any) -> None:
        self.activity_goal_conditions = [world]
        self.object_scope: Mapping[str, BDDLEntity] = {i: BDDLEntity(world, i) for i in world.scope}
