"""Plans from states that no earlier plan foresaw, made of the steps that earlier plans consist of.

After a mishap the way on is mostly a few known steps and then the end of a known plan, so the search need
not consider every action of the domain (plan repair: van der Krogt and de Weerdt, ICAPS 2005). A* with the
cost of a relaxed plan as the estimate and only its first steps to go on with (FF: Hoffmann and Nebel, 2001),
over states as bits of an int. It is bounded by evaluated states, never by time, so that it finds the same on
every machine.
"""

from __future__ import annotations

from collections.abc import Iterable
from heapq import heappop, heappush
from typing import NamedTuple

from core.methods.careful.world_model import WorldModel
from core.planning import semantics
from core.planning.compiled import compiled
from core.planning.fact_bits import BitOperator
from core.planning_model import Step

Steps = tuple[Step, ...]
EVALUATIONS = 150  # states; some ten milliseconds
GREED = 2.0  # of the estimate, for a search that goes deep rather than compares the orders of the same steps
MOST_STEPS = 400  # known steps; beyond, evaluating a state takes milliseconds
UNREACHABLE = float("inf")


class _KnownStep(NamedTuple):
    """`relaxed_needs` and `gains` also have a bit for each fact that is false."""

    operator: BitOperator
    cost: float
    relaxed_needs: int
    gains: int


class PlanRepair:
    """Plans of known steps. Pure but for what it has been told; not for axioms and quantified conditions."""

    def __init__(self, world: WorldModel) -> None:
        self._world, self._problem = world, world.problem
        self._steps: dict[Step, None] = {}  # in the order in which they were met
        self._known: dict[Step, _KnownStep] = {}
        self._facts = self._goal = self._goal_forbids = 0  # all facts that matter, and those of the goal
        self._usable = not (self._problem.domain.axioms or self._problem.goal_formulas)

    def learn(self, steps: Iterable[Step]) -> None:
        """Take note of the steps of a plan, and of those that are the same to the robot."""
        before = len(self._steps)
        for step in steps:
            if step not in self._steps and len(self._steps) < MOST_STEPS:
                self._steps.update(dict.fromkeys((step, *self._world.same_to_robot(step))))
        if len(self._steps) > before and self._usable:
            self._prepare()

    def first_leading(self, state: int, plans: Iterable[tuple[float, Steps]]) -> tuple[float, Steps] | None:
        """Return the first of these plans that leads from this state to the goal; None if none does."""
        start = self._world.masks[state] & self._facts
        for cost, steps in plans:
            if self._leads(start, steps) if self._usable else self._leads_in_words(state, steps):
                return cost, steps
        return None

    def plan(self, state: int) -> Steps | None:
        """Return a plan of known steps; None if there is none, or none was found within the bound."""
        if not self._usable or not self._known:
            return None
        start = self._world.masks[state] & self._facts
        first, helpful = self._estimate(start)
        best, came = {start: 0.0}, dict[int, tuple[int, Step]]()
        waiting, evaluated = [(first, 0, start, helpful)], 1
        while waiting:
            _, _, here, helpful = heappop(waiting)
            if self._is_goal(here):
                return _way(came, here)
            for known in helpful:
                there, cost = known.operator.apply(here), best[here] + known.cost
                if cost >= best.get(there, UNREACHABLE) - 1e-9:
                    continue
                evaluated += 1
                if evaluated > EVALUATIONS:
                    return None
                best[there], came[there] = cost, (here, known.operator.step)
                left, helpful_there = self._estimate(there)
                if left < UNREACHABLE:
                    heappush(waiting, (cost + GREED * left, evaluated, there, helpful_there))
        return None

    def _is_goal(self, state: int) -> bool:
        return not (self._goal & ~state or self._goal_forbids & state)

    def _leads(self, state: int, steps: Steps) -> bool:
        for step in steps:
            known = self._known.get(step)
            if known is None or not known.operator.applicable(state):
                return False
            state = known.operator.apply(state)
        return self._is_goal(state)

    def _leads_in_words(self, number: int, steps: Steps) -> bool:
        state = self._world.states[number]
        for step in steps:
            if semantics.inapplicable_reasons(self._problem, state, step):
                return False
            state = semantics.apply(self._problem, state, step)
        return semantics.goal_holds(self._problem, state)

    def _estimate(self, state: int) -> tuple[float, list[_KnownStep]]:
        """Return the cost of a relaxed plan, in which facts and their absence are gained and never lost, and
        its steps that can be done now.
        """
        width = self._facts.bit_length()
        reached = start = state | (self._facts & ~state) << width
        goal = self._goal | self._goal_forbids << width
        layers: list[tuple[int, list[_KnownStep]]] = []  # what was gained, and by which steps
        left = list(self._known.values())
        while goal & ~reached:
            unreached, gained = ~reached, 0
            now, later = list[_KnownStep](), list[_KnownStep]()
            for op in left:
                if op.relaxed_needs & unreached:
                    later.append(op)
                else:
                    now.append(op)
                    gained |= op.gains
            gained &= unreached
            if not gained:
                return UNREACHABLE, []
            layers.append((gained, now))
            left = later
            reached |= gained
        cost, wanted, helpful = 0.0, goal & ~start, list[_KnownStep]()
        for number in range(len(layers) - 1, -1, -1):
            gained, now = layers[number]
            here = wanted & gained
            if not number:  # all that gain something wanted, not only those chosen
                helpful = [op for op in now if op.gains & here]
            for op in now:
                if op.gains & here:
                    here &= ~op.gains
                    wanted = (wanted & ~op.gains) | (op.relaxed_needs & ~start)
                    cost += op.cost
                    if not here:
                        break
        return cost, helpful

    def _prepare(self) -> None:
        """Make the operators of all known steps over the facts that matter."""
        known = compiled(self._problem)
        operators = [op for op in map(known.operator, self._steps) if op.possible]
        if any(op.has_tests for op in operators):
            self._usable = False
            return
        self._goal, self._goal_forbids = known.goal.needs, known.goal.forbids
        self._facts = _that_matter(operators, self._goal | self._goal_forbids)
        self._known = {op.step: self._known_step(op) for op in operators}

    def _known_step(self, op: BitOperator) -> _KnownStep:
        facts, width = self._facts, self._facts.bit_length()
        effects = tuple(effect for effect in op.effects if effect.fact & facts)
        op = op._replace(adds=op.adds & facts, deletes=op.deletes & facts, effects=effects)
        gains = op.adds | op.deletes << width
        for effect in effects:
            gains |= effect.fact if effect.add else effect.fact << width
        return _KnownStep(op, self._world.attempts(op.step), op.needs | op.forbids << width, gains)


def _that_matter(operators: list[BitOperator], goal: int) -> int:
    """Return the facts of the goal and of all conditions, those of effects on such facts included."""
    found, before = goal, -1
    for op in operators:
        found |= op.needs | op.forbids
    while found != before:
        before = found
        for effect in (effect for op in operators for effect in op.effects):
            if effect.fact & found:
                found |= effect.needs | effect.forbids
    return found


def _way(came: dict[int, tuple[int, Step]], end: int) -> Steps:
    steps = []
    while end in came:
        end, step = came[end]
        steps.append(step)
    return tuple(reversed(steps))
