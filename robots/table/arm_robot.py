"""Wishes on a UR5e, real or emulated: the same steps, through its controller, one move after the other.

A camera over the table tells where everything is. In a bench that asks for it the emulator's own truth does,
and the scene says so.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise
from typing import Any, Unpack, cast

from core.belief import Atom
from core.domains import DomainSpec, Task
from core.errors import BadValue, RobotError
from core.motion.frames import Frame, as_frame
from core.permit import Permit
from core.planning_model import Step
from core.ports import StepResult, StepStatus
from core.scene import Scene
from core.stock import StockItem
from core.stop_token import StopToken
from robots.stochastic import Chances
from robots.table.robot import unsupported_reasons
from robots.table.seen_things import SeenThings, reversed_moves
from robots.table.stock import stock_of
from robots.table.table_truth import KnownTable
from robots.ur5e.arm_setup import ArmLimits
from robots.ur5e.emulator.admin_client import AdminClient
from robots.ur5e.emulator.scene import TabletopScene, make_scene
from robots.ur5e.gripper.model import GripperModel
from robots.ur5e.kinematics import Joints, forward_kinematics, pose_distance
from robots.ur5e.motion.table_scene import table_scene
from robots.ur5e.scene_file import TabletopThing
from robots.ur5e.tabletop.hardware import Hardware, opened_hardware
from robots.ur5e.tabletop.rgbd_image import RgbdImage
from robots.ur5e.tabletop.robot import TabletopRobot
from robots.ur5e.tabletop.skills import SkillEnded

_SETTLE_S = 0.4  # until what was let go lies still
_WIDER_M = 0.008  # by which the closed hand may differ from what it was to take
_NEAR = 0.02  # radians within which the arm is at a joint point already


def make_wish_arm(
    domain_spec: DomainSpec,
    task: Task,
    *,
    pictures: bool = True,
    pace: float = 0.0,
    arm: str = "",
    poses: str = "camera",
    **chances: Unpack[Chances],
) -> WishArm:
    """Make the robot for the arm named here or in DKPROMPT_UR5E, else for an emulator of its own.

    `poses` is "camera", or "emulator" for the emulator's own truth. Raises ConsoleError.
    """
    for reason in unsupported_reasons(domain_spec, task):
        raise BadValue(reason)
    seed = chances.get("seed", 0)
    with opened_hardware(seed, arm, task.name) as (hardware, first, admin):
        made = domain_spec, task, hardware, first, pictures, pace
        if admin is not None:
            return EmulatedWishArm(*made, seed=seed, admin=admin, sees=poses == "camera")
        if poses != "camera":
            raise BadValue("Only an emulator knows where things are: leave out -o robot.poses.")
        return WishArm(*made, seed=seed)


class WishArm(TabletopRobot):
    """Implements Robot, ProvidesScene and KnowsStock. Threads as of `TabletopRobot`."""

    def __init__(
        self,
        domain_spec: DomainSpec,
        task: Task,
        hardware: Hardware,
        first: RgbdImage,
        pictures: bool,
        pace: float,
        *,
        seed: int,
    ) -> None:
        super().__init__(domain_spec, task, hardware, first, pictures, pace)
        self._seed = seed
        self._made = make_scene(task.name, seed, hardware.setup.gripper)
        self._seen = SeenThings(self._made, hardware.arm.tcp)
        self._taken = ""  # what was picked last, and not put down

    def _held(self) -> str:
        return self._taken if self.skills.holding() else ""

    def sense(self) -> Mapping[Atom, bool]:
        held = self._held()
        felt = {Atom("holding", (name,)): name == held for name in self.task.problem.of_type("movable")}
        return {**felt, Atom("handempty"): not self.skills.holding()}

    def _run_skill(self, step: Step, cancel: StopToken) -> StepResult:
        if step.name == "achieve_goal":
            return StepResult(StepStatus.DONE)
        moves: Any = step.values.get("moves")
        if not isinstance(moves, tuple):
            return StepResult(StepStatus.FAILED, f"{step} has no moves, and this arm finds none by itself")
        if step.name == "pick" and not self.skills.holding():  # it closed on nothing before
            self._move("grip", [self.gripper.model.stroke], cancel)
        for kind, *values in moves:
            self._move(str(kind), values, cancel)
        if step.name != "pour":
            self._wait(_SETTLE_S, cancel)
            self._taken = step.args[0] if step.name == "pick" else ""
        if step.name == "pour" or (step.name == "pick") == self.skills.holding():
            if step.name == "pick" and (reason := self._other_width(step.args[0])):
                self._taken = ""
                return StepResult(StepStatus.FAILED, reason)
            self._seen.follow(step, moves)
            return StepResult(StepStatus.DONE)
        if step.name == "pick":
            for kind, *values in reversed_moves(moves):  # out of the view
                self._move(str(kind), values, cancel)
            return StepResult(StepStatus.FAILED, f"the hand is empty: {step.args[0]} was not taken")
        return StepResult(StepStatus.FAILED, f"{step.args[0]} is still in the hand")

    def _other_width(self, name: str) -> str:
        """Return that the hand has closed on something else than this thing, by its width, or ""."""
        state, model = self.gripper.state(), self.gripper.model
        kind = next(thing.kind for thing in self._made.things if thing.name == name)
        if model.is_cup or is_as_wide(state.opening, kind, model):
            return ""
        return f"the hand closed to {1000 * state.opening:.0f} mm, on something else than {name}"

    def _move(self, kind: str, values: list[Any], cancel: StopToken) -> None:
        """Do one move. A way of several joint points is one motion, which passes near those between."""
        arm, setup = self.arm, self.arm.setup
        match kind:
            case "grip":
                speed, force = setup.gripper_speed / 255, setup.gripper_force / 255
                self.gripper.move(values[0], speed, force, lambda: arm.latch.halted or cancel.is_set())
                self._wait(0.0, cancel)
            case "wait":
                self._wait(values[0], cancel)
            case "line" if is_even(values, arm.tcp, setup.limits):
                self._require(arm.move_line(forward_kinematics(values[-1], arm.tcp), cancel))
            case _:
                way = cast(list[Joints], values)
                while way and self._is_at(way[0]):
                    way = way[1:]
                if len(way) > 1:
                    self._require(arm.move_path(way, cancel))
                elif way:
                    self._require(arm.move_joints(way[0], cancel))

    def _is_at(self, q: Joints) -> bool:
        now = self.arm.state
        return now is not None and max(abs(a - b) for a, b in zip(q, now.q, strict=True)) <= _NEAR

    def _wait(self, seconds: float, cancel: StopToken) -> None:
        if self.arm.latch.wait(seconds, cancel) or self.arm.latch.halted:
            raise SkillEnded(
                StepResult(StepStatus.HALTED, cancel.reason or self.arm.fault_reason or "halted")
            )

    def _require(self, result: StepResult) -> None:
        if result.status is not StepStatus.DONE:
            raise SkillEnded(result)

    def hindrance(self) -> str:
        return "" if self._taken else super().hindrance()

    @property
    def holds_unasked(self) -> bool:
        return not self._taken and super().holds_unasked

    def scene(self) -> Scene:
        self._seen.look(self.capture(), self._joints())
        return self._seen.scene(self._setting, self._joints(), self._held())

    def stock(self) -> tuple[StockItem, ...]:
        return stock_of(self.task.problem, self._made)

    @property
    def _setting(self) -> tuple[TabletopScene, str, int, str]:
        return self._made, self.task.name, self._seed, self.arm.setup.gripper

    def _joints(self) -> Joints:
        if (state := self.arm.state) is None:
            raise RobotError("Where the arm is is not known: no data come from its controller.")
        return state.q


class EmulatedWishArm(KnownTable, WishArm):
    """Adds what only an emulator knows: the truth, also as its scene if it does not look."""

    def __init__(self, *made: Any, admin: AdminClient, sees: bool, seed: int) -> None:
        self._admin, self._sees = admin, sees
        WishArm.__init__(self, *made, seed=seed)
        KnownTable.__init__(self, self.task.problem, self._made)

    def scene(self) -> Scene:
        if self._sees:
            return super().scene()
        told = self._poses(), "emulator"
        return table_scene(*self._setting, *told, joints=self._joints(), held=self._held())

    def _do(self, step: Step, permit: Permit, cancel: StopToken) -> StepResult:
        self._begin(step)
        try:
            return super()._do(step, permit, cancel)
        finally:
            self._end(step)

    def close(self) -> None:
        super().close()
        self._admin.close()

    def _held(self) -> str:
        return WishArm._held(self)

    def _poses(self) -> dict[str, Frame]:
        told = cast(Mapping[str, Any], self._admin.ask("truth").body["poses"])
        return {name: as_frame(tuple(pose)) for name, pose in told.items()}


def is_as_wide(opening: float, kind: TabletopThing, hand: GripperModel) -> bool:
    """Return True if a hand so far open (m) can hold such a thing, across one of its sides."""
    widths = (2 * half for half in kind.half if 2 * half <= hand.widest + 1e-9)
    return any(abs(opening - width) <= _WIDER_M for width in widths)


def is_even(points: list[Any], tcp: Frame, limits: ArmLimits) -> bool:
    """Return True if no joint is faster than it may be when the tool follows these points at its own speed.

    Near a singularity a line is not: the controller would stop in it, so its points are joint moves.
    """
    tools = [forward_kinematics(q, tcp) for q in points]
    for (q, tool), (following, after) in pairwise(zip(points, tools, strict=True)):
        metres, radians = pose_distance(tool, after)
        seconds = max(metres, 0.3 * radians) / limits.tool_speed
        if max(abs(a - b) for a, b in zip(q, following, strict=True)) > limits.joint_speed * seconds:
            return False
    return True
