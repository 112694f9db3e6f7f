"""The tabletop robot: a UR5e, a gripper and a camera over the table, real or emulated."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from time import monotonic

import cv2
import numpy as np
from numpy.typing import NDArray

from core.arm.arm_capabilities import PreflightCheck
from core.arm.step_candidates import StepCandidate
from core.belief import Atom
from core.domains import DomainSpec, Task
from core.errors import NoPicture, RobotNotReady
from core.permit import Permit, PermitKind
from core.pictures import blank_frame, make_frame
from core.planning_model import Step
from core.ports import BoundingBox, Embodiment, Frame, StepResult, StepStatus
from core.stop.heartbeat import Heartbeat
from core.stop_token import StopToken
from robots.ur5e import preflight
from robots.ur5e.arm_services import ArmServices
from robots.ur5e.scene_file import read_scene
from robots.ur5e.tabletop.grasp import Grasp
from robots.ur5e.tabletop.grasp_options import GraspOptions
from robots.ur5e.tabletop.hardware import Hardware
from robots.ur5e.tabletop.left_over import left_on_table
from robots.ur5e.tabletop.live_pictures import LivePictures
from robots.ur5e.tabletop.rgbd_image import RgbdImage
from robots.ur5e.tabletop.skills import SKILLS, TabletopSkills, run_skill
from robots.ur5e.tabletop.task_support import SENSED, skill_of
from robots.ur5e.tabletop.task_support import SKILLS as SKILL_THINGS
from robots.ur5e.vision.camera_setup import OVERHEAD

STILL_SIZE_PX = 256


class TabletopRobot(ArmServices):
    """Implements Robot, ProvidesBoxes, ProvidesLiveFrames, CropsStills, and the arm capabilities of
    `core.arm.arm_capabilities` for a panel.

    `halt` and `live` may be called from any thread, a panel's methods from its own, everything else from the
    loop's. It owns the hardware, which must be ready, and begins with a first picture of the table.
    Constructing it opens nothing that would have to be closed, so what fails has its own reason.
    """

    name = "ur5e"

    def __init__(
        self,
        domain_spec: DomainSpec,
        task: Task,
        hardware: Hardware,
        first: RgbdImage,
        pictures: bool = True,
        pace: float = 0.0,
    ) -> None:
        super().__init__(hardware.arm, hardware.gripper)
        self.domain_spec, self.task, self.hardware = domain_spec, task, hardware
        self.arm, self.gripper = hardware.arm, hardware.gripper
        self.table = read_scene(hardware.setup.scene)
        self._pictures, self._pace = pictures, pace
        self._closed = self._stepped = False
        self._challenge: MotionChallenge | None = None  # for the next picture
        self._live = LivePictures(hardware.connect_live)
        self.skills = TabletopSkills(
            hardware.arm,
            hardware.gripper,
            self.capture,
            self.table.colours,
            self.table.goal_area,
        )
        self._grasp_options = GraspOptions(self.skills, self.skill_of, lambda: self.last)
        self.last = first
        self._table_line = left_on_table(task.problem, self.table, first)

    # --- Robot ---------------------------------------------------------------------------------------------

    @property
    def embodiment(self) -> Embodiment:
        return self.arm.embodiment

    def release_stop(self, up_to: int) -> None:
        self._check_open()
        self.arm.release_stop(up_to)

    def look(self, cancel: StopToken) -> Frame:
        """Return the view from above. The camera never moves, so its name is the viewpoint.

        What is in view is what was in the last picture; so one is taken even where none is wanted.
        """
        self._check_open()
        cancel.check()
        picture, challenge = self.capture(), self._challenge
        if not self._stepped:  # a person may have put things back since
            self._table_line = left_on_table(self.task.problem, self.table, picture)
        self._challenge = None  # a person who has looked decides about it
        if challenge is not None and self.skills.holding() and (fault := challenge.fault(picture)):
            raise NoPicture(fault)
        if not self._pictures:
            return blank_frame(OVERHEAD, monotonic(), OVERHEAD)
        return make_frame(make_still(picture), OVERHEAD, picture.timestamp, OVERHEAD)

    def sense(self) -> Mapping[Atom, bool]:
        """Return the gripper's object bit as the truth of "the hand is empty"."""
        problem = self.task.problem
        if all(p.name != SENSED for p in problem.domain.predicates):
            return {}
        return {Atom(SENSED, problem.of_type("agent")): not self.skills.holding()}

    def do(self, step: Step, permit: Permit, cancel: StopToken) -> StepResult:
        self._check_open()
        self.permits.redeem(permit, step, PermitKind.STEP)
        self._stepped = True
        return self._do(step, permit, cancel)

    def _do(self, step: Step, permit: Permit, cancel: StopToken) -> StepResult:
        began = monotonic()
        if self.arm.latch.halted or cancel.is_set():
            return StepResult(StepStatus.HALTED, self.arm.fault_reason or cancel.reason or "halted")
        if reason := self._ready_error():
            return StepResult(StepStatus.HALTED, reason)
        before = self.last
        with self.arm.control.permitted(permit) as other:
            if other:
                result = StepResult(StepStatus.HALTED, other)
            else:
                result = run_skill(lambda: self._run_skill(step, cancel))
        skill, things = self.skill_of(step)
        took = skill == "pick" and result.status is StepStatus.DONE
        self._challenge = MotionChallenge(things[0], before) if took else None
        left = self._pace - (monotonic() - began)
        if result.status is not StepStatus.HALTED and left > 0 and self.arm.latch.wait(left, cancel):
            result = StepResult(StepStatus.HALTED, cancel.reason or "halted")
        return replace(result, seconds=monotonic() - began)

    def _ready_error(self) -> str:
        """Return why an approved step may not begin: in local control, or never made ready; else ""."""
        if refusal := self.arm.remote_control_check().refusal:
            return refusal
        if not self.arm.enabled:
            try:
                self.arm.release_stop(0)
            except RobotNotReady as error:
                return str(error)
        return ""

    def skill_of(self, step: Step) -> tuple[str, tuple[str, ...]]:
        """Return the skill that the folder names for this step, and the things that it is about."""
        return skill_of(self.domain_spec, self.task.problem, step)

    def _run_skill(self, step: Step, cancel: StopToken) -> StepResult:
        name, things = self.skill_of(step)
        if SKILL_THINGS.get(name) != len(things):
            return StepResult(StepStatus.FAILED, f"this robot has no skill for {step}")
        values = step.values.get("grasp") if name == "pick" else None
        chosen = {} if values is None else {"chosen": Grasp.from_values(values)}
        return SKILLS[name](self.skills, *things, cancel, **chosen)

    def halt(self) -> int:
        return self.arm.halt()

    def halt_if_in_control(self) -> int:
        return self.arm.halt_if_in_control()

    def follow_heartbeat(self, heartbeat: Heartbeat, notify: Callable[[str], object]) -> None:
        self.arm.control.follow_heartbeat(heartbeat, notify)

    def on_standstill(self, listener: Callable[[int, float | None], None]) -> None:
        self.arm.on_standstill(listener)

    def close(self) -> None:
        if self._closed:
            return
        self._closed = True
        self.arm.halt_if_in_control()
        self.close_services()
        self._live.close()
        self.hardware.close()

    def _check_open(self) -> None:
        if self._closed:
            raise RobotNotReady("The UR5e is closed: start a new episode.")

    # --- seeing --------------------------------------------------------------------------------------------

    def capture(self) -> RgbdImage:
        """Take a picture of the table now."""
        self.last = self.hardware.picture()
        return self.last

    def boxes(self, names: Sequence[str]) -> tuple[BoundingBox, ...]:
        rows, columns = self.last.rgb.shape[:2]
        scale, cut = STILL_SIZE_PX / rows, (columns - rows) / 2
        found = []
        for name in (n for n in names if n in self.last.boxes):
            left, top, right, bottom = self.last.boxes[name]
            left, right = (min(max((v - cut) * scale, 0), STILL_SIZE_PX) for v in (left, right))
            if right > left:
                found.append(BoundingBox(name, left, top * scale, right, bottom * scale))
        return tuple(found)

    @property
    def cameras(self) -> tuple[str, ...]:
        return self.hardware.camera.names

    def live(self, camera: str) -> Frame | None:
        return self._live.latest(camera)

    @property
    def still_camera(self) -> str:
        """Return the camera over the table; one at the wrist moves by hand as well."""
        return OVERHEAD if OVERHEAD in self.hardware.camera.names else ""

    @property
    def picture_age(self) -> float | None:
        age = self._live.age()
        return float("inf") if age is None else age  # nobody looks: nobody sees what is moved

    @property
    def holds_unasked(self) -> bool:
        status = self._gripper_status
        return status is not None and status.holding is not False and self.skills.held is None

    def preflight(self) -> tuple[PreflightCheck, ...]:
        """Return the arm's lines, the cameras', and until the first step what is left on the table."""
        table = () if self._stepped else (self._table_line,)
        return (*super().preflight(), *self.hardware.camera.checks(), *table)

    def hindrance(self) -> str:
        """Return what the robot's own state forbids that the task takes for granted."""
        if not self.skills.holding():
            return ""
        held, way = self.skills.held, "open it, then plan again"
        if held is not None:
            way = f"if it is {held.name}, which it took, correct that it is in the hand (B); or {way}"
        return f"The gripper holds something: {way}. It opens {preflight.WAYS_TO_OPEN}."

    @property
    def emulator_address(self) -> str:
        return self.hardware.process.address if self.hardware.process else ""

    # --- choosing a grasp ----------------------------------------------------------------------------------

    def candidates(self, step: Step) -> tuple[StepCandidate, ...]:
        """Return the ranked grasps of a pick, with their obstacles. Nothing moves."""
        self._check_open()
        return self._grasp_options.options(step)

    def candidate_at(self, step: Step, column: float, row: float) -> StepCandidate | None:
        return self._grasp_options.option_at(step, column, row)


def make_still(picture: RgbdImage) -> NDArray[np.uint8]:
    """Return the middle square of a picture as a still, STILL_SIZE_PX x STILL_SIZE_PX x 3."""
    cut = (picture.rgb.shape[1] - picture.rgb.shape[0]) // 2
    square = picture.rgb[:, cut : picture.rgb.shape[1] - cut]
    return np.asarray(
        cv2.resize(square, (STILL_SIZE_PX, STILL_SIZE_PX), interpolation=cv2.INTER_AREA), np.uint8
    )


_CHANGED, _SHARE = 16, 0.1  # levels by which a pixel must differ, and the share of the thing's box that must


@dataclass(frozen=True)
class MotionChallenge:
    """A thing that the hand has taken, and a picture from before, which shows it where it was."""

    thing: str
    before: RgbdImage

    def fault(self, after: RgbdImage) -> str:
        """Return in a sentence that this picture cannot be from after the motion; "" if it may be."""
        box = self.before.boxes.get(self.thing)
        if box is None or self.before.camera != after.camera or self.before.rgb.shape != after.rgb.shape:
            return ""
        left, top, right, bottom = (round(v) for v in box)
        old, new = (p.rgb[top:bottom, left:right].astype(np.int16) for p in (self.before, after))
        if not old.size or float((np.abs(old - new).max(axis=2) > _CHANGED).mean()) > _SHARE:
            return ""
        return (
            f"The gripper holds the {self.thing}, and the {after.camera} camera still shows it where it was: "
            "its picture repeats itself or is late. Look at the camera, and at what the gripper holds."
        )
