"""The task: a scope for each environment, of objects or None."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from contract_package import goal_met


class CompiledTask:
    def __init__(self, world: Any) -> None:
        self._world = world

    def check_goal(self, evaluate_fn: Callable[..., bool]) -> tuple[bool, dict[str, Any]]:
        assert callable(evaluate_fn)
        return goal_met(self._world), {}


class BehaviorTask:
    def __init__(
        self,
        activity_name: Any = None,
        activity_definition_id: int = 0,
        activity_instance_id: int = 0,
        online_object_sampling: bool = False,
        use_presampled_robot_pose: bool = True,
        randomize_presampled_pose: bool = False,
        presampled_pose_key: Any = None,
        sampling_whitelist: Any = None,
        sampling_blacklist: Any = None,
        highlight_task_relevant_objects: bool = False,
        termination_config: Any = None,
        reward_config: Any = None,
        include_obs: bool = True,
    ) -> None:
        assert termination_config.keys() == {"max_steps"}
        if use_presampled_robot_pose:
            raise KeyError("No generic or 'fetch' presampled robot pose found for fetch!")
        self.activity_name = activity_name

    def _bind(self, world: Any) -> None:
        self._world, self.compiled_task = world, CompiledTask(world)

    @property
    def object_scopes(self) -> list[dict[str, Any]]:
        return [{inst: self._world.of(inst) for inst in self._world.scope}]
