"""The symbolic robot: every domain can be run and watched on it without further preparation."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from time import monotonic
from typing import Unpack

from core.belief import Atom
from core.domains import DomainSpec, Perception, Task
from core.errors import BadValue, Cancelled, UnknownName
from core.permit import Permit, PermitKind
from core.pictures import blank_frame, make_frame
from core.planning.domain_toml import with_truth
from core.planning.outcomes import effects_hold
from core.planning_model import Step
from core.ports import BoundingBox, Frame, StepResult, StepStatus
from core.stop_token import StopToken
from core.work import combinations
from robots.simulated_robot import SimulatedRobot
from robots.stochastic import Chances
from robots.symbolic.world import SymbolicTransition, SymbolicWorld, unsupported_reasons

CAMERA = "facts"
INITIAL_VIEWPOINT = "at the start"
SIDE_VIEWPOINTS = ("left", "right")


class SymbolicRobot(SimulatedRobot):
    """Implements Robot, GroundTruth, StepTruth, SupportsViewpoints and ProvidesBoxes over a SymbolicWorld.

    `halt` may be called from any thread, everything else from the loop's. The viewpoint changes with the
    skills that the domain's files declare to move the camera, and is named after their arguments; the facts
    in the picture are the same from every side. `pace` is the number of seconds that a step, or a look from a
    side, takes; a step that is halted before it ends has not happened. With `pictures` False the frames are
    blank. With `truth` the world differs from the folder: a file of its `truth` folder by name, or another
    by its path. Raises what SymbolicWorld raises, and BadValue for a task that the robot does not support.
    """

    name, title = "symbolic", "symbolic robot"

    def __init__(
        self,
        domain_spec: DomainSpec,
        task: Task,
        *,
        pictures: bool = True,
        pace: float = 0.0,
        truth: str = "",
        **chances: Unpack[Chances],
    ) -> None:
        super().__init__()
        for reason in unsupported_reasons(domain_spec, task):
            raise BadValue(reason)
        world = with_truth(domain_spec, _truth_file(domain_spec, truth)) if truth else domain_spec
        self._world = self.make_world(world, task, **chances)
        self._domain_spec, self._problem = domain_spec, task.problem
        self._sensed = tuple(_sensed_atoms(domain_spec, task))
        self._pictures, self._pace = pictures, pace
        self._last_transition: SymbolicTransition | None = None
        self._viewpoint = INITIAL_VIEWPOINT
        self._boxes: tuple[BoundingBox, ...] = ()

    def make_world(self, domain_spec: DomainSpec, task: Task, **chances: Unpack[Chances]) -> SymbolicWorld:
        return SymbolicWorld(domain_spec, task, **chances)

    # --- Robot ----------------------------------------------------------------------------------------

    def look(self, cancel: StopToken) -> Frame:
        self._check_open()
        cancel.check()
        return self._render_from(self._viewpoint)

    def _render_from(self, viewpoint: str) -> Frame:
        if not self._pictures:
            return blank_frame(CAMERA, monotonic(), viewpoint)
        from robots.symbolic.fact_picture import draw_rows, fact_rows  # trials without pictures need no numpy

        rgb, self._boxes = draw_rows(
            fact_rows(self._world.problem, self._world.state, self._domain_spec.display_name)
        )
        return make_frame(rgb, CAMERA, monotonic(), viewpoint)

    def sense(self) -> Mapping[Atom, bool]:
        return {atom: atom in self._world.state for atom in self._sensed}

    def do(self, step: Step, permit: Permit, cancel: StopToken) -> StepResult:
        self._check_open()
        self.permits.redeem(permit, step, PermitKind.STEP, PermitKind.RESTORE)
        began = monotonic()
        self.situation = ""
        if self._latch.wait(self._pace, cancel):
            self._last_transition = SymbolicTransition(
                step, self._world.state, self._world.state, failure="halted"
            )
            return StepResult(StepStatus.HALTED, cancel.reason or "halted", monotonic() - began)
        transition = self._last_transition = self._world.do(step)
        self.situation = transition.situation
        skill = self._domain_spec.skills.get(step.name)
        if skill and skill.moves_camera and not transition.failure and not transition.replaces_effect:
            self._viewpoint = " ".join(
                ("at", *map(self._domain_spec.display_name, skill.relevant_args(step)))
            )
        felt = transition.situation if skill and transition.situation in skill.detects else ""
        failure = transition.failure or felt
        ending = StepStatus.FAILED if failure else StepStatus.DONE
        return StepResult(ending, failure, monotonic() - began)

    # --- Viewpoints -------------------------------------------------------------------------------------

    @property
    def viewpoints(self) -> tuple[str, ...]:
        return SIDE_VIEWPOINTS

    def look_from(self, viewpoint: str, permit: Permit, cancel: StopToken) -> Frame:
        """Move to the viewpoint, take a frame and come back."""
        self._check_open()
        self.permits.redeem(permit, viewpoint, PermitKind.LOOK)
        if viewpoint not in SIDE_VIEWPOINTS:
            raise UnknownName("viewpoint", viewpoint, SIDE_VIEWPOINTS)
        if self._latch.wait(self._pace, cancel):
            raise Cancelled(cancel.reason or "halted")
        return self._render_from(f"{self._viewpoint}, from the {viewpoint}")

    # --- Truth, StepTruth and Boxes ---------------------------------------------------------------------

    def truth(self) -> frozenset[Atom]:
        return self._world.state

    def is_observable(self, atom: Atom) -> bool:
        """Always return True: every true fact is written in the picture, and what is not written is false."""
        return True

    def step_succeeded(self) -> bool | None:
        if self._last_transition is None:
            return None
        return effects_hold(
            self._problem, self._last_transition.before, self._world.state, self._last_transition.step
        )

    def step_possible(self, step: Step) -> bool:
        return not self._world.unmet_preconditions(step)

    def boxes(self, names: Sequence[str]) -> tuple[BoundingBox, ...]:
        wanted = frozenset(names)
        return tuple(box for box in self._boxes if box.name in wanted)


def _truth_file(domain_spec: DomainSpec, name: str) -> Path:
    """Return the file of a truth by its name in the folder, or by its path. Raises UnknownName."""
    there = (domain_spec.path or Path()) / "truth"
    known = {file.stem: file for file in there.glob("*.toml")}
    if name not in known and not name.endswith(".toml"):
        raise UnknownName("truth", name, known)
    return known.get(name, Path(name))


def _sensed_atoms(domain_spec: DomainSpec, task: Task) -> Iterator[Atom]:
    """Yield every atom of the predicates that the domain's files mark as sensed."""
    problem = task.problem
    for predicate in problem.domain.predicates:
        if domain_spec.perception(predicate.name) is Perception.SENSE:
            for args in combinations([problem.of_type(p.type) for p in predicate.parameters]):
                yield Atom(predicate.name, args)
