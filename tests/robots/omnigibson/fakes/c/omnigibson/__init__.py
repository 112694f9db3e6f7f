"""OmniGibson 3.9.2, as far as its contract goes (read in its repository)."""

from __future__ import annotations

from typing import Any

from contract_package import ROBOT_KEYS, TASK_KEYS, check_keys, launch, load_world
from contract_scene import Scene, shutdown

from omnigibson.macros import gm
from omnigibson.robots import REGISTERED_ROBOTS, Robot
from omnigibson.tasks import BehaviorTask

__version__ = "3.9.2"
__all__ = ["Environment", "shutdown", "sim"]
sim: Any = None


class Environment:
    def __init__(self, configs: Any) -> None:
        global sim
        world = load_world(configs, gm)
        (robot,) = configs["robots"]
        check_keys("the robot", robot, ROBOT_KEYS + " type model")
        assert "type" not in robot, "CANNOT SPECIFY BOTH TYPE AND MODEL."
        assert robot["model"] in REGISTERED_ROBOTS, f"{robot['model']} is not a registered robot."
        task = configs["task"]
        check_keys("the task", task, TASK_KEYS + " use_presampled_robot_pose")
        assert task["type"] == "BehaviorTask"
        world.robot = Robot(**robot)
        world.robot._enter(world, robot)
        self.num_envs = 1
        self.scenes = [Scene(world)]
        self.scenes[0].robots.append(world.robot)
        self.task = BehaviorTask(**{k: v for k, v in task.items() if k != "type"})
        self.task._bind(world)
        sim = launch(world, configs, gm)

    @property
    def scene(self) -> Any:
        return self.scenes[0]

    @property
    def robots(self) -> list[list[Any]]:
        return [scene.robots for scene in self.scenes]

    def reset(self, env_indices: Any = None, get_obs: bool = True, **kwargs: Any) -> Any:
        if get_obs:
            raise ValueError("Observation space does not match returned observations!")
