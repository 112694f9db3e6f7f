"""The robot in an open world: the symbolic robot, which also perceives situations and what is at hand."""

from __future__ import annotations

from collections.abc import Mapping

from core.belief import Atom
from core.domains import DomainSpec, Perception, Task
from core.errors import UnknownName
from core.open_world.situations import random_half
from core.open_world.world_file import OpenWorldFile, load_open_world, pddl_name, stock_items
from core.permit import Permit
from core.planning_model import Step
from core.ports import StepResult
from core.stock import StockItem
from core.stop_token import StopToken
from core.work import combinations
from robots.open_world.options import OpenWorldOptions
from robots.open_world.world import OpenWorld, SituationSchedule
from robots.symbolic.robot import SymbolicRobot
from robots.symbolic.world import SymbolicWorld


class OpenWorldRobot(SymbolicRobot):
    """Implements NoticesSituations and KnowsStock besides what the symbolic robot implements."""

    name = "open-world"

    def __init__(
        self,
        domain_spec: DomainSpec,
        task: Task,
        *,
        options: OpenWorldOptions | None = None,
        seed: int = 0,
        openness: float = 1.0,
        rates: Mapping[str, float] | None = None,
        pictures: bool = True,
        pace: float = 0.0,
    ) -> None:
        chosen = options or OpenWorldOptions.model_validate({})
        self._file = load_open_world(domain_spec)
        taken = frozenset(o.name for o in task.problem.all_objects)
        self._stock = stock_items(self._file, _at_hand(self._file, chosen.stock, task.name, seed), taken)
        chance = self._file.chance if chosen.chance is None else chosen.chance
        chance = 0.0 if chosen.situation else min(1.0, chance * openness)
        self._arising = SituationSchedule(chance, chosen.situation, seed)
        super().__init__(
            domain_spec, task, seed=seed, openness=0.0, rates=rates, pictures=pictures, pace=pace
        )
        self._problem, self._task = self._world.problem, task
        self._used: set[str] = set()

    def make_world(
        self,
        domain_spec: DomainSpec,
        task: Task,
        seed: int,
        openness: float,
        rates: Mapping[str, float] | None,
    ) -> SymbolicWorld:
        self._open = OpenWorld(domain_spec, task, self._file, self._stock, self._arising)
        return self._open

    # --- what it perceives --------------------------------------------------------------------------------

    def situations(self) -> tuple[str, ...]:
        return (self._open.in_force.sentence,) if self._open.in_force else ()

    def stock(self) -> tuple[StockItem, ...]:
        return self._stock

    def do(self, step: Step, permit: Permit, cancel: StopToken) -> StepResult:
        new = {item.name for item in self._stock}.intersection(step.args) - self._used
        if new:
            self._used |= new
            self._sensed = (*self._sensed, *self._atoms_of(new))
        return super().do(step, permit, cancel)

    def _atoms_of(self, new: set[str]) -> list[Atom]:
        """Return the sensed atoms about these things from now on; those not in use need no look."""
        problem = self._world.problem
        known = {o.name for o in self._task.problem.all_objects} | self._used
        found = []
        for predicate in self._task.problem.domain.predicates:
            if self._domain_spec.perception(predicate.name) is Perception.SENSE:
                terms = [[n for n in problem.of_type(p.type) if n in known] for p in predicate.parameters]
                found += [
                    Atom(predicate.name, args) for args in combinations(terms) if new.intersection(args)
                ]
        return found

    # --- the truth ----------------------------------------------------------------------------------------

    def truth(self) -> frozenset[Atom]:
        return self._open.goal_is_judged

    @property
    def true_state(self) -> frozenset[Atom]:
        """Return the state of the world as it is, whatever anybody would accept."""
        return self._open.state


def _at_hand(world: OpenWorldFile, chosen: tuple[str, ...], task: str, seed: int) -> tuple[str, ...]:
    """Return the kinds at hand. Raises UnknownName for a thing that the domain does not list."""
    known = world.kinds_of_things()
    if not chosen:
        return random_half(known, seed, task)
    found = []
    for thing in map(pddl_name, chosen):
        fits = [k for k in known if k == thing] or [k for k in known if thing in k.split("_")]
        if not fits:
            raise UnknownName("thing", thing, known)
        found.append(min(fits, key=len))
    return tuple(dict.fromkeys(found))
