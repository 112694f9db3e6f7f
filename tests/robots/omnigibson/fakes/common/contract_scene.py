"""The scene, the simulator and its end."""

from __future__ import annotations

import os
import sys
import time
from typing import Any

from contract_cameras import Camera
from contract_maps import SegmentationMap, TraversableMap
from contract_rules import TransitionRuleAPI
from contract_values import FAULTS
from contract_world import System, World


class Scene:
    """Of every API version; `robots` is filled by the environment."""

    def __init__(self, world: World) -> None:
        self._world = world
        self.robots: list[Any] = []
        self.trav_map, self.seg_map = TraversableMap(world), SegmentationMap(world)
        self.transition_rule_api = TransitionRuleAPI(world)

    def get_system(self, system_name: str, force_init: bool = True) -> System:
        return self._world.get_system(system_name)


class Simulator:
    def __init__(self, world: World, viewer: Camera | None) -> None:
        self._world, self.viewer_camera = world, viewer

    def step(self) -> None:
        self._world.step()

    def render(self) -> None:
        pass


def shutdown() -> None:
    if "crash at teardown" in FAULTS:
        os._exit(139)
    if "hang at teardown" in FAULTS:
        time.sleep(3600)
    sys.exit(0)
