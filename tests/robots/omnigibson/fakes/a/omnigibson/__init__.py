"""OmniGibson 1.1.1, as far as its contract goes (read in its source)."""

from __future__ import annotations

from typing import Any

from contract_package import ROBOT_KEYS, TASK_KEYS, check_keys, launch, load_world
from contract_scene import Scene, shutdown

from omnigibson.macros import gm
from omnigibson.robots import REGISTERED_ROBOTS
from omnigibson.tasks import BehaviorTask

__version__ = "1.1.1"
__all__ = ["Environment", "shutdown", "sim"]
sim: Any = None


class Environment:
    def __init__(self, configs: Any, in_vec_env: bool = False) -> None:
        global sim
        world = load_world(configs, gm)
        (robot,) = configs["robots"]
        check_keys("the robot", robot, ROBOT_KEYS + " type")
        task = configs["task"]
        check_keys("the task", task, TASK_KEYS)
        assert task["type"] == "BehaviorTask"
        world.robot = REGISTERED_ROBOTS[robot["type"]](world, robot)
        self.scene = Scene(world)
        self.scene.robots.append(world.robot)
        self.task = BehaviorTask(**{k: v for k, v in task.items() if k != "type"})
        self.task._bind(world)
        sim = launch(world, configs, gm)

    @property
    def robots(self) -> list[Any]:
        return self.scene.robots

    def reset(self, get_obs: bool = True, **kwargs: Any) -> Any:
        if get_obs:
            raise ValueError("Observation space does not match returned observations!")
