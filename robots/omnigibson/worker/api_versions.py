"""Tell the published versions of OmniGibson apart by what they have, not by their number.

API A is 1.1.x and was read in its source. API C is 3.9 and was read in its repository. API B is 3.7 and 3.8:
what is assumed of it here was inferred from the two others, and nobody has checked it.
"""

import inspect
from typing import Any


class UnknownVersion(Exception):
    """An OmniGibson that has none of the three known sets of features."""


class ApiVersion:
    """API A, flat: one scene, `env.robots` is a list, the task has one scope of wrapped entities."""

    name, inferred = "A", False

    def robot_config(self, model: str) -> dict[str, Any]:
        return {"type": model}

    def task_config(self) -> dict[str, Any]:
        return {}

    def scene(self, env: Any) -> Any:
        return env.scene

    def robot(self, env: Any) -> Any:
        return env.robots[0]

    def scope(self, env: Any) -> dict[str, Any]:
        """Return what stands behind each name of the activity: an object, a system, or None."""
        return {name: entity.wrapped_obj for name, entity in env.task.object_scope.items()}

    def is_goal_met(self, env: Any) -> bool:
        from omnigibson.tasks.behavior_task import evaluate_goal_conditions

        return bool(evaluate_goal_conditions(env.task.activity_goal_conditions)[0])

    def grasp(self, robot: Any, arm: str, thing: Any, position: Any) -> None:
        robot._establish_grasp(arm=arm, ag_data=(thing, thing.root_link), contact_pos=position)

    def release(self, robot: Any, arm: str) -> None:
        robot.release_grasp_immediately()

    def data_folders(self, gm: Any) -> list[str]:
        """Return the folders in which a folder `scenes` may be."""
        return [gm.DATASET_PATH]


class ApiVersionB(ApiVersion):
    """API B, as A but for the poses that a task may give the robot, which are switched off."""

    name, inferred = "B", True

    def task_config(self) -> dict[str, Any]:
        return {"use_presampled_robot_pose": False}

    def data_folders(self, gm: Any) -> list[str]:
        import glob
        import os

        root = gm.DATA_PATH if hasattr(gm, "DATA_PATH") else os.path.dirname(gm.DATASET_PATH)
        return sorted(glob.glob(os.path.join(root, "*")))


class ApiVersionC(ApiVersionB):
    """API C, many environments at once: of everything there is a list, and we take the first."""

    name, inferred = "C", False

    def robot_config(self, model: str) -> dict[str, Any]:
        return {"model": model.lower()}

    def scene(self, env: Any) -> Any:
        return env.scenes[0]

    def robot(self, env: Any) -> Any:
        return env.scenes[0].robots[0]

    def scope(self, env: Any) -> dict[str, Any]:
        return dict(env.task.object_scopes[0])

    def is_goal_met(self, env: Any) -> bool:
        from omnigibson.utils.bddl_utils import evaluate_bddl_predicate

        scope = env.task.object_scopes[0]
        met = env.task.compiled_task.check_goal(
            lambda predicate, *names: evaluate_bddl_predicate(predicate, *[scope[name] for name in names])
        )
        return bool(met[0] if isinstance(met, tuple) else met)

    def grasp(self, robot: Any, arm: str, thing: Any, position: Any) -> None:
        robot._establish_grasp(thing, thing.root_link_name, arm, position, "FixedJoint")

    def release(self, robot: Any, arm: str) -> None:
        robot.release_grasp_immediately(arm=arm)


def detect(og: Any) -> ApiVersion:
    """Return the API version of this package before anything is loaded. Raises UnknownVersion."""
    import omnigibson.robots as robots
    from omnigibson.tasks import BehaviorTask

    one_class = getattr(robots, "Robot", None)
    takes_model = one_class is not None and "model" in inspect.signature(one_class.__init__).parameters
    presampled = "use_presampled_robot_pose" in inspect.signature(BehaviorTask.__init__).parameters
    if takes_model and presampled:
        return ApiVersionC()
    if not takes_model and presampled:
        return ApiVersionB()
    if not takes_model and hasattr(og, "__version__"):
        return ApiVersion()
    raise UnknownVersion(_unknown(og))


def check_loaded(api: ApiVersion, og: Any, env: Any) -> None:
    """Check that the loaded environment is of that API version as well. Raises UnknownVersion."""
    found: bool | None = hasattr(env, "num_envs") and isinstance(env.robots[0], list)
    scopes = hasattr(env.task, "object_scopes")
    if (api.name == "C") is not bool(found) or (api.name == "C") is not scopes:
        raise UnknownVersion(_unknown(og))


def _unknown(og: Any) -> str:
    version = getattr(og, "__version__", "without a number")
    return f"OmniGibson {version} has features that this worker does not know"
