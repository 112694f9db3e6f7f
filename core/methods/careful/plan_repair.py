"""Plans from states that no earlier plan foresaw, made of the steps that earlier plans consist of.

After a mishap the way on is mostly a few known steps and then the end of a known plan, so the search need
not consider every action of the domain (plan repair: van der Krogt and de Weerdt, ICAPS 2005). A* with the
cost of a relaxed plan as the estimate and only its first steps to go on with (FF: Hoffmann and Nebel, 2001),
over states as bits of an int. It is bounded by evaluated states, never by time, so that it finds the same on
every machine.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from heapq import heappop, heappush

from core.belief import Atom
from core.methods.careful.world_model import State, WorldModel
from core.planning import semantics
from core.planning.ground import GroundOperator
from core.planning_model import Step

Steps = tuple[Step, ...]
EVALUATIONS = 150  # states; some ten milliseconds
GREED = 2.0  # of the estimate, for a search that goes deep rather than compares the orders of the same steps
MOST_STEPS = 400  # known steps; beyond, evaluating a state takes milliseconds
UNREACHABLE = float("inf")


@dataclass(frozen=True)
class _Operator:
    """A ground step over bits. `relaxed_needs` and `gains` also have a bit for each fact that is false."""

    step: Step
    cost: float
    needs: int
    forbids: int
    adds: int
    deletes: int
    conditional: tuple[tuple[int, int, int, bool], ...]  # needs, forbids, fact, whether it is added
    relaxed_needs: int
    gains: int

    def applicable(self, state: int) -> bool:
        return state & self.needs == self.needs and not state & self.forbids

    def apply(self, state: int) -> int:
        adds, deletes = self.adds, self.deletes
        for needs, forbids, fact, add in self.conditional:
            if state & needs == needs and not state & forbids:
                if add:
                    adds |= fact
                else:
                    deletes |= fact
        return state & ~deletes | adds


class PlanRepair:
    """Plans of known steps. Pure but for what it has been told; not for axioms and quantified conditions."""

    def __init__(self, world: WorldModel) -> None:
        self._world, self._problem = world, world.problem
        self._steps: dict[Step, None] = {}  # in the order in which they were met
        self._operators: list[_Operator] = []
        self._by_step: dict[Step, _Operator] = {}
        self._bits: dict[Atom, int] = {}
        self._width = self._all = self._goal = self._goal_forbids = 0
        self._usable = not (self._problem.domain.axioms or self._problem.goal_formulas)

    def learn(self, steps: Iterable[Step]) -> None:
        """Take note of the steps of a plan, and of those that are the same to the robot."""
        before = len(self._steps)
        for step in steps:
            if step not in self._steps and len(self._steps) < MOST_STEPS:
                self._steps.update(dict.fromkeys((step, *self._world.same_to_robot(step))))
        if len(self._steps) > before and self._usable:
            self._prepare()

    def first_leading(self, state: State, plans: Iterable[tuple[float, Steps]]) -> tuple[float, Steps] | None:
        """Return the first of these plans that leads from this state to the goal; None if none does."""
        start = self._mask(state) if self._usable else 0
        for cost, steps in plans:
            if self._leads(start, steps) if self._usable else self._leads_in_words(state, steps):
                return cost, steps
        return None

    def plan(self, state: State) -> Steps | None:
        """Return a plan of known steps; None if there is none, or none was found within the bound."""
        if not self._usable or not self._operators:
            return None
        start = self._mask(state)
        first, helpful = self._estimate(start)
        best, came = {start: 0.0}, dict[int, tuple[int, Step]]()
        waiting, evaluated = [(first, 0, start, helpful)], 1
        while waiting:
            _, _, here, helpful = heappop(waiting)
            if self._is_goal(here):
                return _way(came, here)
            for operator in helpful:
                there, cost = operator.apply(here), best[here] + operator.cost
                if cost >= best.get(there, UNREACHABLE) - 1e-9:
                    continue
                evaluated += 1
                if evaluated > EVALUATIONS:
                    return None
                best[there], came[there] = cost, (here, operator.step)
                left, helpful_there = self._estimate(there)
                if left < UNREACHABLE:
                    heappush(waiting, (cost + GREED * left, evaluated, there, helpful_there))
        return None

    def _is_goal(self, state: int) -> bool:
        return state & self._goal == self._goal and not state & self._goal_forbids

    def _mask(self, state: State) -> int:
        bits = self._bits
        return sum(bits[atom] for atom in state if atom in bits)

    def _leads(self, state: int, steps: Steps) -> bool:
        for step in steps:
            operator = self._by_step.get(step)
            if operator is None or not operator.applicable(state):
                return False
            state = operator.apply(state)
        return self._is_goal(state)

    def _leads_in_words(self, state: State, steps: Steps) -> bool:
        for step in steps:
            if semantics.inapplicable_reasons(self._problem, state, step):
                return False
            state = semantics.apply(self._problem, state, step)
        return semantics.goal_holds(self._problem, state)

    def _estimate(self, state: int) -> tuple[float, list[_Operator]]:
        """Return the cost of a relaxed plan, in which facts and their absence are gained and never lost, and
        its steps that can be done now.
        """
        reached = start = state | (self._all & ~state) << self._width
        goal = self._goal | self._goal_forbids << self._width
        layers: list[tuple[int, list[_Operator]]] = []  # what was gained, and by which operators
        left = self._operators
        while goal & ~reached:
            unreached, gained = ~reached, 0
            now, later = list[_Operator](), list[_Operator]()
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
        cost, wanted, helpful = 0.0, goal & ~start, list[_Operator]()
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
        """Number the facts that matter and make the operators of all known steps."""
        problem = self._problem
        grounded = [semantics.ground_operator(problem, step) for step in self._steps]
        grounded = [g for g in grounded if g.possible]
        if any(g.formulas or any(when.formulas for when in g.conditional_effects) for g in grounded):
            self._usable = False
            return
        wanted = {literal.atom: literal.positive for literal in problem.goal}
        bits = {atom: 1 << n for n, atom in enumerate(_that_matter(grounded, wanted))}
        self._bits, self._width, self._all = bits, len(bits), (1 << len(bits)) - 1
        self._goal = self._mask(frozenset(atom for atom, so in wanted.items() if so))
        self._goal_forbids = self._mask(frozenset(atom for atom, so in wanted.items() if not so))
        self._operators = [self._operator(g) for g in grounded]
        self._by_step = {op.step: op for op in self._operators}

    def _operator(self, ground: GroundOperator) -> _Operator:
        mask, bits, width = self._mask, self._bits, self._width
        needs, forbids = mask(ground.needs), mask(ground.forbids)
        adds, deletes = mask(ground.adds), mask(ground.deletes)
        whens = tuple(
            (mask(w.needs), mask(w.forbids), bits[w.atom], w.add)
            for w in ground.conditional_effects
            if w.atom in bits
        )
        gains = adds | deletes << width
        for _, _, fact, add in whens:
            gains |= fact if add else fact << width
        cost = self._world.attempts(ground.step)
        relaxed = needs | forbids << width
        return _Operator(ground.step, cost, needs, forbids, adds, deletes, whens, relaxed, gains)


def _that_matter(operators: list[GroundOperator], goal: Iterable[Atom]) -> list[Atom]:
    """Return the facts of the goal and of all conditions, those of effects on such facts included."""
    found = set(goal).union(*(g.needs | g.forbids for g in operators))
    size = -1
    while len(found) > size:
        size = len(found)
        whens = [w for g in operators for w in g.conditional_effects if w.atom in found]
        found = found.union(*(w.needs | w.forbids for w in whens))
    return sorted(found)


def _way(came: dict[int, tuple[int, Step]], end: int) -> Steps:
    steps = []
    while end in came:
        end, step = came[end]
        steps.append(step)
    return tuple(reversed(steps))
