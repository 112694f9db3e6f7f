"""An example robot, which moves from cell to cell and sweeps. docs/write-a-robot.md explains it."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from time import monotonic

import numpy as np
from pydantic import Field

from core.belief import Atom
from core.domains import DomainSpec, Task
from core.errors import RobotNotReady
from core.permit import Permit, PermitKind, PermitLedger
from core.pictures import blank_frame, make_frame
from core.planning_model import Step
from core.ports import Embodiment, Frame, StepResult, StepStatus
from core.registry import Options
from core.robots import ConformanceTrial, RobotEntry, simulated_embodiment
from core.stop_token import StopToken
from robots.stochastic import sample
from robots.stop_latch import Latch
from robots.task_support import missing_features, raise_unsupported

DOMAIN = Path(__file__).parents[1] / "grid"
CAMERA = "overhead"
FLOOR, DONE, ME = (238, 238, 232), (150, 200, 150), (40, 90, 200)
CELL = 64  # pixels


class GridOptions(Options):
    slip: float = Field(
        0.1, ge=0, le=1, title="Slips", description="Probability that a move has no effect, at openness 1."
    )


class GridRobot:
    """Implements Robot, GroundTruth and StepTruth. Only `halt` may be called from any thread."""

    name = "grid"
    embodiment = Embodiment.SIM

    def __init__(self, task: Task, seed: int, slip: float, pictures: bool, pace: float) -> None:
        self._still = frozenset(a for a in task.problem.state if a.predicate == "next")
        (self._at,) = (a.args[0] for a in task.problem.state if a.predicate == "at")
        self._swept = {a.args[0] for a in task.problem.state if a.predicate == "swept"}
        self._cells = task.problem.of_type("cell")
        self._seed, self._slip, self._pictures, self._pace = seed, slip, pictures, pace
        self._latch, self._closed = Latch(), False
        self.permits = PermitLedger(self._latch.last_halt)
        self._tries: dict[Step, int] = {}
        self._situation = ""
        self._worked: bool | None = None

    # --- Robot -------------------------------------------------------------------------------------------

    def release_stop(self, up_to: int) -> None:
        self._check_open()
        self._latch.release(up_to)

    def look(self, cancel: StopToken) -> Frame:
        self._check_open()
        cancel.check()
        viewpoint = f"over {self._at}"
        if not self._pictures:
            return blank_frame(CAMERA, monotonic(), viewpoint)
        return make_frame(self._painted(), CAMERA, monotonic(), viewpoint)

    def sense(self) -> Mapping[Atom, bool]:
        return {}

    def do(self, step: Step, permit: Permit, cancel: StopToken) -> StepResult:
        self._check_open()
        self.permits.redeem(permit, step, PermitKind.STEP, PermitKind.RESTORE)
        began, self._situation, self._worked = monotonic(), "", False
        if self._latch.wait(self._pace, cancel):
            return StepResult(StepStatus.HALTED, cancel.reason or "halted", monotonic() - began)
        if not self.step_possible(step):
            return StepResult(
                StepStatus.FAILED, f"{step} cannot be done from {self._at}", monotonic() - began
            )
        tries = self._tries[step] = self._tries.get(step, 0) + 1
        if step.name == "sweep":
            self._swept.add(self._at)
        elif sample(self._seed, str(step), tries) < self._slip:
            self._situation = "it slips"  # and believes that it has moved
        else:
            self._at = step.args[1]
        self._worked = not self._situation
        return StepResult(StepStatus.DONE, "", monotonic() - began)

    def halt(self) -> int:
        return self._latch.halt()

    def close(self) -> None:
        self._latch.halt()
        self._closed = True

    def _check_open(self) -> None:
        if self._closed:
            raise RobotNotReady("The grid robot is closed: start a new episode.")

    # --- Truth and StepTruth -------------------------------------------------------------------------------

    def truth(self) -> frozenset[Atom]:
        return self._still | {Atom("at", (self._at,))} | {Atom("swept", (c,)) for c in self._swept}

    def is_observable(self, atom: Atom) -> bool:
        return True

    @property
    def situation(self) -> str:
        return self._situation

    def step_succeeded(self) -> bool | None:
        return self._worked

    def step_possible(self, step: Step) -> bool:
        match step.name, step.args:
            case "move", (here, _):
                return here == self._at and Atom("next", step.args) in self._still
            case "sweep", (here,):
                return here == self._at
        return False

    # --- its picture -------------------------------------------------------------------------------------

    def _painted(self) -> np.ndarray:
        """Return a picture of 256 x 256 pixels; cell c12 is in row 1, column 2."""
        rgb = np.full((256, 256, 3), 90, np.uint8)
        for cell in self._cells:
            y, x = (int(digit) * CELL for digit in cell[1:])
            rgb[y + 2 : y + CELL - 2, x + 2 : x + CELL - 2] = DONE if cell in self._swept else FLOOR
            if cell == self._at:
                rgb[y + 16 : y + CELL - 16, x + 16 : x + CELL - 16] = ME
        return rgb


def fits(domain_spec: DomainSpec, task: Task) -> tuple[str, ...]:
    """Return why the robot cannot do a task, one sentence each; () if it can."""
    predicates = {"at": 1, "next": 2, "swept": 1}  # with the number of their arguments
    return missing_features(
        "It", domain_spec, task, predicates, lambda action: action.name in ("move", "sweep")
    )


def make(
    options: GridOptions,
    *,
    domain_spec: DomainSpec,
    task: Task,
    seed: int,
    openness: float,
    pictures: bool,
    pace: float,
    **_: object,
) -> GridRobot:
    raise_unsupported(fits(domain_spec, task))
    return GridRobot(task, seed, options.slip * openness, pictures, pace)


ENTRIES = {
    "robots": [
        RobotEntry(
            "grid",
            "Grid robot",
            "An example: it goes from cell to cell and sweeps.",
            make,
            GridOptions,
            incompatibilities=fits,
            embodiment=simulated_embodiment,
            trials=(ConformanceTrial(domain=str(DOMAIN)),),
        )
    ]
}
