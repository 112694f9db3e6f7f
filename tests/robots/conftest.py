"""What the tests of robots share: the shipped household, two domains nobody planned for, a small driver."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest

from core.belief import Atom
from core.domains import DomainSpec, Task
from core.planning import domain_library
from core.planning_model import Step
from robots import opengl
from robots.kitchen.household.household import Household
from robots.kitchen.household.state import HouseholdTransition

HERE = Path(__file__).parent
DOMAINS = HERE / "symbolic" / "domains"


class Home:
    """A household World, driven by action and thing; agent, room and liquid are filled in by type."""

    def __init__(self, folder: DomainSpec, task: Task, **options: object) -> None:
        self.folder, self.task, self.options = folder, task, options
        self.problem = task.problem
        self.world = Household(folder, task, **options)  # type: ignore[arg-type]

    def again(self, **options: object) -> Home:
        """Another world in this one's state."""
        other = Home(self.folder, self.task, **{**self.options, **options})
        other.world.state = self.world.state
        return other

    def one(self, type: str, number: int = 0) -> str:
        return self.problem.of_type(type)[number]

    def step(self, action: str, *things: str) -> Step:
        domain, given = self.problem.domain, list(things)
        args = []
        for parameter in domain.action(action).parameters:
            kind = next((t for t in ("agent", "room", "liquid") if domain.is_a(parameter.type, t)), None)
            if kind == "room":
                args.append(self.room(things[0]))
            else:
                args.append(self.one(kind) if kind else given.pop(0))
        assert not given, f"{action} takes fewer things than {things}"
        return Step(action, tuple(args))

    def room(self, thing: str) -> str:
        """Where the thing can be found, or any room if it is hidden."""
        known = (a.args[1] for a in self.world.truth() if a.predicate == "inroom" and a.args[0] == thing)
        return next(known, self.one("room"))

    def do(self, action: str, *things: str) -> HouseholdTransition:
        return self.world.do(self.step(action, *things))

    def went_well(self, action: str, *things: str) -> None:
        happening = self.do(action, *things)
        assert happening.succeeded, happening.reason

    def holds(self, predicate: str, *args: str) -> bool:
        return Atom(predicate, args) in self.world.truth()

    def sees(self, thing: str) -> bool:
        return self.holds("inview", self.one("agent"), thing)

    def holds_in_hand(self, thing: str) -> bool:
        return self.holds("inhand", self.one("agent"), thing)


@cache
def _task(name: str, variant: str | None) -> tuple[DomainSpec, Task]:
    return domain_library.load_task(name, variant)


@pytest.fixture
def home() -> Callable[..., Home]:
    """home("boil_water", variant="printed", openness=0) -> Home; nothing goes wrong unless asked for."""

    def make(task: str = "boil_water", *, variant: str | None = None, **options: object) -> Home:
        folder, found = _task(task, variant)
        return Home(folder, found, **{"openness": 0.0, **options})

    return make


@pytest.fixture
def pair() -> Callable[[str], tuple[DomainSpec, Task]]:
    """pair("blocks") -> a folder made of two plain PDDL files, and its one task."""

    def read(name: str) -> tuple[DomainSpec, Task]:
        folder = domain_library.load_pddl_pair(
            DOMAINS / name / "domain.pddl", DOMAINS / name / "problem.pddl"
        )
        (task,) = folder.tasks.values()
        return folder, task

    return read


@pytest.fixture
def needs_gl() -> None:
    if not opengl.backend():
        pytest.skip(opengl.REMEDY)
