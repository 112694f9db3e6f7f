"""The tabletop robot: a UR5e, a Hand-E and a camera over the table, real or emulated."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from time import monotonic

import cv2
import numpy as np

from core.cancel import Cancel
from core.domains import Folder, Task
from core.errors import RobotNotReady
from core.facts import Atom
from core.options import Option
from core.pictures import blank, frame_of
from core.ports import Box, Ending, Frame, Outcome, World
from core.problem import Step
from robots.ur5e.emulator.scene import GOAL
from robots.ur5e.panel import ArmPanel
from robots.ur5e.tabletop.choosing import Chooser
from robots.ur5e.tabletop.finding import COLOURS
from robots.ur5e.tabletop.grasps import Grasp, antipodal
from robots.ur5e.tabletop.live import Live
from robots.ur5e.tabletop.picture import Picture
from robots.ur5e.tabletop.rig import OVERHEAD, Rig
from robots.ur5e.tabletop.skills import Skills, ended
from robots.ur5e.turn import STEP
from robots.ur5e.vision.network import Network

STILL = 256  # pixels


class TabletopRobot(ArmPanel):
    """Robot, Boxes, Cameras, and what `core.arms` has for a panel.

    `halt` and `live` from any thread, a panel's calls from its own, all else from the loop's.

    It owns the rig, which is ready. Constructing it moves nothing. Raises RobotError.
    """

    name = "ur5e"

    def __init__(
        self, folder: Folder, task: Task, rig: Rig, pictures: bool = True, pace: float = 0.0
    ) -> None:
        super().__init__(rig.arm, rig.gripper)
        self.folder, self.task, self.rig = folder, task, rig
        self.arm, self.gripper = rig.arm, rig.gripper
        self._pictures, self._pace = pictures, pace
        self._closed = False
        self._live = Live(rig.another_camera)
        network = rig.setup.grasp_network
        grasps = Network(Path(network)).find if network else antipodal
        self.skills = Skills(rig.arm, rig.gripper, self.see, COLOURS, GOAL, rig.setup.viewpoints, grasps)
        self._chooser = Chooser(self.skills, lambda: self.last)
        try:
            self.last = self.see()
        except BaseException:
            self.close()
            raise

    # --- Robot ---------------------------------------------------------------------------------------------

    @property
    def world(self) -> World:
        return self.arm.world

    def ready(self, up_to: int) -> None:
        self._check_open()
        self.arm.ready(up_to)

    def look(self, cancel: Cancel) -> Frame:
        """From above: the camera never moves, so its name is the viewpoint."""
        self._check_open()
        cancel.check()
        if not self._pictures:
            return blank(OVERHEAD, monotonic(), OVERHEAD)
        picture = self.see()
        cut = (picture.rgb.shape[1] - picture.rgb.shape[0]) // 2
        square = picture.rgb[:, cut : picture.rgb.shape[1] - cut]
        still = cv2.resize(square, (STILL, STILL), interpolation=cv2.INTER_AREA)
        return frame_of(np.asarray(still, np.uint8), OVERHEAD, monotonic(), OVERHEAD)

    def sense(self) -> Mapping[Atom, bool]:
        """The gripper's object bit, as "the hand is empty"."""
        (agent,) = self.task.problem.of_type("agent")
        return {Atom("handempty", (agent,)): not self.skills.holding()}

    def do(self, step: Step, cancel: Cancel) -> Outcome:
        self._check_open()
        began = monotonic()
        if self.arm.latch.halted or cancel.is_set():
            return Outcome(Ending.HALTED, self.arm.trouble or cancel.why or "halted")
        if why := self._not_ready():
            return Outcome(Ending.HALTED, why)
        with self.arm.turn.taken(STEP) as other:
            if other:
                outcome = Outcome(Ending.HALTED, f"the arm is in use by hand ({other}): let go of it first")
            else:
                outcome = ended(lambda: self._skill(step, cancel))
        left = self._pace - (monotonic() - began)
        if outcome.ending is not Ending.HALTED and left > 0 and self.arm.latch.wait(left, cancel):
            outcome = Outcome(Ending.HALTED, cancel.why or "halted")
        return replace(outcome, seconds=monotonic() - began)

    def _not_ready(self) -> str:
        """Why this step may not begin, though it was approved: in local control, or never made ready."""
        remote = self.arm.remote()
        if not remote.ok:
            return ": ".join(w for w in (remote.reason, remote.way_out) if w)
        if not self.arm.enabled:
            try:
                self.arm.ready(0)
            except RobotNotReady as error:
                return str(error)
        return ""

    def _skill(self, step: Step, cancel: Cancel) -> Outcome:
        things = step.args[1:]
        match step.name, things:
            case "find", (thing,):
                return self.skills.find(thing, cancel)
            case "pick", (thing,):
                values = step.values.get("grasp")
                return self.skills.pick(thing, Grasp.chosen(values) if values is not None else None, cancel)
            case "place_goal", (thing,):
                return self.skills.place_goal(thing, cancel)
            case "place_in", (thing, container):
                return self.skills.place_in(thing, container, cancel)
        return Outcome(Ending.FAILED, f"this robot has no skill for {step}")

    def halt(self) -> int:
        return self.arm.halt()

    def leave(self) -> int:
        return self.arm.leave()

    def tell_standstill(self, told: Callable[[int, float | None], None]) -> None:
        self.arm.tell_standstill(told)

    def close(self) -> None:
        if self._closed:
            return
        self._closed = True
        self.arm.leave()
        self.close_panel()
        self._live.close()
        self.rig.close()

    def _check_open(self) -> None:
        if self._closed:
            raise RobotNotReady("The UR5e is closed: start a new episode.")

    # --- seeing --------------------------------------------------------------------------------------------

    def see(self) -> Picture:
        """The table now."""
        self.last = self.rig.camera.picture(self.rig.eye)
        return self.last

    def boxes(self, names: Sequence[str]) -> tuple[Box, ...]:
        rows, columns = self.last.rgb.shape[:2]
        scale, cut = STILL / rows, (columns - rows) / 2
        found = []
        for name in (n for n in names if n in self.last.boxes):
            left, top, right, bottom = self.last.boxes[name]
            left, right = (min(max((v - cut) * scale, 0), STILL) for v in (left, right))
            if right > left:
                found.append(Box(name, left, top * scale, right, bottom * scale))
        return tuple(found)

    @property
    def cameras(self) -> tuple[str, ...]:
        return self.rig.camera.names

    def live(self, camera: str) -> Frame | None:
        return self._live.latest(camera)

    @property
    def picture_age(self) -> float | None:
        return self._live.age()

    @property
    def practice(self) -> str:
        return self.rig.process.address if self.rig.process else ""

    # --- choosing a grasp ----------------------------------------------------------------------------------

    def options(self, step: Step) -> tuple[Option, ...]:
        """For a pick: its grasps, ranked, with what is in their way. Nothing moves."""
        self._check_open()
        return self._chooser.options(step)

    def option_at(self, step: Step, column: float, row: float) -> Option | None:
        return self._chooser.at(step, column, row)
