"""The robot in an open world: the symbolic robot, which also perceives situations and what is at hand."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Unpack

from core.belief import Atom
from core.domains import DomainSpec, Perception, Task
from core.errors import UnknownName
from core.knowledge.apply import apply_changes
from core.knowledge.changes import AddObject
from core.open_world.situations import (
    draw_situation,
    hindrance,
    interpret_situation,
    random_half,
    task_situations,
    uniform_random,
)
from core.open_world.world_file import OpenSituation, OpenWorldFile, load_open_world, pddl_name, stock_items
from core.permit import Permit
from core.planning_model import Domain, Problem, Step, Typed
from core.ports import StepResult
from core.stock import StockItem
from core.stop_token import StopToken
from core.work import combinations
from robots.options import OpenWorldOptions
from robots.stochastic import Chances
from robots.symbolic.robot import SymbolicRobot
from robots.symbolic.world import SymbolicTransition, SymbolicWorld


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
        **more: Any,
    ) -> None:
        chosen = options or OpenWorldOptions.model_validate({})
        self._file = load_open_world(domain_spec)
        taken = frozenset(o.name for o in task.problem.all_objects)
        self._stock = stock_items(self._file, _at_hand(self._file, chosen.stock, task.name, seed), taken)
        chance = self._file.chance if chosen.chance is None else chosen.chance
        chance = 0.0 if chosen.situation else min(1.0, chance * openness)
        self._arising = SituationSchedule(chance, chosen.situation, seed)
        super().__init__(domain_spec, task, seed=seed, openness=0.0, **more)
        self._problem, self._task = self._world.problem, task
        self._used: set[str] = set()

    def make_world(self, domain_spec: DomainSpec, task: Task, **chances: Unpack[Chances]) -> SymbolicWorld:
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


@dataclass(frozen=True)
class SituationSchedule:
    """How situations arise: with this chance in each step, at most one, or `sentence` at the beginning."""

    chance: float
    sentence: str = ""
    seed: int = 0


class OpenWorld(SymbolicWorld):
    """Simulates one episode. In it every thing can be used as any other of its sort.

    What nobody would accept is done all the same, and the goal is then not reached. Not thread-safe.
    """

    def __init__(
        self,
        domain_spec: DomainSpec,
        task: Task,
        world: OpenWorldFile,
        stock: tuple[StockItem, ...],
        arising: SituationSchedule,
    ) -> None:
        wide = replace(task, world_problem=with_stock(task.problem, stock))
        super().__init__(domain_spec, wide, seed=arising.seed, openness=0.0)
        self._domain_spec, self._task, self._file = domain_spec, task, world
        self._kinds = {item.name: item.kind for item in stock}
        self._all, self._arising = task_situations(world, task.name), arising
        self._begun: set[tuple[str, tuple[str, ...]]] = set()
        self._steps = 0
        self.in_force: OpenSituation | None = None
        self.arisen = False
        self.accepted = True  # nothing was done that nobody would accept
        if arising.sentence:
            self._arise(interpret_situation(world, domain_spec, task.problem, task.name, arising.sentence))

    @property
    def goal_is_judged(self) -> frozenset[Atom]:
        """Return the true state, in which no goal holds after what nobody would accept."""
        if self.accepted:
            return self.state
        return self.state - {g.atom for g in self._task.problem.goal if g.positive}

    def do(self, step: Step) -> SymbolicTransition:
        before = self.state
        if (came := self._coming(step)) is not None:
            self._arise(came)
            return SymbolicTransition(step, before, self.state, came.kind, failure=came.sentence)
        now = self.in_force
        how = hindrance(self._file, now, step.name, step.args) if now else ""
        if now is not None and how == "fails":
            return SymbolicTransition(step, before, before, failure=now.sentence)
        done = super().do(step)
        if not done.failure:
            self.accepted = self.accepted and how != "spoils" and self._is_acceptable(step)
            self._repair(step)
        return done

    def _coming(self, step: Step) -> OpenSituation | None:
        """Return the situation that arises as this step begins: one that belongs to it, or to a later one."""
        self._steps += 1
        arising = self._arising
        fits = [s for s in self._all if s.action == step.name and (not s.object or s.object in step.args)]
        later = [
            s
            for s in self._all
            if not any(a == s.action and (not s.object or s.object in o) for a, o in self._begun)
        ]
        self._begun.add((step.name, step.args))
        if (
            self.arisen
            or uniform_random(arising.seed, self._task.name, "arises", self._steps) >= arising.chance
        ):
            return None
        luck = uniform_random(arising.seed, self._task.name, "which", self._steps)
        return draw_situation(self._file, fits or later, self._all, luck)

    def _arise(self, situation: OpenSituation) -> None:
        self.arisen, self.in_force = True, situation
        kind = self._file.kinds.get(situation.kind)
        if kind and kind.effect == "gone":
            self.state = frozenset(a for a in self.state if situation.object not in a.args)

    def _is_acceptable(self, step: Step) -> bool:
        """Return True if each thing at hand in this step is one that a person would accept in its role."""
        parameters = self._task.problem.domain.action(step.name).parameters
        domain = self._task.problem.domain
        return all(
            self._file.accepts(domain, parameter.type, self._kinds[name])
            for name, parameter in zip(step.args, parameters, strict=True)
            if name in self._kinds
        )

    def _repair(self, step: Step) -> None:
        now = self.in_force
        if now is None or step.name != self._file.repair_skill or now.object not in step.args:
            return
        type = next(o.type for o in self._task.problem.all_objects if o.name == now.object)
        if any(self._file.mends(self._kinds.get(arg, ""), now.kind, type) for arg in step.args):
            self.in_force = None


def with_stock(problem: Problem, stock: tuple[StockItem, ...]) -> Problem:
    """Return the problem with everything at hand, where a thing can be used as any other of its sort."""
    domain = problem.domain
    types = set(domain.types)
    for item in stock:
        sorts = (item.sort, *_below(domain, item.sort))
        above = (t for t in sorts if t != item.kind and not domain.is_a(t, item.kind))
        types.update(Typed(item.kind, type) for type in above)
    wide = replace(problem, domain=replace(domain, types=tuple(sorted(types))))
    return apply_changes(wide, tuple(AddObject(i.name, i.kind, i.facts) for i in stock))


def _below(domain: Domain, sort: str) -> tuple[str, ...]:
    return tuple(t.name for t in domain.types if t.name != sort and domain.is_a(t.name, sort))
