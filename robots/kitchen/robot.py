"""The kitchen robot: the household's true world, a body that shows it, and pictures of that body."""

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
from core.pictures import blank_frame, make_frame
from core.planning_model import Step
from core.ports import BoundingBox, Embodiment, Frame, StepResult, StepStatus
from robots.halting import Latch
from robots.kitchen.eyes import Poses
from robots.kitchen.happening import Happening
from robots.kitchen.pace import Halted
from robots.kitchen.understanding import understands
from robots.kitchen.world import World as Household
from robots.understanding import refuse

if TYPE_CHECKING:
    from robots.kitchen.body import Body
    from robots.kitchen.studio import Studio

EYE = "eye"
SIDES = MappingProxyType({"left": -35.0, "right": 35.0})  # degrees round what it looks at


class KitchenRobot:
    """Robot, Truth, StepTruth, Viewpoints, Boxes, Cameras and Pictured.

    `halt` and `live` from any thread, all else from the loop's.

    `pace`: wall seconds for each second of motion, 0 for none; what happens does not depend on it. With
    `pictures` False, or without OpenGL, neither MuJoCo nor OpenGL is loaded: the same steps lead to the same
    facts, and the frames are blank. DKPROMPT_LIVE (card, processor) overrules how the live view is drawn.
    Raises BadFile, BadValue, UnknownName.
    """

    name = "kitchen"
    embodiment = Embodiment.SIM
    cameras: tuple[str, ...] = (EYE, "room")

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
        refuse(understands(folder, task))
        self._world = Household(folder, task, seed=seed, openness=openness, rates=rates)
        self._pace = pace
        self._latch = Latch()
        self._poses = Poses()
        self._situation = ""
        self._boxes: dict[str, BoundingBox] = {}
        self._closed = False
        self._body: Body | None = None
        self._studio: Studio | None = None
        self._without_pictures = "" if pictures else "The pictures are switched off."
        if pictures:
            self._embody(task, seed)

    def _embody(self, task: Task, seed: int) -> None:
        from robots.kitchen import gl, live

        live.chosen()  # a slip in it is said before anything moves
        if not gl.backend():
            self._without_pictures = gl.way_out()
            return
        from robots.kitchen.body import Body
        from robots.kitchen.build import build
        from robots.kitchen.cast import cast_of
        from robots.kitchen.scene_files import read_scene
        from robots.kitchen.studio import Studio

        scene = read_scene()
        built = build(scene, cast_of(scene, task.problem, seed), seed)
        body = Body(built, self._world.things, self._latch, self._pace)
        body.begin(self._world.state)
        self._body, self._studio = body, Studio(built.model, lambda: body.snapshot)

    # --- Robot --------------------------------------------------------------------------------------

    def release_stop(self, up_to: int) -> None:
        self._check_open()
        self._latch.release(up_to)

    def look(self, cancel: Cancel) -> Frame:
        self._check_open()
        cancel.check()
        viewpoint = self._viewpoint()
        if self._body is None or self._studio is None:
            return blank_frame(EYE, monotonic(), viewpoint)
        rgb = self._studio.still(self._body.snapshot, cancel)
        self._boxes = {box.name: box for box in self._body.boxes()}
        return make_frame(rgb, EYE, monotonic(), viewpoint)

    def _viewpoint(self, side: str = "") -> str:
        """The name of the eye's pose: measured where there is a body, else the world's word for it."""
        word = f"{self._world.eye}, from the {side}" if side else self._world.eye
        return word if self._body is None else self._poses.name(self._body.eye, word)

    @property
    def viewpoints(self) -> tuple[str, ...]:
        """From either side of what it looks at; from nowhere else while it looks at nothing."""
        return tuple(SIDES) if self._world.state.focus else ()

    def look_from(self, viewpoint: str, cancel: Cancel) -> Frame:
        """Drive a little round what is looked at, look, and come back."""
        self._check_open()
        if viewpoint not in self.viewpoints:
            raise UnknownName("viewpoint", viewpoint, self.viewpoints)
        body, studio = self._body, self._studio
        blind = body is None or studio is None
        if self._latch.wait(self._pace if blind else 0, cancel):
            raise Cancelled(cancel.reason or "halted")
        if body is None or studio is None:
            return blank_frame(EYE, monotonic(), self._viewpoint(viewpoint))
        joints = body.stage.joints
        try:
            here = f"{self._viewpoint()}, from the {viewpoint}"
            body.step_aside(self._world.state, SIDES[viewpoint], here, cancel)
            name = self._viewpoint(viewpoint)
            rgb = studio.still(body.snapshot, cancel)
            self._boxes = {box.name: box for box in body.boxes()}
            body.step_back(joints)
        except (Halted, Cancelled):
            self._world.stands(body.give_up(self._world.state))
            raise Cancelled(cancel.reason or "halted") from None
        return make_frame(rgb, EYE, monotonic(), name)

    def sense(self) -> Mapping[Atom, bool]:
        return self._world.senses()

    def do(self, step: Step, cancel: Cancel) -> StepResult:
        self._check_open()
        began = monotonic()
        self._situation = ""
        if self._latch.halted or cancel.is_set():
            return self._halted(began, cancel)
        if self._body is None and self._latch.wait(self._pace, cancel):
            return self._halted(began, cancel)
        happening, remark = self._world.do(step), ""
        if self._body is not None:
            played = self._body.play(happening, cancel)
            if played.halted:
                self._world.cut_short(happening, played.state, played.happened)
                self._situation = happening.situation if played.happened else ""
                return self._halted(began, cancel)
            remark = self._world.in_words(played.remark)
        self._situation = happening.situation
        said = "; ".join(filter(None, (happening.why or self._seen(happening), remark)))
        return StepResult(happening.ending, said, monotonic() - began)

    def _halted(self, began: float, cancel: Cancel) -> StepResult:
        return StepResult(StepStatus.HALTED, cancel.reason or "halted", monotonic() - began)

    def _seen(self, happening: Happening) -> str:
        """How much of a thing is in sight, after it was looked for."""
        if happening.skill != "find" or self._body is None:
            return ""
        return f"{100 * self._body.sight.share(happening.after.near):.0f} % of it in sight"

    def halt(self) -> int:
        return self._latch.halt()

    def close(self) -> None:
        self._latch.halt()
        self._closed = True
        if self._studio is not None:
            self._studio.close()
        self._body = self._studio = None  # the scene is large

    # --- Truth and StepTruth ------------------------------------------------------------------------

    def truth(self) -> frozenset[Atom]:
        return self._world.truth()

    def is_observable(self, atom: Atom) -> bool:
        """As the facts have it, with pictures or without."""
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
        studio = self._studio  # closing, from another thread, may take it away
        return None if studio is None or self._closed else studio.live(camera)

    @property
    def blank_frames_reason(self) -> str:
        """Why its frames are blank, in one sentence; "" where they are not."""
        return self._without_pictures

    # --- on request ---------------------------------------------------------------------------------

    def depth(self, cancel: Cancel) -> NDArray[np.float32]:
        """256 x 256, metres along the eye's axis. Raises RobotError without pictures."""
        body, studio = self._pictured()
        return studio.depth(body.snapshot, cancel)

    def segments(self, cancel: Cancel) -> Mapping[str, NDArray[np.bool_]]:
        """Which pixels of the still show which object: 256 x 256 each, only of those in the picture."""
        body, studio = self._pictured()
        ids = studio.segments(body.snapshot, cancel)
        masks = {name: np.isin(ids, body.sight.geoms(name)) for name in sorted(body.sight.names)}
        return {name: mask for name, mask in masks.items() if mask.any()}

    def _pictured(self) -> tuple[Body, Studio]:
        self._check_open()
        if self._body is None or self._studio is None:
            raise RobotError(f"This kitchen has no pictures. {self._without_pictures}")
        return self._body, self._studio

    def _check_open(self) -> None:
        if self._closed:
            raise RobotNotReady("The kitchen robot is closed: start a new episode.")
