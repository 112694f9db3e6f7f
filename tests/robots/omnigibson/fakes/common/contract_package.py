"""Parts of the package `omnigibson` that its versions share: settings that lock, checked configurations."""

from __future__ import annotations

import os
import time
from typing import Any

from contract_cameras import Camera
from contract_scene import Simulator
from contract_states import give_states
from contract_values import FAULTS
from contract_world import World


class MacroDict:
    """Settings that can be set until they are read, each by itself."""

    def __init__(self, **settings: Any) -> None:
        object.__setattr__(self, "_settings", settings)
        object.__setattr__(self, "_read", set())

    def __getattr__(self, name: str) -> Any:
        if name not in self._settings:
            raise AttributeError(f"'MacroDict' object has no attribute {name!r}")
        self._read.add(name)
        return self._settings[name]

    def __setattr__(self, name: str, value: Any) -> None:
        if name in self._read:
            raise AttributeError(f"Cannot set attribute {name} in MacroDict, it has already been used.")
        self._settings[name] = value


def settings(**paths: str) -> MacroDict:
    headless = os.getenv("OMNIGIBSON_HEADLESS", "False").lower() in ("true", "1", "t")
    return MacroDict(
        HEADLESS=headless,
        USE_GPU_DYNAMICS=False,
        ENABLE_FLATCACHE=False,
        ENABLE_OBJECT_STATES=True,
        ENABLE_TRANSITION_RULES=True,
        RENDER_VIEWER_CAMERA=False,
        **paths,
    )


def check_keys(what: str, given: dict[str, Any], known: str) -> None:
    unknown = given.keys() - set(known.split())
    assert not unknown, f"{what} has no {sorted(unknown)}"


def load_world(config: dict[str, Any], gm: MacroDict) -> World:
    """What every environment does first: check the configuration, and launch Isaac Sim."""
    check_keys("the configuration", config, "env render scene robots objects task wrapper")
    check_keys("env", config["env"], "action_frequency rendering_frequency physics_frequency device")
    check_keys("render", config["render"], "viewer_width viewer_height")
    check_keys(
        "scene",
        config["scene"],
        "type scene_model scene_instance scene_file not_load_object_categories load_task_relevant_only",
    )
    assert config["scene"]["type"] == "InteractiveTraversableScene"
    if "no gpu" in FAULTS:
        raise RuntimeError("Failed to create any GPU devices: no CUDA-capable device is detected")
    if "no licence" in FAULTS:
        input("Do you accept the EULA? (Yes/No): ")
    while "slow" in FAULTS:
        print(f"compiling shaders in process {os.getpid()}", flush=True)
        time.sleep(0.2)
    if "no isaac" in FAULTS:
        raise KeyError("ISAAC_PATH")
    assert gm.USE_GPU_DYNAMICS and not gm.ENABLE_FLATCACHE, "fluids need GPU dynamics and no flatcache"
    assert gm.ENABLE_OBJECT_STATES, "Must set gm.ENABLE_OBJECT_STATES=True in order to use BehaviorTask!"
    gm.HEADLESS, gm.ENABLE_TRANSITION_RULES  # noqa: B018  # read, and so locked
    return World(config["task"]["activity_name"])


def launch(world: World, config: dict[str, Any], gm: MacroDict) -> Simulator:
    shape = config["render"]["viewer_height"], config["render"]["viewer_width"]
    viewer = Camera(world, "viewer_camera", *shape, {"rgb"}) if gm.RENDER_VIEWER_CAMERA else None
    give_states(world)
    return Simulator(world, viewer)


ROBOT_KEYS = """name obs_modalities sensor_config grasping_mode disable_grasp_handling controller_config
    position orientation action_type action_normalize proprio_obs reset_joint_pos scale fixed_base"""
TASK_KEYS = """type activity_name activity_definition_id activity_instance_id online_object_sampling
    highlight_task_relevant_objects termination_config reward_config"""


def goal_met(world: World) -> bool:
    """The goals of the five activities, by what stands where."""

    def stands(inst: str, relation: str, other: str) -> bool:
        thing = world.of(inst)
        return thing is not None and thing._place == (relation, world.of(other))

    if world.activity == "boil_water_in_the_microwave":
        mug = world.of("mug.n.04_1")
        return stands("mug.n.04_1", "Inside", "microwave.n.02_1") and "cooked__water" in mug._particles
    if world.activity == "cook_a_frozen_pie":
        return bool(world.of("apple_pie.n.01_1")._temperature >= 40)
    if world.activity == "halve_an_egg":
        return world.of("half__hard-boiled_egg.n.01_2") is not None
    if world.activity == "store_firewood":
        return all(stands(f"firewood.n.01_{n}", "OnTop", "table.n.02_1") for n in (1, 2, 3))
    return all(stands(f"water_bottle.n.01_{n}", "Inside", "cabinet.n.01_1") for n in (1, 2))
