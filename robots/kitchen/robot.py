"""The kitchen robot: the household's true world, MuJoCo as its body, and looks from elsewhere."""

from __future__ import annotations

from time import monotonic
from typing import TYPE_CHECKING, Unpack

from core.domains import DomainSpec, Task
from core.errors import Cancelled
from core.permit import Permit
from core.pictures import blank_frame, make_frame
from core.ports import Frame
from core.stop_token import StopToken
from robots.kitchen.household.household import Household, unsupported_reasons
from robots.kitchen.household.household_robot import EYE_CAMERA, HouseholdRobot
from robots.kitchen.simulation.motion_clock import MotionHalted
from robots.stochastic import Chances
from robots.task_support import raise_unsupported

if TYPE_CHECKING:
    from robots.kitchen.motion.animator import Animator
    from robots.kitchen.rendering.render_thread import RenderThread


class KitchenRobot(HouseholdRobot):
    """Implements what a HouseholdRobot does, SupportsViewpoints and CropsStills.

    `pace` is wall seconds for each second of motion, 0 for none; what happens does not depend on it. With
    `pictures` False, or without OpenGL, neither MuJoCo nor OpenGL is loaded: the same steps lead to the same
    facts, and the frames are blank. DKPROMPT_LIVE (card, processor) overrides how the live view is drawn.
    Raises BadFile, BadValue, UnknownName.
    """

    name, title = "kitchen", "kitchen robot"

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
        self._animator: Animator | None = None
        self._render_thread: RenderThread | None = None
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
        from robots.kitchen.motion.animator import Animator
        from robots.kitchen.mujoco_body import MujocoBody
        from robots.kitchen.rendering.render_thread import RenderThread
        from robots.kitchen.scene.assignment import assign_bodies
        from robots.kitchen.scene.builder import build_scene
        from robots.kitchen.scene.loader import load_scene

        scene = load_scene()
        built = build_scene(scene, assign_bodies(scene, task.problem, seed), seed)
        body = Animator(built, self._world.things, self._latch, self._pace)
        body.reset(self._world.state)
        self._animator, self._render_thread = body, RenderThread(built.model, lambda: body.snapshot)
        self._body = MujocoBody(self._animator, self._render_thread)

    # --- viewpoints ---------------------------------------------------------------------------------

    def look_from(self, viewpoint: str, permit: Permit, cancel: StopToken) -> Frame:
        """Drive a little around what the robot looks at, take a frame, and come back."""
        degrees = self._redeem_look(viewpoint, permit)
        animator, render_thread = self._animator, self._render_thread
        blind = animator is None or render_thread is None
        if self._latch.wait(self._pace if blind else 0, cancel):
            raise Cancelled(cancel.reason or "halted")
        if animator is None or render_thread is None:
            return blank_frame(EYE_CAMERA, monotonic(), self._viewpoint(viewpoint))
        joints = animator.sim.joints
        try:
            here = f"{self._viewpoint()}, from the {viewpoint}"
            animator.drive_aside(self._world.state, degrees, here, cancel)
            name = self._viewpoint(viewpoint)
            rgb = render_thread.render_still(animator.snapshot, cancel)
            self._boxes = {box.name: box for box in animator.boxes()}
            animator.drive_back(joints)
        except (MotionHalted, Cancelled):
            self._world.set_halted_state(animator.settle_after_halt(self._world.state))
            raise Cancelled(cancel.reason or "halted") from None
        return make_frame(rgb, EYE_CAMERA, monotonic(), name)

    def close(self) -> None:
        super().close()
        self._animator = self._render_thread = None  # the scene is large

    @property
    def still_camera(self) -> str:
        return EYE_CAMERA
