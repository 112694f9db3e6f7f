"""The symbolic robot: every domain can be run and watched on it at once."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from time import monotonic

from core.belief import Atom
from core.cancel import Cancel
from core.domains import DomainSpec, Perception, Task
from core.errors import BadValue, Cancelled, RobotNotReady, UnknownName
from core.pictures import blank_frame, make_frame
from core.planning.outcomes import effects_hold
from core.planning_model import Step
from core.ports import BoundingBox, Embodiment, Frame, StepResult, StepStatus
from robots.halting import Latch
from robots.symbolic.paint import paint, rows_of
from robots.symbolic.understanding import understands
from robots.symbolic.world import Happening, SymbolicWorld

CAMERA = "facts"
START = "at the start"
SIDES = ("left", "right")


class SymbolicRobot:
    """Robot, Truth, StepTruth, Viewpoints and Boxes over a SymbolicWorld.

    `halt` from any thread, all else from the loop's. The eye goes with the skills that the folder marks so
    (`moves_eye`), and is named after what they take; from either side of it the same facts are written.
    `pace` is how many seconds a step takes, or a look from a side; a step that is halted on the way has not
    happened. With `pictures` False the frames are blank. Raises what SymbolicWorld raises, and BadValue for
    what it does not understand.
    """

    name = "symbolic"
    embodiment = Embodiment.SIM

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
        for reason in understands(folder, task):
            raise BadValue(reason)
        self._world = SymbolicWorld(folder, task, seed=seed, openness=openness, rates=rates)
        self._folder, self._problem = folder, task.problem
        self._sensed = tuple(_sensed_atoms(folder, task))
        self._pictures, self._pace = pictures, pace
        self._latch = Latch()
        self._situation = ""
        self._last: Happening | None = None
        self._eye = START
        self._boxes: tuple[BoundingBox, ...] = ()
        self._closed = False

    # --- Robot ----------------------------------------------------------------------------------------

    def release_stop(self, up_to: int) -> None:
        self._check_open()
        self._latch.release(up_to)

    def look(self, cancel: Cancel) -> Frame:
        self._check_open()
        cancel.check()
        return self._seen_from(self._eye)

    def _seen_from(self, viewpoint: str) -> Frame:
        if not self._pictures:
            return blank_frame(CAMERA, monotonic(), viewpoint)
        rgb, self._boxes = paint(rows_of(self._world.problem, self._world.state, self._folder.display_name))
        return make_frame(rgb, CAMERA, monotonic(), viewpoint)

    def sense(self) -> Mapping[Atom, bool]:
        return {atom: atom in self._world.state for atom in self._sensed}

    def do(self, step: Step, cancel: Cancel) -> StepResult:
        self._check_open()
        began = monotonic()
        self._situation = ""
        if self._latch.wait(self._pace, cancel):
            self._last = Happening(step, self._world.state, self._world.state, failed="halted")
            return StepResult(StepStatus.HALTED, cancel.reason or "halted", monotonic() - began)
        happened = self._last = self._world.do(step)
        self._situation = happened.situation
        skill = self._folder.skills.get(step.name)
        if skill and skill.moves_camera and not happened.failed and not happened.instead:
            self._eye = " ".join(("at", *map(self._folder.display_name, skill.relevant_args(step))))
        ending = StepStatus.FAILED if happened.failed else StepStatus.DONE
        return StepResult(ending, happened.failed, monotonic() - began)

    def halt(self) -> int:
        return self._latch.halt()

    def close(self) -> None:
        self._latch.halt()
        self._closed = True

    # --- Viewpoints -------------------------------------------------------------------------------------

    @property
    def viewpoints(self) -> tuple[str, ...]:
        return SIDES

    def look_from(self, viewpoint: str, cancel: Cancel) -> Frame:
        """The eye goes there and comes back."""
        self._check_open()
        if viewpoint not in SIDES:
            raise UnknownName("viewpoint", viewpoint, SIDES)
        if self._latch.wait(self._pace, cancel):
            raise Cancelled(cancel.reason or "halted")
        return self._seen_from(f"{self._eye}, from the {viewpoint}")

    # --- Truth, StepTruth and Boxes ---------------------------------------------------------------------

    def truth(self) -> frozenset[Atom]:
        return self._world.state

    def is_observable(self, atom: Atom) -> bool:
        """Always: every fact is written in the picture, and what is not written does not hold."""
        return True

    @property
    def situation(self) -> str:
        return self._situation

    def step_succeeded(self) -> bool | None:
        if self._last is None:
            return None
        return effects_hold(self._problem, self._last.before, self._world.state, self._last.step)

    def step_possible(self, step: Step) -> bool:
        return not self._world.why_not(step)

    def boxes(self, names: Sequence[str]) -> tuple[BoundingBox, ...]:
        wanted = frozenset(names)
        return tuple(box for box in self._boxes if box.name in wanted)

    def _check_open(self) -> None:
        if self._closed:
            raise RobotNotReady("The symbolic robot is closed: start a new episode.")


def _sensed_atoms(folder: DomainSpec, task: Task) -> Iterator[Atom]:
    """Every atom of the predicates that the folder says a sense can tell."""
    problem = task.problem
    for predicate in problem.domain.predicates:
        if folder.perception(predicate.name) is Perception.SENSE:
            for args in product(*(problem.of_type(p.type) for p in predicate.parameters)):
                yield Atom(predicate.name, args)
