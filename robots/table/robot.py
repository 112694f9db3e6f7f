"""A table in physics: the arm and a scene's things, as fast as this computer can, with no controller.

Steps bring their moves along as values; for one without, the robot looks for a grasp or a place by itself.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from time import monotonic
from typing import Annotated, Any, Unpack

import numpy as np
from pydantic import Field, TypeAdapter, ValidationError

from core.belief import Atom
from core.domains import DomainSpec, Task
from core.errors import BadValue, UnknownName
from core.motion.frames import Frame as Pose
from core.motion.frames import as_frame
from core.motion.search import Hints, Miss
from core.permit import Permit, PermitKind
from core.pictures import blank_frame, make_frame
from core.planning_model import Step
from core.ports import Frame, StepResult, StepStatus
from core.scene import Scene
from core.stock import StockItem
from core.stop_token import StopToken
from core.text.untrusted_text import one_line
from robots.options import NO_FAULTS, TableFaults
from robots.simulated_robot import SimulatedRobot
from robots.stochastic import Chances
from robots.table.seen_things import SeenThings, reversed_moves
from robots.table.stock import stock_of
from robots.table.table_truth import KnownTable
from robots.ur5e.emulator.plant import Plant
from robots.ur5e.emulator.scene import make_scene
from robots.ur5e.gripper.model import DEFAULT_GRIPPER
from robots.ur5e.motion.faults import aside, believed, carried
from robots.ur5e.motion.pictures import CAMERA, TableCamera
from robots.ur5e.motion.rehearsal import Rehearsal
from robots.ur5e.motion.skills import TableSkills
from robots.ur5e.motion.table_scene import first_poses, table_scene
from robots.ur5e.scene_file import SCENES

_TRIES = 200  # draws for a step that brings no moves along
_Number = Annotated[float, Field(ge=-10, le=10, allow_inf_nan=False)]
_START = TypeAdapter(dict[str, dict[str, tuple[_Number, _Number, _Number, _Number, _Number, _Number]]])


class _Halted(Exception):
    """The latch closed, or the episode was cancelled, in the middle of a step."""


class TableRobot(SimulatedRobot, KnownTable):
    """Implements Robot, GroundTruth, StepTruth and ProvidesScene. `halt` from any thread.

    Implements NoticesSituations and KnowsStock too. Raises BadValue for a task whose name is no scene's.
    """

    name = title = "table"

    def __init__(
        self,
        domain_spec: DomainSpec,
        task: Task,
        *,
        pictures: bool = True,
        pace: float = 0.0,
        faults: TableFaults = NO_FAULTS,
        **chances: Unpack[Chances],
    ) -> None:
        SimulatedRobot.__init__(self)
        for reason in unsupported_reasons(domain_spec, task):
            raise BadValue(reason)
        seed = chances.get("seed", 0)
        self._faults, self._luck = faults, np.random.default_rng((seed, 7))
        self._task, self._seed, self._pictures, self._pace = task, seed, pictures, pace
        self._table = make_scene(task.name, seed)
        self._kinds = {thing.name: thing.kind for thing in self._table.things}
        self._cancel = StopToken()
        tcp = np.eye(4)
        tcp[2, 3] = self._table.gripper.reach
        self._tcp = tcp
        self._physics = Rehearsal(self._table, tcp, self._watch)
        self._physics.begin({**first_poses(self._table), **_started(faults.start, task.name, self._kinds)})
        self._seen = SeenThings(self._table, tcp) if faults.poses == "camera" else None
        KnownTable.__init__(self, task.problem, self._table)
        self._camera = TableCamera(task.name, seed)

    # --- Robot ---------------------------------------------------------------------------------------------

    def look(self, cancel: StopToken) -> Frame:
        self._check_open()
        cancel.check()
        if not self._pictures:
            return blank_frame(CAMERA, monotonic(), "")
        seen = self._camera.take(self._physics.plant.data.qpos, cancel)
        return make_frame(seen.rgb, CAMERA, seen.timestamp, "")

    def sense(self) -> Mapping[Atom, bool]:
        held = self._held()
        felt = {Atom("holding", (name,)): name == held for name in self._task.problem.of_type("movable")}
        return {**felt, Atom("handempty"): not held}

    def do(self, step: Step, permit: Permit, cancel: StopToken) -> StepResult:
        self._check_open()
        self.permits.redeem(permit, step, PermitKind.STEP, PermitKind.RESTORE)
        began, self._cancel = monotonic(), cancel
        self._begin(step)
        try:
            self._watch(self._physics.plant)
            failure = self._carry_out(step)
            if self._latch.wait(self._pace, cancel):
                raise _Halted
        except _Halted:
            self._physics.stay()
            return StepResult(StepStatus.HALTED, cancel.reason or "halted", monotonic() - began)
        finally:
            self._end(step)
        return StepResult(StepStatus.FAILED if failure else StepStatus.DONE, failure, monotonic() - began)

    def _carry_out(self, step: Step) -> str:
        """Do a step, and return how it failed or ""."""
        if step.name == "achieve_goal":
            return ""
        moves = step.values.get("moves") or self._found(step)
        if isinstance(moves, str):
            return moves
        assert isinstance(moves, tuple)
        if step.name == "pick" and self._physics.is_closed and not self._held():  # after a grasp that slipped
            self._physics.carry_out((("grip", self._table.gripper.stroke),))
        self._physics.carry_out(moves)
        if step.name == "pick" and self._luck.random() < self._faults.slips:
            self._physics.carry_out((("grip", self._table.gripper.stroke),))
        if self._luck.random() < self._faults.nudges:
            self._nudge()
        held = self._held()
        if self._seen and (step.name != "pick" or held == step.args[0]):
            self._seen.follow(step, moves)
        if step.name == "pick" and held != step.args[0]:
            if self._seen:  # out of the view
                self._physics.carry_out((("grip", self._table.gripper.stroke), *reversed_moves(moves)))
            return f"the hand is empty: {step.args[0]} was not taken"
        if step.name.startswith("place") and held:
            return f"{held} is still in the hand"
        return ""

    def _found(self, step: Step) -> Any:
        """Return moves for a step that brings none along, or why there are none."""
        skills = TableSkills(self.scene(), self._seed)
        now = skills.start()
        if (step.name == "pick") == bool(now.held):
            return f"the hand holds {now.held}" if now.held else "the hand is empty"
        for _ in range(_TRIES):
            self._watch(self._physics.plant)
            draw = skills.draw(now, step, Hints())
            found = Miss("reach") if draw is None else skills.attempt(now, step, draw)
            if not isinstance(found, Miss):
                return found.moves
        return f"no grasp or place was found for {step}"

    def _nudge(self) -> None:
        """Push a thing aside, as a person's hand would."""
        poses, held = self._physics.poses(), self._held()
        free = [name for name, f in poses.items() if name in self._kinds and name != held and f[2, 3] < 0.06]
        if not free:
            return
        name = free[self._luck.integers(len(free))]
        at = aside(name, poses, self._kinds, self._luck)
        if at is not None:
            moved = carried(name, poses, self._kinds, at)
            for each, pose in moved.items():
                self._physics.plant.set_thing_pose(each, pose[:3, 3], pose[:3, :3])
            self._physics.carry_out((("wait", 0.3),))

    def _watch(self, plant: Plant) -> None:
        if self._latch.halted or self._cancel.is_set():
            raise _Halted

    def close(self) -> None:
        super().close()
        self._camera.close()

    # --- ProvidesScene -------------------------------------------------------------------------------------

    def scene(self) -> Scene:
        made = self._table, self._task.name, self._seed, DEFAULT_GRIPPER
        a, b, c, d, e, f = (float(v) for v in self._physics.plant.q)
        q = (a, b, c, d, e, f)
        if seen := self._seen:
            seen.look(self._camera.take(self._physics.plant.data.qpos, StopToken(), deep=True), q)
            return seen.scene(made, q, self._held())
        error, poses = self._faults.pose_error, self._physics.poses()
        if error:
            poses = believed(poses, self._kinds, error, self._luck)
        spreads = dict.fromkeys(poses, error / 1000)
        return table_scene(*made, poses, "simulator", spreads, q, held=self._held())

    def situations(self) -> tuple[str, ...]:
        return (self._faults.situation,) if self._faults.situation else ()

    def stock(self) -> tuple[StockItem, ...]:
        return stock_of(self._task.problem, self._table)

    # --- what it knows --------------------------------------------------------------------------------------

    def _poses(self) -> Mapping[str, Pose]:
        return self._physics.poses()

    def _held(self) -> str:
        lifted = self._physics.plant.grasped_things() if self._physics.is_closed else frozenset[str]()
        return next((name for name in sorted(lifted) if name in self._kinds), "")


def _started(start: str, task: str, things: Collection[str]) -> dict[str, Pose]:
    """Return where the things of this task are at first, as far as `start` says. Raises BadValue."""
    try:
        poses = _START.validate_json(start or "{}").get(task, {})
    except ValidationError:
        raise BadValue("The option start is not as a sheet writes it: empty it.") from None
    if unknown := sorted(poses.keys() - set(things)):
        raise BadValue(f"The option start names {one_line(unknown[0], 60)}, which is not on this table.")
    return {name: as_frame(pose) for name, pose in poses.items()}


def unsupported_reasons(domain_spec: DomainSpec, task: Task) -> tuple[str, ...]:
    """Return why the table cannot run this task; empty if it can."""
    if task.problem.domain.name != "tabletop-wishes":
        return (f"The table knows the domain tabletop-wishes only, not {task.problem.domain.name}.",)
    try:
        SCENES.path(task.name)
    except UnknownName as unknown:
        return (f"Task {task.name}: {unknown}",)
    return ()
