"""Configure OmniGibson before it starts: its global settings, the scene, the robot and the task."""

import glob
import os
from typing import Any

from .api_versions import ApiVersion

SCENES = ("Beechwood_0_int", "house_single_floor", "Benevolence_1_int", "Ihlen_0_int")  # tried in this order
VIEWER = (960, 720)  # pixels of the viewer's camera
NO_TIMEOUT = 1_000_000_000  # steps; the task's own limit is 500


def set_macros(gm: Any, headless: bool) -> None:
    """Set what can only be set before the first environment: afterwards OmniGibson refuses."""
    gm.HEADLESS = headless
    gm.USE_GPU_DYNAMICS = True  # fluids are particles, and those need it
    gm.ENABLE_FLATCACHE = False  # and cannot do with this
    gm.ENABLE_OBJECT_STATES = True
    gm.ENABLE_TRANSITION_RULES = True
    gm.RENDER_VIEWER_CAMERA = True  # off by default in API C


def installed_scenes(api: ApiVersion, gm: Any, activity: str) -> list[str]:
    """Return the scenes of the installed data in which the activity is laid out."""
    ending = f"_task_{activity}_0_0_template.json"
    found = set()
    for folder in api.data_folders(gm):
        for path in glob.glob(os.path.join(folder, "scenes", "*", "json", "*" + ending)):
            found.add(os.path.basename(path)[: -len(ending)])
    return sorted(found, key=lambda scene: (SCENES.index(scene) if scene in SCENES else len(SCENES), scene))


def environment(api: ApiVersion, activity: str, scene: str, robot: str, size: int) -> dict[str, Any]:
    """Return the configuration of the environment."""
    return {
        "env": {"action_frequency": 30, "rendering_frequency": 30, "physics_frequency": 120},
        "render": {"viewer_width": VIEWER[0], "viewer_height": VIEWER[1]},
        "scene": {
            "type": "InteractiveTraversableScene",
            "scene_model": scene,
            "not_load_object_categories": ["ceilings"],
            "load_task_relevant_only": False,
        },
        "robots": [
            {
                **api.robot_config(robot),
                "name": "robot",
                "obs_modalities": ["rgb", "seg_semantic", "seg_instance"],
                "sensor_config": {
                    "VisionSensor": {"sensor_kwargs": {"image_height": size, "image_width": size}}
                },
                "grasping_mode": "sticky",
                "disable_grasp_handling": True,  # else every physics step lets go of what we attach
            }
        ],
        "task": {
            "type": "BehaviorTask",
            "activity_name": activity,
            "activity_definition_id": 0,
            "activity_instance_id": 0,
            "online_object_sampling": False,
            "termination_config": {"max_steps": NO_TIMEOUT},
            **api.task_config(),
        },
    }
