"""Names and signatures of OmniGibson as published, read statically from its source: facts, and no code of it.

`python -m tests.robots.omnigibson.published FOLDER` writes `published_1_1_1.json` from an unpacked source
archive of omnigibson 1.1.1 (the folder that holds `omnigibson/`). It was last written from the archive of the
package index, on 2026-11-23.
"""

from __future__ import annotations

import ast
import json
import sys
from pathlib import Path

FILE = Path(__file__).parent / "published_1_1_1.json"
# file -> class ("" for the module) -> what the worker uses of it
WANTED: dict[str, dict[str, str]] = {
    "__init__.py": {"": "Environment shutdown sim __version__"},
    "envs/env_base.py": {"Environment": "__init__ reset scene robots task"},
    "simulator.py": {"Simulator": "step render viewer_camera"},
    "macros.py": {"": "gm"},
    "tasks/__init__.py": {"": "BehaviorTask"},
    "tasks/behavior_task.py": {
        "BehaviorTask": "__init__ object_scope activity_goal_conditions",
        "": "evaluate_goal_conditions",
    },
    "utils/bddl_utils.py": {"BDDLEntity": "__init__ exists"},
    "utils/python_utils.py": {"Wrapper": "wrapped_obj"},
    "robots/manipulation_robot.py": {
        "ManipulationRobot": "__init__ _establish_grasp release_grasp_immediately get_eef_position "
        "set_position_orientation default_arm _ag_obj_in_hand"
    },
    "robots/robot_base.py": {"BaseRobot": "sensors"},
    "robots/fetch.py": {"Fetch": "camera_joint_names"},
    "objects/stateful_object.py": {"StatefulObject": "states"},
    "objects/dataset_object.py": {"DatasetObject": "in_rooms"},
    "prims/entity_prim.py": {
        "EntityPrim": "joints get_position_orientation set_position_orientation keep_still enable_gravity "
        "disable_gravity aabb root_link"
    },
    "prims/prim_base.py": {"BasePrim": "name"},
    "prims/joint_prim.py": {"JointPrim": "set_pos"},
    "sensors/sensor_base.py": {"BaseSensor": "get_obs modalities"},
    "sensors/vision_sensor.py": {"VisionSensor": "__init__"},
    "object_states/__init__.py": {"": "Contains Filled Frozen Heated Inside OnTop Open ToggledOn"},
    "object_states/object_state_base.py": {"BaseObjectState": "get_value set_value"},
    "object_states/inside.py": {"Inside": "_get_value _set_value"},
    "object_states/on_top.py": {"OnTop": "_get_value _set_value"},
    "object_states/open_state.py": {"Open": "_get_value _set_value"},
    "object_states/filled.py": {"Filled": "_get_value _set_value"},
    "object_states/contains.py": {"Contains": "_get_value _set_value"},
    "object_states/frozen.py": {"Frozen": "_get_value _set_value"},
    "object_states/heated.py": {"Heated": "_get_value _set_value"},
    "object_states/toggle.py": {"ToggledOn": "_set_value"},
    "scenes/scene_base.py": {"Scene": "get_system transition_rule_api"},
    "scenes/traversable_scene.py": {"TraversableScene": "trav_map"},
    "scenes/interactive_traversable_scene.py": {"InteractiveTraversableScene": "__init__ seg_map _seg_map"},
    "maps/map_base.py": {"BaseMap": "world_to_map"},
    "maps/traversable_map.py": {"TraversableMap": "floor_map"},
    "maps/segmentation_map.py": {"SegmentationMap": "get_room_instance_by_point"},
    "transition_rules.py": {
        "TransitionRuleAPI": "execute_transition active_rules",
        "SlicingRule": "transition",
        "": "TransitionResults",
    },
}
MACROS = (
    "HEADLESS USE_GPU_DYNAMICS ENABLE_FLATCACHE ENABLE_OBJECT_STATES ENABLE_TRANSITION_RULES DATASET_PATH"
)


def read(source: Path) -> dict[str, str]:
    """Return each wanted name with its signature, "attribute" or "imported". Raises KeyError."""
    found = {}
    for file, classes in WANTED.items():
        tree = ast.parse((source / "omnigibson" / file).read_text())
        for owner, names in classes.items():
            body = next((n for n in ast.walk(tree) if isinstance(n, ast.ClassDef) and n.name == owner), tree)
            if owner and body is tree:
                raise KeyError(f"{file}: class {owner}")
            for name in names.split():
                found[f"{file}:{owner}.{name}" if owner else f"{file}:{name}"] = described(body, name, file)
    macros = (source / "omnigibson" / "macros.py").read_text()
    for name in (*MACROS.split(), "RENDER_VIEWER_CAMERA"):
        if f"gm.{name} = " not in macros:
            raise KeyError(f"macros.py: {name}")
        found[f"macros.py:gm.{name}"] = "attribute"
    return found


def described(body: ast.AST, name: str, file: str) -> str:
    for node in ast.walk(body):
        if isinstance(node, ast.FunctionDef) and node.name == name:
            arguments = node.args
            for argument in (*arguments.args, *arguments.kwonlyargs):
                argument.annotation = None
            return f"({ast.unparse(arguments)})"
        if isinstance(node, ast.ImportFrom) and name in {alias.asname or alias.name for alias in node.names}:
            return "imported"
        targets = node.targets if isinstance(node, ast.Assign) else []
        if any(getattr(t, "attr", getattr(t, "id", "")) == name for t in targets):
            return "attribute"
    raise KeyError(f"{file}: {name}")


if __name__ == "__main__":
    FILE.write_text(json.dumps(read(Path(sys.argv[1])), indent=1, sort_keys=True) + "\n")
