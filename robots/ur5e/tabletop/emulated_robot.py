"""The tabletop robot on an emulated arm, which knows the ground truth, and the factory of either robot."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Unpack, cast

from core.arm.step_candidates import StepCandidate
from core.belief import Atom
from core.domains import DomainSpec, Situation, Task
from core.errors import BadValue, RobotError
from core.permit import Permit
from core.planning.outcomes import scaled_situations
from core.planning_model import Step
from core.ports import Frame, Robot, StepResult
from core.stop_token import StopToken
from robots.stochastic import Chances, sample, select
from robots.task_support import raise_unsupported
from robots.ur5e.arm_setup import EMULATED_SETUP
from robots.ur5e.emulator.admin_client import AdminClient
from robots.ur5e.emulator.scene import VIEW
from robots.ur5e.kinematics import Joints
from robots.ur5e.scene_file import scene_of
from robots.ur5e.tabletop.emulated_camera import EmulatedCamera, Ghost
from robots.ur5e.tabletop.grasp import Grasp
from robots.ur5e.tabletop.ground_truth import ThingPose, possible, shows, true_atoms, worked
from robots.ur5e.tabletop.hardware import Hardware, named_setup, opened_hardware
from robots.ur5e.tabletop.live_pictures import LiveView
from robots.ur5e.tabletop.rgbd_image import RgbdImage
from robots.ur5e.tabletop.robot import TabletopRobot
from robots.ur5e.tabletop.task_support import unsupported_reasons, untold_reasons

_KNOCK_SPEED_M_PER_S = 3.0  # moves a container from its initial place off the table
_LATE_S = 0.1  # age of the arm's data from which its view is not taken to be as it was
_DROPS = "it drops on the way"
_SLIP_HEIGHTS = {"the pick fails": 0.012, _DROPS: 0.11}  # metres over the table at which a thing slips


def make_tabletop_robot(
    domain_spec: DomainSpec,
    task: Task,
    *,
    pictures: bool = True,
    pace: float = 0.0,
    arm: str = "",
    **chances: Unpack[Chances],
) -> Robot:
    """Make the robot for the arm named here or in DKPROMPT_UR5E, else for an emulator of its own.

    An emulated robot also provides ground truth. On a real arm openness and rates have no effect: what goes
    wrong there goes wrong by itself. Raises ConsoleError.
    """
    setup = named_setup(arm) or EMULATED_SETUP
    scene, seed = scene_of(domain_spec, setup.scene), chances.get("seed", 0)
    raise_unsupported(unsupported_reasons(domain_spec, task, replace(setup, scene=scene)))
    situations = scaled_situations(domain_spec, chances.get("openness", 1.0), chances.get("rates"))
    with opened_hardware(seed, arm, scene) as (hardware, first, admin):
        made = domain_spec, task, hardware, first, pictures, pace
        if admin is None:
            return TabletopRobot(*made)
        raise_unsupported(untold_reasons(domain_spec, task))
        return EmulatedTabletopRobot(*made, admin=admin, situations=situations, seed=seed)


class EmulatedTabletopRobot(TabletopRobot):
    """Adds what only an emulator provides: GroundTruth, StepTruth, and randomly drawn situations."""

    def __init__(
        self,
        domain_spec: DomainSpec,
        task: Task,
        hardware: Hardware,
        first: RgbdImage,
        pictures: bool = True,
        pace: float = 0.0,
        *,
        admin: AdminClient,
        situations: Mapping[str, Sequence[Situation]],
        seed: int = 0,
    ) -> None:
        super().__init__(domain_spec, task, hardware, first, pictures, pace)
        self._admin = admin
        self._situations, self._seed = situations, seed
        self._attempts: Counter[Step] = Counter()
        self._situation = ""
        self._last_step: tuple[Step, frozenset[Atom]] | None = None  # the last step, and the facts before it
        self._view = LiveView(hardware.connect_live, self._scene)

    def _do(self, step: Step, permit: Permit, cancel: StopToken) -> StepResult:
        self._situation = ""
        self._last_step = None
        if self.arm.latch.halted or cancel.is_set():
            return super()._do(step, permit, cancel)
        with suppress(RobotError):  # if the emulator is gone, the step reports why it fails
            self._last_step = step, self.truth()
        happens = select(
            self._situations.get(step.name, ()), sample(self._seed, str(step), self._attempts[step])
        )
        self._attempts[step] += 1
        name = happens.name if happens else ""
        if name in _SLIP_HEIGHTS:
            self._admin.inject_fault(
                "slip", height=_SLIP_HEIGHTS[name], called=name, knock=self._knock_velocity(name, step)
            )
        if "grasp" in step.values:  # else it is what the proposal showed
            with suppress(BadValue):  # which the step reports
                self._show_grasp(step)
        try:
            return super()._do(step, permit, cancel)
        finally:
            self._show_ghost(None)
            if name in _SLIP_HEIGHTS:
                self._situation = self._admin.ask("truth").text("slip")
                self._admin.inject_fault("no slip")

    @property
    def views(self) -> tuple[str, ...]:
        return (VIEW,) if isinstance(self.hardware.camera, EmulatedCamera) else ()

    def live(self, camera: str) -> Frame | None:
        return self._view.latest(camera) if camera == VIEW else super().live(camera)

    # --- the ghost of the next motion ----------------------------------------------------------------------

    def candidates(self, step: Step) -> tuple[StepCandidate, ...]:
        if found := super().candidates(step):
            self._show_grasp(found[0].step, found[0].unavailable_reason)
        else:
            with suppress(RobotError):  # which the step reports
                self._show_ghost(self.skills.joints_after(*self.skill_of(step)))
        return found

    def candidate_at(self, step: Step, column: float, row: float) -> StepCandidate | None:
        if (found := super().candidate_at(step, column, row)) is not None:
            self._show_grasp(found.step, found.unavailable_reason)
        return found

    def _show_grasp(self, step: Step, blocked: str = "") -> None:
        self._show_ghost(self.skills.joints_at(Grasp.from_values(step.values["grasp"])), blocked)

    def _show_ghost(self, q: Joints | None, blocked: str = "") -> None:
        """Show the arm with these joints in the view of the whole arm, None for no ghost. Nothing moves."""
        if isinstance(camera := self.hardware.camera, EmulatedCamera):
            camera.ghost = Ghost(tuple(map(float, q)) if q is not None else (), bool(blocked))

    def _scene(self) -> object:
        """Return what the view of the whole arm shows; None while the arm's data are late. Any thread."""
        state, camera = self.arm.state, self.hardware.camera
        if state is None or self.arm.receiver.age > _LATE_S or not isinstance(camera, EmulatedCamera):
            return None
        return tuple(round(q, 3) for q in state.q), self._gripper_status, camera.ghost

    def _knock_velocity(self, situation: str, step: Step) -> tuple[float, ...]:
        """Return the velocity of a dropped thing.

        A container goes off the table, as in Figure 5, while another can be chosen.

        The last container, and a toy, stay near.
        """
        thing, containers = self.skill_of(step)[1][0], self.task.problem.of_type("container")
        places = self._thing_poses()
        others = [c for c in containers if c != thing and places[c].z > 0]
        if situation != _DROPS or thing not in containers or not others:
            return ()
        return (0.0, _KNOCK_SPEED_M_PER_S if places[thing].y > 0 else -_KNOCK_SPEED_M_PER_S, 0.0)

    def close(self) -> None:
        super().close()
        self._view.close()
        self._admin.close()

    # --- Truth and StepTruth -------------------------------------------------------------------------------

    def truth(self) -> frozenset[Atom]:
        pinched = cast(Sequence[str], self._admin.ask("truth").body["pinched"])
        return true_atoms(self.task.problem, self.table, self._thing_poses(), pinched, self.last.pixels)

    def _thing_poses(self) -> dict[str, ThingPose]:
        things = cast(Mapping[str, Sequence[float]], self._admin.ask("truth").body["things"])
        return {name: ThingPose(*values) for name, values in things.items()}

    def is_observable(self, atom: Atom) -> bool:
        return shows(atom, self.last.pixels)

    @property
    def situation(self) -> str:
        return self._situation

    def step_succeeded(self) -> bool | None:
        """Return whether the last step succeeded, by the last picture; None if it could not begin."""
        if self._last_step is None:
            return None
        step, before = self._last_step
        return worked(self.task.problem, before, self.truth(), step, self.domain_spec.bookkeeping)

    def step_possible(self, step: Step) -> bool:
        """Return True if the domain's preconditions hold, whether the arm reaches the thing or not."""
        return possible(self.task.problem, self.truth(), step, self.domain_spec.bookkeeping)
