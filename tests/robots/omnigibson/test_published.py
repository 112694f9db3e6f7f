"""What the worker and the fakes take for granted, against what OmniGibson 1.1.1 and bddl have published."""

from __future__ import annotations

import ast
import importlib.util
import inspect
import json
import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from robots.omnigibson.activities import ACTIVITIES, Activity
from robots.omnigibson.worker_session import WORKER
from tests.robots.omnigibson import published, published_bddl
from tests.robots.omnigibson.conftest import FAKES

TABLE: dict[str, str] = json.loads(published.FILE.read_text())
BDDL: dict[str, dict[str, dict[str, object]]] = json.loads(published_bddl.FILE.read_text())
SOURCE = os.environ.get("DKPROMPT_OMNIGIBSON_SOURCE", "")  # an unpacked archive of 1.1.1, where there is one
WORKER_FILES = sorted(WORKER.glob("*.py"))
# Of API versions B and C, read in the repository or inferred, and of tensors.
LATER = "num_envs scenes object_scopes compiled_task check_goal root_link_name DATA_PATH Robot"
TENSORS = "cpu contiguous numpy tobytes tolist shape"
STDLIB_AND_OWN = set(dir(str)) | set(dir(list)) | set(dir(dict)) | set(dir(set)) | {"path", "__name__"}

# class of the fake of API A -> file and class that it stands for
STANDS_FOR = {
    "Thing": "prims/entity_prim.py:EntityPrim",
    "Joint": "prims/joint_prim.py:JointPrim",
    "Camera": "sensors/sensor_base.py:BaseSensor",
    "Inside": "object_states/inside.py:Inside",
    "Open": "object_states/open_state.py:Open",
    "Filled": "object_states/filled.py:Filled",
    "Contains": "object_states/contains.py:Contains",
    "Frozen": "object_states/frozen.py:Frozen",
    "Heated": "object_states/heated.py:Heated",
    "ToggledOn": "object_states/toggle.py:ToggledOn",
    "State": "object_states/object_state_base.py:BaseObjectState",
    "RobotBody": "robots/manipulation_robot.py:ManipulationRobot",
    "Fetch": "robots/manipulation_robot.py:ManipulationRobot",
    "Scene": "scenes/scene_base.py:Scene",
    "TraversableMap": "maps/map_base.py:BaseMap",
    "SegmentationMap": "maps/segmentation_map.py:SegmentationMap",
    "SlicingRule": "transition_rules.py:SlicingRule",
    "TransitionRuleAPI": "transition_rules.py:TransitionRuleAPI",
    "BehaviorTask": "tasks/behavior_task.py:BehaviorTask",
}


def signatures() -> Iterator[tuple[str, str, str, str]]:
    """Class, method, signature in the fake of API A, and as published."""
    files = (*(FAKES / "common").glob("contract_*.py"), *(FAKES / "a" / "omnigibson").rglob("*.py"))
    for path in sorted(files):
        for node in ast.walk(ast.parse(path.read_text())):
            if not isinstance(node, ast.ClassDef) or node.name not in STANDS_FOR:
                continue
            for method in node.body:
                key = f"{STANDS_FOR[node.name]}.{getattr(method, 'name', '')}"
                known = TABLE.get(key, "")
                if isinstance(method, ast.FunctionDef) and known.startswith("("):
                    if method.name == "__init__" and node.name != "BehaviorTask":
                        continue  # how the fake makes its own things
                    for argument in (*method.args.args, *method.args.kwonlyargs):
                        argument.annotation = None
                    for more in (method.args.vararg, method.args.kwarg):
                        if more:
                            more.annotation = None
                    yield node.name, method.name, f"({ast.unparse(method.args)})", known


@pytest.mark.parametrize(("owner", "method", "given", "known"), list(signatures()))
def test_that_the_fake_takes_what_is_published(owner: str, method: str, given: str, known: str) -> None:
    assert given == known


def test_that_most_of_the_fake_is_held_against_what_is_published() -> None:
    assert len(list(signatures())) >= 30


def test_that_the_worker_uses_nothing_that_is_not_published() -> None:
    known = {key.replace(":", ".").rsplit(".", 1)[1] for key in TABLE}
    known |= {*LATER.split(), *TENSORS.split(), "wrapped_obj", "add", "remove", "__version__"}
    known |= STDLIB_AND_OWN
    names = ("simulation.py", "api_versions.py", "configuration.py")
    trees = {name: ast.parse((WORKER / name).read_text()) for name in names}
    nodes = [(name, node) for name, tree in trees.items() for node in ast.walk(tree)]
    own = {n.name for _, n in nodes if isinstance(n, ast.FunctionDef | ast.ClassDef)} | {"name", "inferred"}
    own |= {n.attr for _, n in nodes if isinstance(n, ast.Attribute) and _is_self(n)}
    unknown = {
        f"{name}, line {node.lineno}: {node.attr}"
        for name, node in nodes
        if isinstance(node, ast.Attribute) and not _is_module(node) and node.attr not in known | own
    }
    assert not unknown


def _is_self(node: ast.Attribute) -> bool:
    return isinstance(node.value, ast.Name) and node.value.id == "self"


def _is_module(node: ast.Attribute) -> bool:
    """Return True for an attribute of a module of the standard library, or of a call's result from one."""
    root: ast.AST = node.value
    while isinstance(root, ast.Attribute | ast.Call):
        root = root.value if isinstance(root, ast.Attribute) else root.func
    return isinstance(root, ast.Name) and root.id in ("os", "sys", "glob", "inspect", "Simulation")


def test_that_the_configuration_has_no_unknown_keys() -> None:
    robot = TABLE["robots/manipulation_robot.py:ManipulationRobot.__init__"]
    for key in ("name", "obs_modalities", "sensor_config", "grasping_mode", "disable_grasp_handling"):
        assert key in robot
    scene = TABLE["scenes/interactive_traversable_scene.py:InteractiveTraversableScene.__init__"]
    for key in ("scene_model", "not_load_object_categories", "load_task_relevant_only"):
        assert key in scene
    camera = TABLE["sensors/vision_sensor.py:VisionSensor.__init__"]
    assert "image_height" in camera and "image_width" in camera


@pytest.mark.skipif(not SOURCE, reason="DKPROMPT_OMNIGIBSON_SOURCE names no unpacked archive of 1.1.1")
def test_that_the_table_is_what_the_archive_says() -> None:
    assert published.read(Path(SOURCE)) == TABLE


# --- the worker as a program ----------------------------------------------------------------------------


@pytest.mark.parametrize("path", WORKER_FILES, ids=lambda path: path.name)
def test_that_the_worker_is_python_3_10_and_imports_only_the_standard_library_and_omnigibson(
    path: Path,
) -> None:
    tree = ast.parse(path.read_text(), feature_version=(3, 10))
    for node in ast.walk(tree):
        names = [a.name for a in node.names] if isinstance(node, ast.Import) else []
        if isinstance(node, ast.ImportFrom) and not node.level:
            names = [node.module or ""]
        for name in names:
            first = name.split(".")[0]
            only_tried = path.name == "probe.py" and first == "torch"
            assert first in sys.stdlib_module_names or first == "omnigibson" or only_tried, name


def test_that_the_worker_has_a_permissive_licence_of_its_own() -> None:
    assert (WORKER / "LICENSE").read_text().startswith("MIT License")


def test_that_the_worker_has_about_twenty_calls_of_a_few_lines() -> None:
    spec = importlib.util.find_spec("robots.omnigibson.worker.simulation")
    assert spec is not None and spec.loader is not None
    from robots.omnigibson.worker.simulation import CALLS, Simulation

    assert 20 <= len(CALLS) <= 25
    assert max(len(inspect.getsource(getattr(Simulation, call)).splitlines()) for call in CALLS) < 25


# --- activities -----------------------------------------------------------------------------------------

TABLES = [(task, activity) for task, several in ACTIVITIES.items() for activity in several]


@pytest.mark.parametrize(("task", "activity"), TABLES, ids=lambda v: v if isinstance(v, str) else v.bddl)
@pytest.mark.parametrize("version", BDDL)
def test_that_a_table_fits_exactly_the_versions_that_it_names(
    version: str, task: str, activity: Activity
) -> None:
    names = set(BDDL[version][activity.name]["names"])  # type: ignore[call-overload]
    wanted = {*activity.names.values(), *activity.halves, *activity.boiled.values()}
    assert (wanted <= names) is (version[:3] in activity.bddl)


def test_that_what_the_paper_changes_in_the_goals_is_known() -> None:
    goals = {name: str(activity["goal"]) for name, activity in BDDL["3.5.0"].items()}
    assert "cabinet.n.01_1" in goals["bringing_water"], "the paper leaves the bottles on the floor"
    assert "forall" in goals["store_firewood"], "the paper takes two of three logs"
    assert "(future cooked__water.n.01_1)" in str(BDDL["3.5.0"]["boil_water_in_the_microwave"]["init"])
    assert "(frozen apple_pie.n.01_1)" in str(BDDL["3.5.0"]["cook_a_frozen_pie"]["init"])
