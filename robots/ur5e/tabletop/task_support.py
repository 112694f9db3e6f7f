"""What the arm at the table can be asked to do."""

from __future__ import annotations

from core.domains import DomainSpec, Task
from robots.task_support import missing_features
from robots.ur5e.scene_file import DEFAULT_SCENE, read_scene

PREDICATES = {
    "inview": 2, "inhand": 2, "handempty": 1, "ontable": 1, "ingoal": 1, "inside": 2, "collected": 1,
}  # fmt: skip
ACTIONS = {"find": 2, "pick": 2, "place_goal": 2, "place_in": 3, "put_back": 2}


def unsupported_reasons(folder: DomainSpec, task: Task, scene: str = DEFAULT_SCENE) -> tuple[str, ...]:
    """Return why the robot cannot run this task, one sentence for each reason; empty if it can.

    `scene` is named as in the arm's setup file.
    """
    reasons = missing_features(
        "The arm at the table", folder, task, PREDICATES, lambda a: ACTIONS.get(a.name) == len(a.parameters)
    )
    agents = task.problem.of_type("agent")
    if len(agents) != 1:
        reasons += (f"Task {task.name}: the table has one arm, so it needs one agent, not {len(agents)}.",)
    known = read_scene(scene).things
    if unknown := [name for name in task.problem.of_type("movable") if name not in known]:
        things = f"the scene {scene!r} has no {', '.join(unknown)}"
        remedy = "name a scene file that has, as `scene` in the arm's setup file"
        reasons += (f"Task {task.name}: {things}: {remedy}.",)
    return reasons
