"""Stills of sampled tables, with labels, for training an eye."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import replace
from random import Random

import numpy as np

from core.belief import Atom
from core.domains import DomainSpec, Task
from core.robots import DrawnStates
from robots import opengl
from robots.labelled_still import LabelledStill, shift_camera
from robots.remote.wire_message import WireMessage
from robots.task_support import raise_unsupported
from robots.ur5e.arm_setup import EMULATED_SETUP
from robots.ur5e.emulator.plant import Plant
from robots.ur5e.emulator.renderer_process import SceneRenderer
from robots.ur5e.emulator.scene import FLOOR_HEIGHT, make_scene
from robots.ur5e.kinematics import PARKED, Joints, forward_kinematics, nearest_solution, pose_to_matrix
from robots.ur5e.scene_file import DEFAULT_SCENE, read_scene, scene_of
from robots.ur5e.tabletop.emulated_camera import decode_picture
from robots.ur5e.tabletop.ground_truth import VISIBLE_PX, ThingPose, shows, true_atoms
from robots.ur5e.tabletop.reach import pointing_down
from robots.ur5e.tabletop.robot import make_still
from robots.ur5e.tabletop.task_support import unsupported_reasons
from robots.ur5e.vision.camera_setup import OVERHEAD

_SETTLING = 150  # ticks
_APART = {"container": 0.14, "toy": 0.06}  # metres between centres, from what stands on the table
_TABLE = ((0.20, 0.84), (-0.45, 0.45))  # x and y where things may stand, metres
_RIM_M = 0.058  # from a container's centre to its wall
_FINGERS_M = 0.012  # that each finger has closed around a thing
_OF_A_TABLE = 12  # stills
_HARDLY, _CLEARLY = VISIBLE_PX // 2, 2 * VISIBLE_PX  # pixels


class TabletopStills:
    """Makes the stills of one seed; the same seed gives the same ones. One thread.

    With `moved` the camera does not stand quite where it should (`shift_camera`).
    """

    def __init__(self, task: Task, seed: int, moved: bool = False, scene: str = DEFAULT_SCENE) -> None:
        self._problem = task.problem
        self._scene = read_scene(scene)
        made = make_scene(scene, seed)
        self._plant = Plant(made)
        self._renderer = SceneRenderer(made.xml, [t.name for t in made.things])
        if moved:
            shift_camera(self._renderer.model, OVERHEAD, seed)
        self._rng = Random(f"stills {task.name} {seed}")
        self._tool = pose_to_matrix(EMULATED_SETUP.tcp or (0.0,) * 6)

    def close(self) -> None:
        self._renderer.close()

    def stills(self, count: int, asked: Sequence[Atom]) -> Iterator[LabelledStill]:
        for _ in range(count):
            held = self._arrange()
            yield self._still(held, asked)

    def _arrange(self) -> str:
        """Draw where everything is, and return what the hand holds, "" if nothing."""
        rng, problem = self._rng, self._problem
        containers, toys = problem.of_type("container"), problem.of_type("toy")
        held = rng.choice((*containers, *toys)) if rng.random() < 0.3 else ""
        joints = self._place_arm()
        occupied: list[tuple[float, float]] = []
        standing: dict[str, tuple[float, float]] = {}
        order = rng.sample(containers, len(containers))
        in_goal = order[0] if rng.random() < 0.6 else ""
        for name in order:
            if name == held:
                continue
            if rng.random() < 0.12 and name != in_goal:
                self._drop_away(name)
                continue
            at = self._goal_spot() if name == in_goal else self._free_spot(occupied, _APART["container"])
            occupied.append(at)
            standing[name] = at
            self._put(name, at, 0.001)
        for name in rng.sample(toys, len(toys)):
            if name == held:
                continue
            if standing and rng.random() < 0.45:
                x, y = standing[rng.choice(sorted(standing))]
                near = (x + rng.uniform(-0.025, 0.025), y + rng.uniform(-0.025, 0.025))
                self._put(name, near, 0.02 + 0.03 * rng.random())
            elif rng.random() < 0.06:
                self._drop_away(name)
            else:
                at = self._free_spot(occupied, _APART["toy"] + 0.03)
                occupied.append(at)
                self._put(name, at, 0.001)
        if held:
            self._drop_away(held)
        for _ in range(_SETTLING):
            self._plant.step(np.array(joints), np.zeros(6), np.zeros(6))
        if held:
            self._put_in_hand(held, joints)
        return held

    def _place_arm(self) -> Joints:
        """Park the arm, as every skill ends, or leave it over the table, as after a stop."""
        rng, joints = self._rng, PARKED
        if rng.random() < 0.1:
            over = pointing_down(
                rng.uniform(0.35, 0.65), rng.uniform(-0.3, 0.3), rng.uniform(0.2, 0.3), rng.uniform(-1.5, 1.5)
            )
            joints = nearest_solution(over, PARKED, self._tool) or PARKED
        self._plant.data.qpos[:6], self._plant.data.qvel[:6] = joints, 0
        return joints

    def _goal_spot(self) -> tuple[float, float]:
        (x, y), goal = self._scene.goal_area.at, self._scene.goal_area
        spread = goal.half * (0.25 if self._rng.random() < 0.7 else 0.95)
        return x + self._rng.uniform(-spread, spread), y + self._rng.uniform(-spread, spread)

    def _free_spot(self, occupied: Sequence[tuple[float, float]], min_distance: float) -> tuple[float, float]:
        for _ in range(60):
            x, y = (self._rng.uniform(*limits) for limits in _TABLE)
            if all(math.hypot(x - a, y - b) > min_distance for a, b in occupied):
                break
        return x, y

    def _put(self, name: str, at: tuple[float, float], above: float) -> None:
        height = self._scene.things[name].half[2] + above
        self._plant.set_thing_pose(name, (*at, height), self._rng.uniform(-math.pi, math.pi))

    def _drop_away(self, name: str) -> None:
        """Put a thing on the ground beside the table, sometimes where the camera sees it."""
        side = self._rng.choice((-1, 1))
        at = (self._rng.uniform(0.2, 0.8), side * self._rng.uniform(0.62, 1.2))
        self._plant.set_thing_pose(name, (*at, FLOOR_HEIGHT + self._scene.things[name].half[2] + 0.002))

    def _put_in_hand(self, name: str, joints: Joints) -> None:
        x, y, z = (float(v) for v in forward_kinematics(joints, self._tool)[:3, 3])
        self._plant.data.qpos[6:8] = _FINGERS_M
        turn = self._rng.uniform(-math.pi, math.pi)
        if name in self._problem.of_type("container"):  # it is taken by its rim
            x, y, z = x + _RIM_M * math.cos(turn), y + _RIM_M * math.sin(turn), z - 0.02
        self._plant.set_thing_pose(name, (x, y, z - 0.01), turn)

    def _still(self, held: str, asked: Sequence[Atom]) -> LabelledStill:
        request = WireMessage({"camera": OVERHEAD, "state": list(self._plant.state), "taken": 0.0})
        picture = decode_picture(self._renderer.render(request), 0.0)
        places = {}
        for name in self._problem.of_type("movable"):
            at, turn = self._plant.thing_pose(name)
            places[name] = ThingPose(float(at[0]), float(at[1]), float(at[2]), float(turn[2, 2]))
        facts = true_atoms(self._problem, self._scene, places, (held,) if held else (), picture.pixels)
        seen = [shows_clearly(atom, picture.pixels) for atom in asked]
        labels = tuple((atom in facts, shown) for atom, shown in zip(asked, seen, strict=True))
        return LabelledStill(make_still(picture), labels)


def draw_states(domain_spec: DomainSpec, task: Task, seed: int, asked: Sequence[Atom]) -> DrawnStates:
    """Yield the stills of one seed, of the domain's own scene, with their labels. Raises ConsoleError."""
    opengl.select_backend()
    scene = scene_of(domain_spec)
    raise_unsupported(unsupported_reasons(domain_spec, task, replace(EMULATED_SETUP, scene=scene)))
    with closing(TabletopStills(task, seed, scene=scene)) as made:
        for still in made.stills(_OF_A_TABLE, asked):
            yield still.rgb, still.labels


def shows_clearly(atom: Atom, pixels: Mapping[str, int]) -> bool | None:
    """Return True if the picture shows whether this is so; None if one of its things is at the limit."""
    at_limit = any(_HARDLY <= pixels[name] < _CLEARLY for name in atom.args if name in pixels)
    return None if at_limit else shows(atom, pixels)
