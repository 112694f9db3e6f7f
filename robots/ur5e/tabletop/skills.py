"""Find, pick and place: short sequences that end where the camera sees the table. No retries here."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import cv2
import numpy as np

from core.cancel import Cancel
from core.errors import RobotError
from core.ports import StepResult, StepStatus
from robots.ur5e import limits
from robots.ur5e.arm import Arm
from robots.ur5e.gripper import CLOSED, OPEN, STROKE, Gripper
from robots.ur5e.kinematics import PARKED as CLEAR
from robots.ur5e.kinematics import Joints, Matrix, matrix, nearest, unwound
from robots.ur5e.tabletop.finding import Colour, Region, find
from robots.ur5e.tabletop.grasps import Finder, Grasp, antipodal, away, blocked
from robots.ur5e.tabletop.picture import STEP, Picture, Relief, cell_of, metres

HOVER = 0.13  # metres over a grasp or a place
LIFT = 0.16
_ROOM, _TOY = 0.024, 0.034  # metres from a container's middle that a toy is let go within, and its size
_TRIED = 8  # grasps that a pick looks at before it gives up
DROP = 0.045  # metres over a container's rim that a toy is let go at


class Halted(Exception):
    """A motion did not end well: the skill ends with this outcome."""

    def __init__(self, outcome: StepResult) -> None:
        super().__init__(outcome.detail)
        self.outcome = outcome


@dataclass(frozen=True)
class Held:
    """What the hand took: how the grasp lies to the thing's middle, in the hand's own frame, metres."""

    name: str
    offset: tuple[float, float]
    z: float  # of the tool when it closed


def downwards(x: float, y: float, z: float, turn: float) -> Matrix:
    """The tool pointing down, its fingers closing along `turn`."""
    c, s = math.cos(turn), math.sin(turn)
    t = np.eye(4)
    t[:3, :3] = np.array([[c, s, 0], [s, -c, 0], [0, 0, -1]])
    t[:3, 3] = x, y, z
    return t


def emptiest(region: Region, relief: Relief) -> tuple[float, float]:
    """Where in a container the least lies, so that toys do not pile up; x, y."""
    i, j = cell_of(region.x, region.y)
    reach, wide = round(_ROOM / STEP), round(_TOY / STEP) | 1
    highest = cv2.dilate(relief.heights, np.ones((wide, wide), np.uint8))
    inside = highest[i - reach : i + reach + 1, j - reach : j + reach + 1]
    if inside.size != (2 * reach + 1) ** 2:
        return region.x, region.y
    rows, columns = np.indices(inside.shape) - reach
    k, m = np.unravel_index(int(np.argmin(inside + 0.1 * STEP * np.hypot(rows, columns))), inside.shape)
    return metres(i - reach + int(k), j - reach + int(m))


class Skills:
    """One arm, one hand, one camera over the table. Called from the loop's thread."""

    def __init__(
        self,
        arm: Arm,
        gripper: Gripper,
        see: Callable[[], Picture],
        colours: Mapping[str, Colour],
        goal: tuple[float, float, float],  # middle x, y and half the side
        viewpoints: tuple[Joints, ...] = (),
        find_grasps: Finder = antipodal,
    ) -> None:
        self._arm, self._gripper, self._see = arm, gripper, see
        self.find_grasps = find_grasps
        self._colours, self._goal = colours, goal
        self._viewpoints = viewpoints
        self.held: Held | None = None

    # --- the skills ----------------------------------------------------------------------------------------

    def find(self, name: str, cancel: Cancel) -> StepResult:
        """Look with the arm out of sight, then from each taught viewpoint, until the thing is seen."""
        self._clear(cancel)
        for q in (CLEAR, *self._viewpoints):
            self._go(q, cancel)
            if self.locate(name)[0] is not None:
                return StepResult(StepStatus.DONE)
        return StepResult(StepStatus.FAILED, f"{name} is not seen on the table")

    def pick(self, name: str, chosen: Grasp | None, cancel: Cancel) -> StepResult:
        """Take a thing by the best grasp that nothing is in the way of, or by the one that was chosen, if
        there is still nothing in its way.

        What a halted pick has taken already is only lifted.
        """
        if self.holding():
            if self.held is None or self.held.name != name:
                return StepResult(StepStatus.FAILED, "the hand is not empty")
            return self._lifted(name, cancel)
        self._clear(cancel)
        region, relief, picture = self._looked(name)
        if region is None:
            return StepResult(StepStatus.FAILED, f"{name} is not seen on the table")
        if chosen is not None and away(chosen, region):
            return StepResult(StepStatus.FAILED, f"{name} is no longer where this grasp was found")
        candidates = (chosen,) if chosen else self.find_grasps(region, relief, picture, _TRIED)
        ways = [(grasp, self.in_the_way(grasp, relief)) for grasp in candidates]
        grasp = next((grasp for grasp, why in ways if not why), None)
        if grasp is None:
            why = f": {ways[0][1]}" if ways else ""
            return StepResult(StepStatus.FAILED, f"{name} cannot be grasped{why}")
        self.held = None
        self._hand(self._opening(grasp), cancel)
        turn = self._approach(grasp.x, grasp.y, grasp.z + HOVER, grasp.turn, cancel)
        self._line(downwards(grasp.x, grasp.y, grasp.z, turn), cancel, 0.6)
        dx, dy = region.x - grasp.x, region.y - grasp.y
        c, s = math.cos(turn), math.sin(turn)
        self.held = Held(name, (c * dx + s * dy, s * dx - c * dy), grasp.z)
        self._hand(CLOSED, cancel)
        self._line(downwards(grasp.x, grasp.y, grasp.z + LIFT, turn), cancel)
        return self._lifted(name, cancel)

    def _lifted(self, name: str, cancel: Cancel) -> StepResult:
        self._clear(cancel)
        if self.holding():
            return StepResult(StepStatus.DONE)
        self.held = None
        return StepResult(StepStatus.FAILED, f"the hand is empty: {name} was not taken")

    def place_goal(self, name: str, cancel: Cancel) -> StepResult:
        """Put what is in the hand down in the middle of the goal area."""
        held = self._holds(name)
        if isinstance(held, StepResult):
            return held
        self._clear(cancel)
        self._put(*self._goal[:2], held, held.z + 0.004, cancel)
        return StepResult(StepStatus.DONE)

    def place_in(self, name: str, container: str, cancel: Cancel) -> StepResult:
        """Let go of what is in the hand over a container."""
        held = self._holds(name)
        if isinstance(held, StepResult):
            return held
        self._clear(cancel)
        region, relief = self.locate(container)
        if region is None:
            return StepResult(StepStatus.FAILED, f"{container} is not seen on the table")
        if max(abs(region.x - self._goal[0]), abs(region.y - self._goal[1])) > self._goal[2]:
            return StepResult(StepStatus.FAILED, f"{container} is not in the goal area")
        self._put(*emptiest(region, relief), held, region.top + DROP, cancel)
        return StepResult(StepStatus.DONE)

    # --- seeing --------------------------------------------------------------------------------------------

    def locate(self, name: str) -> tuple[Region | None, Relief]:
        region, relief, _ = self._looked(name)
        return region, relief

    def _looked(self, name: str) -> tuple[Region | None, Relief, Picture]:
        picture = self._see()
        relief = Relief.of(picture)
        colour = self._colours.get(name)
        return (find(name, colour, picture, relief) if colour else None), relief, picture

    def in_the_way(self, grasp: Grasp, relief: Relief) -> str:
        """What a finger would meet, or that the arm does not reach it from above with elbow and wrists off
        the table; "" for nothing."""
        why = blocked(grasp, relief)
        if not why and self._reach(grasp.x, grasp.y, grasp.z, grasp.turn) is None:
            why = "the arm does not reach it from above"
        return why

    def holding(self) -> bool:
        return self._gripper.state().holding

    def _holds(self, name: str) -> Held | StepResult:
        if self.held is None or self.held.name != name or not self.holding():
            self.held = None
            return StepResult(StepStatus.FAILED, f"{name} is not in the hand")
        return self.held

    # --- moving --------------------------------------------------------------------------------------------

    def _reach(self, x: float, y: float, z: float, turn: float) -> tuple[Joints, float] | None:
        """Joints for hovering over and going down to a place, and the turn: the hand may close either way."""
        arm, best = self._arm, None
        for way in (turn, turn + math.pi):
            down = nearest(downwards(x, y, z, way), CLEAR, arm.tcp)
            over = nearest(downwards(x, y, z + HOVER, way), CLEAR, arm.tcp)
            if down is None or over is None or limits.place(down, arm.tcp, arm.setup.limits):
                continue
            if limits.place(over, arm.tcp, arm.setup.limits):
                continue
            over = unwound(over, CLEAR)
            cost = sum((a - b) ** 2 for a, b in zip(over, CLEAR, strict=True))
            if best is None or cost < best[0]:
                best = cost, over, way
        return None if best is None else (best[1], best[2])

    def _approach(self, x: float, y: float, z: float, turn: float, cancel: Cancel) -> float:
        """Go over a place. Returns the turn that the hand has there."""
        found = self._reach(x, y, z - HOVER, turn)
        if found is None:
            raise Halted(StepResult(StepStatus.FAILED, f"the arm does not reach x {x:.2f} m, y {y:.2f} m"))
        q, way = found
        self._go(q, cancel)
        return way

    def _put(self, x: float, y: float, held: Held, z: float, cancel: Cancel) -> None:
        """Bring the thing's middle to x, y, and let go at tool height z."""
        best = None
        for k in range(12):  # whichever way the thing is turned, the one that the arm likes best
            turn = math.pi * k / 6
            tx, ty = self._tool_for(x, y, held, turn)
            found = self._reach(tx, ty, z, turn)
            if found is not None and found[1] == turn:
                cost = sum((a - b) ** 2 for a, b in zip(found[0], CLEAR, strict=True))
                best = min(best, (cost, tx, ty, turn, found[0])) if best else (cost, tx, ty, turn, found[0])
        if best is None:
            raise Halted(StepResult(StepStatus.FAILED, f"the arm does not reach x {x:.2f} m, y {y:.2f} m"))
        _, tx, ty, turn, q = best
        self._go(q, cancel)
        self._line(downwards(tx, ty, z, turn), cancel, 0.6)
        self._hand(OPEN, cancel)
        self.held = None
        self._line(downwards(tx, ty, z + HOVER, turn), cancel)
        self._go(CLEAR, cancel)

    @staticmethod
    def _tool_for(x: float, y: float, held: Held, turn: float) -> tuple[float, float]:
        """Where the tool must be for the held thing's middle to be at x, y."""
        c, s = math.cos(turn), math.sin(turn)
        a, b = held.offset
        return x - (c * a + s * b), y - (s * a - c * b)

    def _clear(self, cancel: Cancel) -> None:
        """Out of sight; from low over the table, where a halt may have left the arm, straight up at first."""
        state = self._arm.state
        if state is not None and max(abs(a - b) for a, b in zip(state.q, CLEAR, strict=True)) <= 0.02:
            return
        if state is not None and state.tool[2] < HOVER:
            up = matrix(state.tool)
            up[2, 3] = LIFT
            outcome = self._arm.move_line(up, cancel)
            if outcome.status is StepStatus.HALTED:  # where no line leads up, the joints may
                raise Halted(outcome)
        self._go(CLEAR, cancel)

    def _go(self, q: Joints, cancel: Cancel) -> None:
        self._check(self._arm.move_joints(q, cancel))

    def _line(self, goal: Matrix, cancel: Cancel, scale: float = 1.0) -> None:
        self._check(self._arm.move_line(goal, cancel, scale))

    def _check(self, outcome: StepResult) -> None:
        if outcome.status is not StepStatus.DONE:
            raise Halted(outcome)

    def _opening(self, grasp: Grasp) -> int:
        """Only as wide as needed on a rim, so that the inner finger does not meet the other wall."""
        return OPEN if grasp.width > 0.02 else round(255 * (1 - min(STROKE, grasp.width + 0.022) / STROKE))

    def _hand(self, position: int, cancel: Cancel) -> None:
        setup, arm = self._arm.setup, self._arm
        if arm.latch.halted or cancel.is_set():
            raise Halted(StepResult(StepStatus.HALTED, cancel.reason or arm.trouble or "halted"))
        self._gripper.move(
            position, setup.gripper_speed, setup.gripper_force, lambda: arm.latch.halted or cancel.is_set()
        )
        if arm.latch.halted or cancel.is_set():
            raise Halted(StepResult(StepStatus.HALTED, cancel.reason or arm.trouble or "halted"))


def ended(skill: Callable[[], StepResult]) -> StepResult:
    """A skill's outcome, however it ended; a broken hand or camera is a failed step with its reason."""
    try:
        return skill()
    except Halted as halted:
        return halted.outcome
    except RobotError as error:
        return StepResult(StepStatus.FAILED, str(error))
