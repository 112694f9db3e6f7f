"""A robot in a household: the world decides what happens, and a body, if there is one, shows it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from time import monotonic
from types import MappingProxyType

from core.belief import Atom
from core.errors import Cancelled, UnknownName
from core.permit import Permit, PermitKind
from core.pictures import blank_frame, make_frame
from core.planning_model import Step
from core.ports import BoundingBox, Frame, RgbImage, StepResult, StepStatus
from core.stop_token import StopToken
from robots.kitchen.household.body import HouseholdBody, LookHalted, PlaybackResult, PoseNames
from robots.kitchen.household.household import Household
from robots.simulated_robot import SimulatedRobot

EYE_CAMERA = "eye"
SIDE_VIEWPOINTS = MappingProxyType({"left": -35.0, "right": 35.0})  # degrees around what it looks at


class HouseholdRobot(SimulatedRobot):
    """Implements Robot, GroundTruth, StepTruth, SupportsViewpoints, ProvidesBoxes, ProvidesLiveFrames and
    ReportsRendering.

    `halt` and `live` may be called from any thread, everything else from the loop's. Without a body the same
    steps lead to the same facts, and the frames are blank. `pace` is the wall seconds for each second of
    motion; without a body, for each step.
    """

    name, title = "household", "household robot"
    cameras: tuple[str, ...] = (EYE_CAMERA, "room")

    def __init__(self, world: Household, pace: float = 0.0) -> None:
        super().__init__()
        self._world, self._pace = world, pace
        self._body: HouseholdBody | None = None
        self._poses = PoseNames()
        self._boxes: dict[str, BoundingBox] = {}
        self._without_pictures = ""

    # --- Robot --------------------------------------------------------------------------------------

    def look(self, cancel: StopToken) -> Frame:
        self._check_open()
        cancel.check()
        viewpoint = self._viewpoint()
        if self._body is None:
            return blank_frame(EYE_CAMERA, monotonic(), viewpoint)
        return self._frame(self._body.look(cancel), self._body.boxes(), viewpoint)

    def _frame(self, rgb: RgbImage | None, boxes: Sequence[BoundingBox], viewpoint: str) -> Frame:
        if rgb is None:
            return blank_frame(EYE_CAMERA, monotonic(), viewpoint)
        self._boxes = {box.name: box for box in boxes}
        return make_frame(rgb, EYE_CAMERA, monotonic(), viewpoint)

    def _viewpoint(self) -> str:
        """Return the name of the camera pose: measured if there is a body, else given by the household."""
        word = self._world.viewpoint
        return word if self._body is None else self._poses.name(self._body.camera_pose, word)

    def sense(self) -> Mapping[Atom, bool]:
        return self._world.sensed()

    def do(self, step: Step, permit: Permit, cancel: StopToken) -> StepResult:
        self._check_open()
        self.permits.redeem(permit, step, PermitKind.STEP, PermitKind.RESTORE)
        began = monotonic()
        self.situation = ""
        if self._latch.halted or cancel.is_set():
            return self._halted_result(began, cancel)
        if self._body is None and self._latch.wait(self._pace, cancel):
            return self._halted_result(began, cancel)
        transition = self._world.do(step)
        played = PlaybackResult(False, True, transition.after)
        if self._body is not None:
            played = self._body.play(transition, cancel)
        if played.halted:
            self._world.interrupt(transition, played.state, played.committed)
            self.situation = transition.situation if played.committed else ""
            return self._halted_result(began, cancel)
        self._world.follow(played.state)
        self.situation = transition.situation
        happened = transition.reason or self._world.in_words(played.disagreement) or played.detail
        reason = "; ".join(filter(None, (happened, self._world.in_words(played.remark))))
        status = StepStatus.FAILED if played.disagreement else transition.status
        return StepResult(status, reason, monotonic() - began)

    def _halted_result(self, began: float, cancel: StopToken) -> StepResult:
        return StepResult(StepStatus.HALTED, cancel.reason or "halted", monotonic() - began)

    def close(self) -> None:
        super().close()
        body, self._body = self._body, None  # a simulator is large
        if body is not None:
            body.close()

    # --- looks from elsewhere -------------------------------------------------------------------------

    @property
    def viewpoints(self) -> tuple[str, ...]:
        """Return the viewpoints on either side of what the robot looks at; none while it looks at nothing."""
        return tuple(SIDE_VIEWPOINTS) if self._world.state.focus else ()

    def look_from(self, viewpoint: str, permit: Permit, cancel: StopToken) -> Frame:
        """Move a little around what the robot looks at, take a frame, and come back."""
        self._check_open()
        self.permits.redeem(permit, viewpoint, PermitKind.LOOK)
        if viewpoint not in self.viewpoints:
            raise UnknownName("viewpoint", viewpoint, self.viewpoints)
        body = self._body
        if self._latch.wait(self._pace if body is None else 0, cancel):
            raise Cancelled(cancel.reason or "halted")
        word = f"{self._world.viewpoint}, from the {viewpoint}"
        if body is None:
            return blank_frame(EYE_CAMERA, monotonic(), word)
        place, degrees = f"{self._viewpoint()}, from the {viewpoint}", SIDE_VIEWPOINTS[viewpoint]
        try:
            seen = body.look_aside(self._world.state, degrees, place, cancel)
        except LookHalted as halted:
            if halted.state is not None:
                self._world.set_halted_state(halted.state)
            raise Cancelled(cancel.reason or "halted") from None
        return self._frame(seen.rgb, seen.boxes, self._poses.name(seen.pose, word))

    # --- GroundTruth and StepTruth ------------------------------------------------------------------

    def truth(self) -> frozenset[Atom]:
        return self._world.truth()

    def is_observable(self, atom: Atom) -> bool:
        """Return True if the facts make this atom observable, with pictures or without."""
        return self._world.is_observable(atom)

    def step_succeeded(self) -> bool | None:
        return self._world.step_succeeded()

    def step_possible(self, step: Step) -> bool:
        return self._world.step_possible(step)

    # --- boxes, live frames, rendering ----------------------------------------------------------------

    def boxes(self, names: Sequence[str]) -> tuple[BoundingBox, ...]:
        return tuple(self._boxes[name] for name in names if name in self._boxes)

    def live(self, camera: str) -> Frame | None:
        body = self._body  # `close`, on another thread, may set it to None
        return None if body is None or self._closed else body.live(camera)

    @property
    def blank_frames_reason(self) -> str:
        """Return why the frames are blank, in one sentence; "" if they are not."""
        return self._without_pictures
