"""The kitchen robot: the household's true world, an animator that shows it, and pictures of the scene."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from time import monotonic
from types import MappingProxyType
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from core.belief import Atom
from core.cancel import Cancel
from core.domains import DomainSpec, Task
from core.errors import Cancelled, RobotError, RobotNotReady, UnknownName
from core.permit import Permit, PermitKind, PermitLedger
from core.pictures import blank_frame, make_frame
from core.planning_model import Step
from core.ports import BoundingBox, Embodiment, Frame, StepResult, StepStatus
from robots.kitchen.household.household import Household
from robots.kitchen.household.transition import HouseholdTransition
from robots.kitchen.household.viewpoint import PoseNames
from robots.kitchen.simulation.motion_clock import MotionHalted
from robots.kitchen.task_support import unsupported_reasons
from robots.stop_latch import Latch
from robots.task_support import raise_unsupported

if TYPE_CHECKING:
    from robots.kitchen.motion.animator import Animator
    from robots.kitchen.rendering.render_thread import RenderThread

EYE_CAMERA = "eye"
SIDE_VIEWPOINTS = MappingProxyType({"left": -35.0, "right": 35.0})  # degrees around what it looks at


class KitchenRobot:
    """Implements Robot, GroundTruth, StepTruth, SupportsViewpoints, ProvidesBoxes, ProvidesLiveFrames,
    CropsStills and ReportsRendering.

    `halt` and `live` may be called from any thread, everything else from the loop's.

    `pace` is wall seconds for each second of motion, 0 for none; what happens does not depend on it. With
    `pictures` False, or without OpenGL, neither MuJoCo nor OpenGL is loaded: the same steps lead to the same
    facts, and the frames are blank. DKPROMPT_LIVE (card, processor) overrides how the live view is drawn.
    Raises BadFile, BadValue, UnknownName.
    """

    name = "kitchen"
    embodiment = Embodiment.SIM
    cameras: tuple[str, ...] = (EYE_CAMERA, "room")

    def __init__(
        self,
        folder: DomainSpec,
        task: Task,
        *,
        seed: int = 0,
        openness: float = 1.0,
        rates: Mapping[str, float] | None = None,
        pictures: bool = True,
        pace: float = 0.0,
    ) -> None:
        raise_unsupported(unsupported_reasons(folder, task))
        self._world = Household(folder, task, seed=seed, openness=openness, rates=rates)
        self._pace = pace
        self._latch = Latch()
        self.permits = PermitLedger(self._latch.last_halt)
        self._poses = PoseNames()
        self._situation = ""
        self._boxes: dict[str, BoundingBox] = {}
        self._closed = False
        self._animator: Animator | None = None
        self._render_thread: RenderThread | None = None
        self._without_pictures = "" if pictures else "The pictures are switched off."
        if pictures:
            self._start_simulation(task, seed)

    def _start_simulation(self, task: Task, seed: int) -> None:
        from robots.kitchen.rendering import live_render_mode, opengl

        live_render_mode.forced_mode()  # reports an invalid value before anything moves
        if not opengl.backend():
            self._without_pictures = opengl.unavailable_reason()
            return
        from robots.kitchen.motion.animator import Animator
        from robots.kitchen.rendering.render_thread import RenderThread
        from robots.kitchen.scene.assignment import assign_bodies
        from robots.kitchen.scene.builder import build_scene
        from robots.kitchen.scene.loader import load_scene

        scene = load_scene()
        built = build_scene(scene, assign_bodies(scene, task.problem, seed), seed)
        body = Animator(built, self._world.things, self._latch, self._pace)
        body.reset(self._world.state)
        self._animator, self._render_thread = body, RenderThread(built.model, lambda: body.snapshot)

    # --- Robot --------------------------------------------------------------------------------------

    def release_stop(self, up_to: int) -> None:
        self._check_open()
        self._latch.release(up_to)

    def look(self, cancel: Cancel) -> Frame:
        self._check_open()
        cancel.check()
        viewpoint = self._viewpoint()
        if self._animator is None or self._render_thread is None:
            return blank_frame(EYE_CAMERA, monotonic(), viewpoint)
        rgb = self._render_thread.render_still(self._animator.snapshot, cancel)
        self._boxes = {box.name: box for box in self._animator.boxes()}
        return make_frame(rgb, EYE_CAMERA, monotonic(), viewpoint)

    def _viewpoint(self, side: str = "") -> str:
        """Return the name of the camera pose: measured if there is a simulation, else given by the
        household.
        """
        word = f"{self._world.viewpoint}, from the {side}" if side else self._world.viewpoint
        return word if self._animator is None else self._poses.name(self._animator.camera_pose, word)

    @property
    def viewpoints(self) -> tuple[str, ...]:
        """Return the viewpoints on either side of what the robot looks at; none while it looks at nothing."""
        return tuple(SIDE_VIEWPOINTS) if self._world.state.focus else ()

    def look_from(self, viewpoint: str, permit: Permit, cancel: Cancel) -> Frame:
        """Drive a little around what the robot looks at, take a frame, and come back."""
        self._check_open()
        self.permits.redeem(permit, viewpoint, PermitKind.LOOK)
        if viewpoint not in self.viewpoints:
            raise UnknownName("viewpoint", viewpoint, self.viewpoints)
        animator, render_thread = self._animator, self._render_thread
        blind = animator is None or render_thread is None
        if self._latch.wait(self._pace if blind else 0, cancel):
            raise Cancelled(cancel.reason or "halted")
        if animator is None or render_thread is None:
            return blank_frame(EYE_CAMERA, monotonic(), self._viewpoint(viewpoint))
        joints = animator.sim.joints
        try:
            here = f"{self._viewpoint()}, from the {viewpoint}"
            animator.drive_aside(self._world.state, SIDE_VIEWPOINTS[viewpoint], here, cancel)
            name = self._viewpoint(viewpoint)
            rgb = render_thread.render_still(animator.snapshot, cancel)
            self._boxes = {box.name: box for box in animator.boxes()}
            animator.drive_back(joints)
        except (MotionHalted, Cancelled):
            self._world.set_halted_state(animator.settle_after_halt(self._world.state))
            raise Cancelled(cancel.reason or "halted") from None
        return make_frame(rgb, EYE_CAMERA, monotonic(), name)

    def sense(self) -> Mapping[Atom, bool]:
        return self._world.sensed()

    def do(self, step: Step, permit: Permit, cancel: Cancel) -> StepResult:
        self._check_open()
        self.permits.redeem(permit, step, PermitKind.STEP, PermitKind.RESTORE)
        began = monotonic()
        self._situation = ""
        if self._latch.halted or cancel.is_set():
            return self._halted_result(began, cancel)
        if self._animator is None and self._latch.wait(self._pace, cancel):
            return self._halted_result(began, cancel)
        transition, remark = self._world.do(step), ""
        if self._animator is not None:
            from robots.kitchen.motion.playback import play

            played = play(self._animator, transition, cancel)
            if played.halted:
                self._world.interrupt(transition, played.state, played.committed)
                self._situation = transition.situation if played.committed else ""
                return self._halted_result(began, cancel)
            remark = self._world.in_words(played.remark)
        self._situation = transition.situation
        reason = "; ".join(filter(None, (transition.reason or self._visible_share_text(transition), remark)))
        return StepResult(transition.status, reason, monotonic() - began)

    def _halted_result(self, began: float, cancel: Cancel) -> StepResult:
        return StepResult(StepStatus.HALTED, cancel.reason or "halted", monotonic() - began)

    def _visible_share_text(self, transition: HouseholdTransition) -> str:
        """Return how much of a thing is visible after the robot looked for it, as text."""
        if transition.skill != "find" or self._animator is None:
            return ""
        percent = round(100 * self._animator.visibility.visible_share(transition.after.near))
        return "fully visible" if percent >= 100 else f"{percent} % visible"

    def halt(self) -> int:
        return self._latch.halt()

    def close(self) -> None:
        self._latch.halt()
        self._closed = True
        if self._render_thread is not None:
            self._render_thread.close()
        self._animator = self._render_thread = None  # the scene is large

    # --- Truth and StepTruth ------------------------------------------------------------------------

    def truth(self) -> frozenset[Atom]:
        return self._world.truth()

    def is_observable(self, atom: Atom) -> bool:
        """Return True if the facts make this atom observable, with pictures or without."""
        return self._world.is_observable(atom)

    @property
    def situation(self) -> str:
        return self._situation

    def step_succeeded(self) -> bool | None:
        return self._world.step_succeeded()

    def step_possible(self, step: Step) -> bool:
        return self._world.step_possible(step)

    # --- Boxes and Cameras --------------------------------------------------------------------------

    def boxes(self, names: Sequence[str]) -> tuple[BoundingBox, ...]:
        return tuple(self._boxes[name] for name in names if name in self._boxes)

    def live(self, camera: str) -> Frame | None:
        render_thread = self._render_thread  # `close`, on another thread, may set it to None
        return None if render_thread is None or self._closed else render_thread.latest_frame(camera)

    @property
    def still_camera(self) -> str:
        return EYE_CAMERA

    @property
    def blank_frames_reason(self) -> str:
        """Return why the frames are blank, in one sentence; "" if they are not."""
        return self._without_pictures

    # --- on request ---------------------------------------------------------------------------------

    def depth(self, cancel: Cancel) -> NDArray[np.float32]:
        """Return the depth image, 256 x 256, in metres along the camera's axis.

        Raises RobotError without pictures.
        """
        animator, render_thread = self._require_pictures()
        return render_thread.render_depth(animator.snapshot, cancel)

    def segmentation(self, cancel: Cancel) -> Mapping[str, NDArray[np.bool_]]:
        """Return a 256 x 256 mask for each object in the still picture."""
        animator, render_thread = self._require_pictures()
        ids = render_thread.render_segmentation(animator.snapshot, cancel)
        masks = {
            name: np.isin(ids, animator.visibility.drawn_geoms(name))
            for name in sorted(animator.visibility.names)
        }
        return {name: mask for name, mask in masks.items() if mask.any()}

    def _require_pictures(self) -> tuple[Animator, RenderThread]:
        self._check_open()
        if self._animator is None or self._render_thread is None:
            raise RobotError(f"This kitchen has no pictures. {self._without_pictures}")
        return self._animator, self._render_thread

    def _check_open(self) -> None:
        if self._closed:
            raise RobotNotReady("The kitchen robot is closed: start a new episode.")
