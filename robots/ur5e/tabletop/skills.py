"""Find, pick and place: short sequences that end with the arm out of the camera's view. No retries here."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np

from core.errors import RobotError
from core.ports import StepResult, StepStatus
from core.stop_token import StopToken
from robots.ur5e.arm import Arm
from robots.ur5e.gripper.gripper import Gripper
from robots.ur5e.gripper.model import GripperModel
from robots.ur5e.kinematics import PARKED, Joints, Transform, nearest_solution, pose_to_matrix
from robots.ur5e.scene_file import ColourRange, GoalArea
from robots.ur5e.tabletop.antipodal_grasps import AntipodalPlanner
from robots.ur5e.tabletop.colour_segmentation import Region, find_region
from robots.ur5e.tabletop.grasp import Grasp, GraspPlanner, off_region
from robots.ur5e.tabletop.reach import HOVER_HEIGHT_M, approach, pointing_down
from robots.ur5e.tabletop.rgbd_image import (
    CELL_SIZE_M,
    HeightMap,
    RgbdImage,
    cell_centre,
    cell_of,
    free_spots,
)
from robots.ur5e.tabletop.suction_grasps import SuctionPlanner
from robots.ur5e.vision.grasp_network import GraspNetwork

LIFT_HEIGHT = 0.16
_WALL_M = 0.012  # of a container's side, with what a thing may be off as it is released
_MAX_GRASPS = 8  # grasps that a pick tries before it gives up
_NEAR_M = 0.15  # between the middles of two things that may be in each other's way
PUT_DOWN_HEIGHT_M = 0.004  # over where it stood at which a thing is released
_OPEN_M = 1.0  # more than any gripper opens
RELEASE_HEIGHT_M = 0.045  # over a container's rim at which a toy is released


class SkillEnded(Exception):
    """A motion did not end well; the skill ends with this result."""

    def __init__(self, outcome: StepResult) -> None:
        super().__init__(outcome.detail)
        self.outcome = outcome


@dataclass(frozen=True)
class HeldThing:
    """What the hand holds; `offset` is of the grasp from the thing's centre, in the hand's frame, m."""

    name: str
    offset: tuple[float, float]
    z: float  # height of the tool when it closed
    origin: tuple[float, float]  # x, y of its centre before
    size: float  # metres of its longer side


def _failed(detail: str) -> SkillEnded:
    return SkillEnded(StepResult(StepStatus.FAILED, detail))


def _grasp_planner(hand: GripperModel, network: str) -> GraspPlanner:
    if hand.is_cup:
        return SuctionPlanner(hand)
    return GraspNetwork(Path(network), hand) if network else AntipodalPlanner(hand)


def emptiest_spot(region: Region, height_map: HeightMap, size: float) -> tuple[float, float]:
    """Return x, y of where a container holds least below a thing of this size (metres of its longer side),
    which stays within the walls there: so that things do not pile up.
    """
    i, j = cell_of(region.x, region.y)
    radius = max(0.0, (min(region.size) - size) / 2 - _WALL_M)
    reach, wide = round(radius / CELL_SIZE_M), round(size / CELL_SIZE_M) | 1
    below = cv2.blur(height_map.heights, (wide, wide))
    inside = below[i - reach : i + reach + 1, j - reach : j + reach + 1]
    if inside.size != (2 * reach + 1) ** 2:
        return region.x, region.y
    away = np.hypot(*(np.indices(inside.shape) - reach))
    k, m = np.unravel_index(
        int(np.argmin(np.where(away > reach, np.inf, inside + 0.1 * CELL_SIZE_M * away))), inside.shape
    )
    return cell_centre(i - reach + int(k), j - reach + int(m))


class TabletopSkills:
    """The skills of one arm, one hand and one camera over the table. Called from the loop's thread."""

    def __init__(
        self,
        arm: Arm,
        gripper: Gripper,
        capture: Callable[[], RgbdImage],
        colours: Mapping[str, ColourRange],
        goal: GoalArea,
    ) -> None:
        self._arm, self._gripper, self._capture = arm, gripper, capture
        self._is_cup = gripper.model.is_cup
        self.planner = _grasp_planner(gripper.model, arm.setup.grasp_network)
        self._colours, self._goal = colours, goal
        self.held: HeldThing | None = None

    # --- the skills ----------------------------------------------------------------------------------------

    def find(self, name: str, cancel: StopToken) -> StepResult:
        """Look with the arm out of view, then from each taught viewpoint, until the thing is found."""
        self._move_clear(cancel)
        for q in (PARKED, *self._arm.setup.viewpoints):
            self._move_joints(q, cancel)
            if self.locate(name)[0] is not None:
                return StepResult(StepStatus.DONE)
        return StepResult(StepStatus.FAILED, f"{name} is not seen on the table")

    def pick(self, name: str, cancel: StopToken, chosen: Grasp | None = None) -> StepResult:
        """Pick a thing by the best unobstructed grasp, or by the chosen one if it is still unobstructed.

        If a halted pick has already gripped the thing, only the lift follows.
        """
        if self.holding():
            if self.held is None or self.held.name != name:
                return StepResult(StepStatus.FAILED, "the hand is not empty")
            return self._confirm_grasp(name, cancel)
        self._move_clear(cancel)
        region, height_map, picture = self._find_on_table(name)
        if region is None:
            return StepResult(StepStatus.FAILED, f"{name} is not seen on the table")
        if chosen is not None and off_region(chosen, region):
            return StepResult(StepStatus.FAILED, f"{name} is no longer where this grasp was found")
        candidates = (chosen,) if chosen else self.planner.grasps(region, height_map, picture, _MAX_GRASPS)
        obstructions = [(grasp, self.obstruction(grasp, height_map)) for grasp in candidates]
        grasp = next((grasp for grasp, reason in obstructions if not reason), None)
        if grasp is None:
            reason = self._why_not(name, region, obstructions, picture, height_map)
            return StepResult(StepStatus.FAILED, f"{name} cannot be grasped: {reason}")
        self.held = None
        self._move_gripper(self._opening(grasp), cancel)
        turn = self._approach(grasp.x, grasp.y, grasp.z + HOVER_HEIGHT_M, grasp.angle, cancel)
        self._move_line(pointing_down(grasp.x, grasp.y, grasp.z, turn), cancel, 0.6)
        dx, dy = region.x - grasp.x, region.y - grasp.y
        c, s = math.cos(turn), math.sin(turn)
        offset, origin = (c * dx + s * dy, s * dx - c * dy), (region.x, region.y)
        self.held = HeldThing(name, offset, grasp.z, origin, region.size[0])
        self._move_gripper(0.0, cancel)
        self._move_line(pointing_down(grasp.x, grasp.y, grasp.z + LIFT_HEIGHT, turn), cancel)
        return self._confirm_grasp(name, cancel)

    def _why_not(
        self,
        name: str,
        region: Region,
        tried: Sequence[tuple[Grasp, str]],
        picture: RgbdImage,
        height_map: HeightMap,
    ) -> str:
        """Return why there is no grasp: what its size tells, else what is in the way."""
        if not tried:
            return self.planner.refusal(region)
        reason = tried[0][1]
        others = {
            other: math.dist((found.x, found.y), (region.x, region.y))
            for other, colour in self._colours.items()
            if other != name and (found := find_region(other, colour, picture, height_map))
        }
        near = min(others, key=others.__getitem__, default="")
        beside = near and others[near] < _NEAR_M and "meet something" in reason
        return f"{reason} ({near} stands {100 * others[near]:.0f} cm away)" if beside else reason

    def _confirm_grasp(self, name: str, cancel: StopToken) -> StepResult:
        self._move_clear(cancel)
        if self.holding():
            return StepResult(StepStatus.DONE)
        self.held = None
        return StepResult(StepStatus.FAILED, f"the hand is empty: {name} was not taken")

    def place_goal(self, name: str, cancel: StopToken) -> StepResult:
        """Put what is in the hand down in the middle of the goal area."""
        held = self._require_held(name)
        self._move_clear(cancel)
        self._place_held(*self._goal.at, held, held.z + PUT_DOWN_HEIGHT_M, cancel)
        return StepResult(StepStatus.DONE)

    def place_in(self, name: str, container: str, cancel: StopToken) -> StepResult:
        """Release what is in the hand over a container."""
        held = self._require_held(name)
        self._move_clear(cancel)
        region, height_map = self.locate(container)
        if region is None:
            return StepResult(StepStatus.FAILED, f"{container} is not seen on the table")
        if self._goal.drawn and not self._goal.contains(region.x, region.y):
            return StepResult(StepStatus.FAILED, f"{container} is not in the goal area")
        spot = emptiest_spot(region, height_map, held.size)
        self._place_held(*spot, held, region.top + RELEASE_HEIGHT_M, cancel)
        return StepResult(StepStatus.DONE)

    def put_back(self, name: str, cancel: StopToken) -> StepResult:
        """Put what is in the hand down on the table: where it came from, or at the nearest free place."""
        held = self._require_held(name)
        self._move_clear(cancel)
        height_map = HeightMap.from_image(self._capture())
        for x, y in free_spots(height_map, held.size, held.origin, self._goal):
            if self._best_placement(x, y, held, held.z + PUT_DOWN_HEIGHT_M) is not None:
                self._place_held(x, y, held, held.z + PUT_DOWN_HEIGHT_M, cancel)
                return StepResult(StepStatus.DONE)
        return StepResult(StepStatus.FAILED, f"no free place on the table is in reach for {name}")

    # --- seeing --------------------------------------------------------------------------------------------

    def locate(self, name: str) -> tuple[Region | None, HeightMap]:
        region, height_map, _ = self._find_on_table(name)
        return region, height_map

    def _find_on_table(self, name: str) -> tuple[Region | None, HeightMap, RgbdImage]:
        picture = self._capture()
        height_map = HeightMap.from_image(picture)
        colour = self._colours.get(name)
        return (find_region(name, colour, picture, height_map) if colour else None), height_map, picture

    def obstruction(self, grasp: Grasp, height_map: HeightMap) -> str:
        """Return what a finger would hit, or that the arm, off the table, does not reach it; else ""."""
        reason = self.planner.collision(grasp, height_map)
        if not reason and self._solve_approach(grasp.x, grasp.y, grasp.z, grasp.angle) is None:
            reason = "the arm does not reach it from above"
        return reason

    def joints_at(self, grasp: Grasp) -> Joints | None:
        """Return the joints with the hand at this grasp, where the arm can be at all."""
        q, turn = self._solve_approach(grasp.x, grasp.y, grasp.z, grasp.angle) or (PARKED, grasp.angle)
        return nearest_solution(pointing_down(grasp.x, grasp.y, grasp.z, turn), q, self._arm.tcp)

    def joints_after(self, skill: str, things: tuple[str, ...]) -> Joints | None:
        """Return the joints at which a skill will look or let go; None where that is not known now."""
        if skill == "find":
            return PARKED
        if self.held is None or skill not in ("place_goal", "place_in", "put_back"):
            return None
        held, height = self.held, self.held.z + PUT_DOWN_HEIGHT_M
        places: Iterable[tuple[float, float]] = (self._goal.at,)
        if skill == "put_back":
            places = free_spots(HeightMap.from_image(self._capture()), held.size, held.origin, self._goal)
        elif skill == "place_in":
            region, height_map = self.locate(things[1])
            places = (emptiest_spot(region, height_map, held.size),) if region is not None else ()
            height = region.top + RELEASE_HEIGHT_M if region is not None else height
        best = next(filter(None, (self._best_placement(*place, held, height) for place in places)), None)
        if best is None:
            return None
        _, x, y, turn, q = best
        return nearest_solution(pointing_down(x, y, height, turn), q, self._arm.tcp)

    def holding(self) -> bool:
        return bool(self._gripper.state().holding)

    def _require_held(self, name: str) -> HeldThing:
        if self.held is None or self.held.name != name or not self.holding():
            self.held = None
            raise _failed(f"{name} is not in the hand")
        return self.held

    # --- moving --------------------------------------------------------------------------------------------

    def _solve_approach(self, x: float, y: float, z: float, turn: float) -> tuple[Joints, float] | None:
        return approach(x, y, z, turn, self._arm.tcp, self._arm.setup.limits)

    def _approach(self, x: float, y: float, z: float, turn: float, cancel: StopToken) -> float:
        """Move over a place. Return the turn that the hand has there."""
        found = self._solve_approach(x, y, z - HOVER_HEIGHT_M, turn)
        if found is None:
            raise _failed(f"the arm does not reach x {x:.2f} m, y {y:.2f} m")
        q, hand_turn = found
        self._move_joints(q, cancel)
        return hand_turn

    def _place_held(self, x: float, y: float, held: HeldThing, z: float, cancel: StopToken) -> None:
        """Bring the thing's centre to x, y, and release it at tool height z."""
        best = self._best_placement(x, y, held, z)
        if best is None:
            raise _failed(f"the arm does not reach x {x:.2f} m, y {y:.2f} m")
        _, tx, ty, turn, q = best
        self._move_joints(q, cancel)
        self._move_line(pointing_down(tx, ty, z, turn), cancel, 0.6)
        self._move_gripper(_OPEN_M, cancel)
        self.held = None
        self._move_line(pointing_down(tx, ty, z + HOVER_HEIGHT_M, turn), cancel)
        self._move_joints(PARKED, cancel)

    def _best_placement(
        self, x: float, y: float, held: HeldThing, z: float
    ) -> tuple[float, float, float, float, Joints] | None:
        """Return cost, the tool's x and y, its turn and the joints over it; None if it is out of reach."""
        best = None
        for k in range(12):  # of all turns of the thing, the one nearest for the arm
            turn = math.pi * k / 6
            tx, ty = self._tool_position(x, y, held, turn)
            found = self._solve_approach(tx, ty, z, turn)
            if found is not None and found[1] == turn:
                cost = sum((a - b) ** 2 for a, b in zip(found[0], PARKED, strict=True))
                best = min(best, (cost, tx, ty, turn, found[0])) if best else (cost, tx, ty, turn, found[0])
        return best

    @staticmethod
    def _tool_position(x: float, y: float, held: HeldThing, turn: float) -> tuple[float, float]:
        """Return where the tool must be for the held thing's centre to be at x, y."""
        c, s = math.cos(turn), math.sin(turn)
        a, b = held.offset
        return x - (c * a + s * b), y - (s * a - c * b)

    def _move_clear(self, cancel: StopToken) -> None:
        """Move out of view; from low over the table, where a halt may leave the arm, first up."""
        state = self._arm.state
        if state is not None and max(abs(a - b) for a, b in zip(state.q, PARKED, strict=True)) <= 0.02:
            return
        if state is not None and state.tool[2] < HOVER_HEIGHT_M:
            up = pose_to_matrix(state.tool)
            up[2, 3] = LIFT_HEIGHT
            result = self._arm.move_line(up, cancel)
            if result.status is StepStatus.HALTED:  # where no line leads up, a joint move may
                raise SkillEnded(result)
        self._move_joints(PARKED, cancel)

    def _move_joints(self, q: Joints, cancel: StopToken) -> None:
        self._require_done(self._arm.move_joints(q, cancel))

    def _move_line(self, goal: Transform, cancel: StopToken, scale: float = 1.0) -> None:
        self._require_done(self._arm.move_line(goal, cancel, scale))

    def _require_done(self, result: StepResult) -> None:
        if result.status is not StepStatus.DONE:
            raise SkillEnded(result)

    def _opening(self, grasp: Grasp) -> float:
        """Return how far the fingers open (m): on a rim no wider than needed, away from the other wall."""
        return _OPEN_M if self._is_cup or grasp.width > 0.02 else grasp.width + 0.022

    def _move_gripper(self, opening: float, cancel: StopToken) -> None:
        setup, arm = self._arm.setup, self._arm

        def stopped() -> bool:
            return arm.latch.halted or cancel.is_set()

        self._gripper.move(opening, setup.gripper_speed / 255, setup.gripper_force / 255, stopped)
        if stopped():
            raise SkillEnded(StepResult(StepStatus.HALTED, cancel.reason or arm.fault_reason or "halted"))


def run_skill(skill: Callable[[], StepResult]) -> StepResult:
    """Run a skill and return its result; a broken hand or camera is a failed step with its reason."""
    try:
        return skill()
    except SkillEnded as halted:
        return halted.outcome
    except RobotError as error:
        return StepResult(StepStatus.FAILED, str(error))


SKILLS: Mapping[str, Callable[..., StepResult]] = {  # each takes the things that it is about, and a StopToken
    "find": TabletopSkills.find,
    "pick": TabletopSkills.pick,
    "place_goal": TabletopSkills.place_goal,
    "place_in": TabletopSkills.place_in,
    "put_back": TabletopSkills.put_back,
}
