"""The kitchen robot: the household's true world, MuJoCo as its body, and looks from elsewhere."""

from __future__ import annotations

from typing import TYPE_CHECKING, Unpack

from core.domains import DomainSpec, Task
from robots.kitchen.household.household import Household, unsupported_reasons
from robots.kitchen.household.household_robot import EYE_CAMERA, HouseholdRobot
from robots.stochastic import Chances
from robots.task_support import raise_unsupported

if TYPE_CHECKING:
    from robots.kitchen.mujoco_body import MujocoBody


class KitchenRobot(HouseholdRobot):
    """Implements what a HouseholdRobot does, and CropsStills.

    `pace` is wall seconds for each second of motion, 0 for none; what happens does not depend on it. With
    `pictures` False, or without OpenGL, neither MuJoCo nor OpenGL is loaded: the same steps lead to the same
    facts, and the frames are blank. DKPROMPT_LIVE (card, processor) overrides how the live view is drawn.
    Raises BadFile, BadValue, UnknownName.
    """

    name, title = "kitchen", "kitchen robot"
    _body: MujocoBody | None

    def __init__(
        self,
        domain_spec: DomainSpec,
        task: Task,
        *,
        pictures: bool = True,
        pace: float = 0.0,
        **chances: Unpack[Chances],
    ) -> None:
        raise_unsupported(unsupported_reasons(domain_spec, task))
        super().__init__(Household(domain_spec, task, **chances), pace)
        self._without_pictures = "" if pictures else "The pictures are switched off."
        if pictures:
            self._start_simulation(task, chances.get("seed", 0))

    def _start_simulation(self, task: Task, seed: int) -> None:
        from robots import opengl
        from robots.kitchen.rendering import live_render_mode

        live_render_mode.forced_mode()  # reports an invalid value before anything moves
        if not opengl.backend():
            self._without_pictures = opengl.unavailable_reason()
            return
        from robots.kitchen.mujoco_body import MujocoBody
        from robots.kitchen.scene.assignment import assign_bodies
        from robots.kitchen.scene.builder import build_scene
        from robots.kitchen.scene.loader import load_scene

        scene = load_scene()
        built = build_scene(scene, assign_bodies(scene, task.problem, seed), seed)
        self._body = MujocoBody(built, self._world.things, self._latch, self._pace)
        self._body.reset(self._world.state)

    @property
    def still_camera(self) -> str:
        return EYE_CAMERA
