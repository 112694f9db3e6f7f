"""The robots that `test_conformance.py` tries, and what happens in an episode with one of them."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import product
from pathlib import Path

import pytest

from core.belief import Atom
from core.domains import DomainSpec, Task
from core.planning import domain_library, semantics
from core.planning_model import Step
from core.plugins import PLUGINS_VARIABLE
from core.ports import (
    GroundTruth,
    Robot,
    StepStatus,
)
from core.robots import ConformanceTrial, RobotEntry
from core.stop_token import StopToken
from robots.registry import ROBOTS
from tests.core.planning.walks import random_walk
from tests.permitted import do

ROOT = Path(__file__).parents[2]
EXAMPLES = ROOT / "docs" / "examples" / "plugins"
DOMAINS = Path(__file__).parent / "symbolic" / "domains"


def blocks() -> tuple[DomainSpec, Task]:
    folder = domain_library.load_pddl_pair(
        DOMAINS / "blocks" / "domain.pddl", DOMAINS / "blocks" / "problem.pddl"
    )
    return folder, next(iter(folder.tasks.values()))


@dataclass(frozen=True)
class Case:
    """A robot at the start of a task. `shared` are options that name an arm which serves several tests, one
    after the other; its things are moved by none of them. `quick`: fewer steps, for an arm in real time."""

    robot: RobotEntry
    at: Callable[[], tuple[DomainSpec, Task]]
    pictures: bool = True
    options: Mapping[str, str] = field(default_factory=dict, hash=False)
    shared: Mapping[str, str] = field(default_factory=dict, hash=False)
    quick: bool = False
    steps: int = 12  # of an episode

    @contextmanager
    def made(
        self, seed: int = 0, openness: float = 0.0, pace: float = 0.0, fresh: bool = False
    ) -> Iterator[Robot]:
        """`fresh`: it must have done nothing yet; else it may have served another test."""
        robot = self.make(seed, openness, pace)
        try:
            yield robot
        finally:
            robot.close()

    def make(self, seed: int = 0, openness: float = 0.0, pace: float = 0.0) -> Robot:
        folder, task = self.at()
        return self.robot.make(
            options=self.robot.read_options({**self.options, **(self.shared if seed == 0 else {})}),
            domain_spec=folder,
            task=task,
            seed=seed,
            openness=openness,
            rates=None,
            pictures=self.pictures,
            pace=pace,
        )

    def possible(self) -> Step:
        """A step that can be done at the start."""
        _, task = self.at()
        return semantics.applicable_steps(task.problem, task.problem.state)[0]

    def walk(self) -> tuple[Step, ...]:
        _, task = self.at()
        return random_walk(task.problem, 5 if self.quick else self.steps, 1)


def cases() -> dict[str, Case]:
    """Every robot with trials, also those of the examples and of a person's own plug-ins, with pictures and
    without."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(PLUGINS_VARIABLE, str(EXAMPLES), prepend=os.pathsep)
        trials = [(entry, trial) for entry in ROBOTS for trial in entry.trials]
    found = {"symbolic on any domain": Case(ROBOTS["symbolic"], blocks)}
    for (entry, trial), pictures in product(trials, (True, False)):
        at = partial(place, trial)
        name = f"{entry.name}{'' if pictures else ' without pictures'}"
        while name in found:
            name += " again"
        found[name] = Case(entry, at, pictures, trial.options, steps=6 if pictures else 12)
    return found


def place(trial: ConformanceTrial) -> tuple[DomainSpec, Task]:
    if not trial.domain:
        return domain_library.load_task(trial.task)
    folder = domain_library.load_domain_spec(trial.domain)
    return folder, folder.tasks[trial.task or next(iter(folder.tasks))]


CASES = cases()


def truth_of(robot: Robot) -> object:
    """The truth, as far as this robot has one to compare."""
    return robot.truth() if isinstance(robot, GroundTruth) else None


@dataclass(frozen=True)
class Told:
    """What is known at the beginning or after a step."""

    status: StepStatus | None
    situation: str
    truth: frozenset[Atom] | None
    senses: Mapping[Atom, bool]
    viewpoint: str

    def without_pose(self) -> Told:
        return replace(self, viewpoint="")


FIRST: dict[str, list[Told]] = {}


def first_episode(case: Case) -> list[Told]:
    """What several tests look at or compare with; an arm takes its time for it."""
    key = repr(case)
    if key not in FIRST:
        FIRST[key] = episode(case)
    return FIRST[key]


def episode(case: Case) -> list[Told]:
    """What happens in some steps, with much going wrong.

    Nobody halts the robot here. An arm may do so by itself on a machine that is too busy for it; then it has
    another go.
    """
    for _ in range(3 if case.shared else 1):
        with case.made(seed=5, openness=1.75) as robot:
            happened = [told(robot, None)]
            for step in case.walk():
                outcome = do(robot, step)
                if outcome.status is StepStatus.HALTED:
                    break
                happened.append(told(robot, outcome.status))
            else:
                return happened
    raise AssertionError(f"it halted by itself: {outcome.detail}")


def told(robot: Robot, status: StepStatus | None) -> Told:
    situation, truth = (robot.situation, robot.truth()) if isinstance(robot, GroundTruth) else ("", None)
    return Told(status, situation, truth, dict(robot.sense()), robot.look(StopToken()).viewpoint)
