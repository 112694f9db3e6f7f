"""Plan a wish: steps by the planner, their grasps, places and ways by the search, each once in physics.

What was in the way of most samples becomes a fact, and the planner plans around it.
"""

from __future__ import annotations

import math
import time
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from core.belief import Atom
from core.errors import BadValue
from core.motion.search import Effort, Limits, Node, Search, Skills, Stuck, why_stuck
from core.planners import Planner
from core.planning_model import EQUALS, Action, Effect, Literal, Plan, PlanStatus, Predicate, Problem, Step
from core.stop_token import StopToken
from core.wish import Test, Wish, WishOptions
from core.wishes.english import TABLE
from core.wishes.hand_written import upright

_ROUNDS = 8  # of search and rehearsal for one skeleton
_MOST_WORLDS, _CANDIDATES = 0.8, 3  # a plan that holds in so many is taken; how many are compared at most
_STANDS = math.cos(0.2)  # of a vessel's own axis
_BESIDE = 3  # searches for a place beside what has to be in the same vessel, before that is taken out
_OVER_M = 0.01  # between a vessel and what is no more in it
_HOPELESS = 2  # skeletons with a step of which no sample ever passed its tests


@dataclass(frozen=True)
class WishPlan:
    """The plan, whose steps carry their moves as values, and what it took."""

    plan: Plan
    samples: int = 0
    skeletons: int = 0


class WishPlanner:
    """Plans one wish over one scene. One thread; `pulse` is called before each sample and may raise."""

    def __init__(
        self,
        skills: Skills[Any],
        planner: Planner,
        problem: Problem,
        wish: Wish,
        options: WishOptions,
        pulse: Callable[[], None] = lambda: None,
    ) -> None:
        self._skills, self._planner, self._problem, self._options = skills, planner, problem, options
        self._wish = replace(
            wish,
            steps=wish.steps if options.partial_plan else (),
            tests=wish.tests if options.tests else {},
            goal_tests=wish.goal_tests if options.tests else (),
        )
        self._effort, self._pulse = Effort(), pulse
        self._hopeless = 0
        self._learnt = {
            Atom("stuck", (thing,)) for thing in problem.of_type("movable") if not skills.movable(thing)
        }
        self._stuck = Counter[Step]()
        self._regrasped: set[Step] = set()  # picks before which the thing is put down once more
        self._reason = ""

    def plan(self, cancel: StopToken) -> WishPlan:
        """Return a plan, or why there is none. Raises Cancelled, PlanningError, BadValue."""
        began = time.perf_counter()
        first = self._skills.start()
        if self._is_fulfilled(first):
            return self._outcome(PlanStatus.FOUND, (), began, 0)
        if self._wish.done:
            self._wish = self._wish.since(self._wish.redone_from(first.bodies), self._wish.kept)
        if self._options.back:
            self._learnt |= {Atom("lies", (vessel,)) for vessel in self._lying(first)}
        best: tuple[float, tuple[Step, ...]] = -1.0, ()
        for number in range(1, self._options.skeletons + 1):
            steps, labels = self._skeleton(cancel)
            if not steps and not self._forgot():
                return self._outcome(PlanStatus.TIMEOUT, (), began, number)
            if not steps:
                continue
            steps, labels = self._with_regrasps(steps, labels)
            tests = {i: self._wish.tests.get(k, ()) for i, k in enumerate(labels) if k is not None}
            tests |= {i: (partial(upright, steps[i].args[0]),) for i in _stood(steps, labels)}
            nodes = self._refine(steps, tests)
            if nodes:
                moving = tuple(
                    replace(step, values={"moves": _rounded(node.moves)})
                    for step, node in zip(steps, nodes[1:], strict=True)
                )
                if not self._options.worlds:
                    return self._outcome(PlanStatus.FOUND, moving, began, number)
                best = max(best, (self._share(steps, tests, nodes), moving), key=lambda one: one[0])
                if best[0] >= _MOST_WORLDS or number >= _CANDIDATES:
                    return self._outcome(PlanStatus.FOUND, best[1], began, number, best[0])
            spent = self._effort.samples >= self._options.most_samples
            if spent or (self._hopeless >= _HOPELESS and self._options.planner):
                return self._outcome(PlanStatus.TIMEOUT, (), began, number)
        status = PlanStatus.FOUND if best[1] else PlanStatus.TIMEOUT
        return self._outcome(status, best[1], began, self._options.skeletons, best[0] if best[1] else None)

    def _lying(self, first: Node) -> Iterable[str]:
        """Yield the vessels into which nothing can be put as they are, and which the hand can stand up."""
        for name in self._problem.of_type("vessel"):
            roll, pitch = first.bodies[name].pose[3:5] if name in first.bodies else (0.0, 0.0)
            if math.cos(roll) * math.cos(pitch) < _STANDS and self._skills.movable(name):
                yield name

    def _share(self, steps: tuple[Step, ...], tests: dict[int, Any], nodes: list[Any]) -> float:
        """Return in how many of the likely worlds the same moves end as wished."""
        return (
            sum(self._holds(steps, tests, nodes) for _ in range(self._options.worlds)) / self._options.worlds
        )

    def _holds(self, steps: tuple[Step, ...], tests: dict[int, Any], nodes: list[Any]) -> bool:
        now: Any = self._skills.elsewhere()
        for number, step in enumerate(steps):
            self._pulse()
            now = self._skills.rehearse(now, nodes[number + 1], step)
            if isinstance(now, str):
                return False
            if not _lies_as_wished(step, tests.get(number, ()), now):
                return False
        return self._reached(now)

    def _outcome(
        self,
        status: PlanStatus,
        steps: tuple[Step, ...],
        began: float,
        skeletons: int,
        share: float | None = None,
    ) -> WishPlan:
        reason, took = "" if status is PlanStatus.FOUND else self._reason, time.perf_counter() - began
        plan = Plan(status, steps, "wish", took, self._effort.samples, reason, share=share)
        return WishPlan(plan, self._effort.samples, skeletons)

    def _skeleton(self, cancel: StopToken) -> tuple[tuple[Step, ...], tuple[int | None, ...]]:
        """Return steps, and which of the wish's each one is; none if there is no plan."""
        if not self._options.planner:
            return self._wish.steps, tuple(range(len(self._wish.steps)))
        compiled = compile_wish(self._problem, self._wish, self._learnt)
        plan = self._planner.plan(compiled, cancel)
        if plan.status is not PlanStatus.FOUND:
            held = {step.args[0] for step in self._wish.steps if step.name == "pick"}
            unheld = sorted(thing for thing in held if not self._skills.movable(thing))
            around = f" after this: {self._reason}" if self._reason else "."
            around = f": the hand cannot hold {' and '.join(unheld)}." if unheld else around
            self._reason = f"No order of steps contains the wish's{around}"
            return (), ()
        labels = tuple(label_of(step) for step in plan.steps)
        steps = tuple(
            step if k is None else self._wish.steps[k] for step, k in zip(plan.steps, labels, strict=True)
        )
        return steps, labels

    def _forgot(self) -> bool:
        """Forget what was found to be in the way: two things may be in each other's. False if nothing was."""
        found = {atom for atom in self._learnt if atom.predicate in ("covers", "blocks")}
        self._learnt -= found
        return bool(found)

    def _with_regrasps(
        self, steps: tuple[Step, ...], labels: tuple[int | None, ...]
    ) -> tuple[tuple[Step, ...], tuple[int | None, ...]]:
        """Return the skeleton with things put on the table in between, to be taken otherwise."""
        found = list[tuple[Step, int | None]]()
        for step, label in zip(steps, labels, strict=True):
            if step in self._regrasped:
                found += [(step, None), (Step("place_ontop", (step.args[0], TABLE)), None)]
            found.append((step, label))
        return tuple(step for step, _ in found), tuple(label for _, label in found)

    def _refine(self, steps: tuple[Step, ...], tests: dict[int, Any]) -> list[Any]:
        """Return the worlds after each step, rehearsed; none, with the reason, if there are none."""
        options = self._options
        backs = Limits.backs if options.back else 0
        draws = Limits.draws if options.back else options.samples
        limits = Limits(options.samples, draws, backs, options.blind, options.rehearsal)
        search = Search(self._skills, steps, tests, limits, self._effort, self._pulse)
        nodes: list[Any] = [self._skills.start()]
        failures = [0] * len(steps)
        for _ in range(_ROUNDS):
            found = search.run(nodes)
            if isinstance(found, Stuck):
                self._learn(steps, found)
                return []
            if not options.rehearsal:
                return found if self._reached(found[-1]) else []
            nodes, failed = self._rehearsed(steps, tests, found)
            if len(nodes) == len(steps) + 1:
                if self._reached(nodes[-1]):
                    return nodes
                self._reason = "In physics, the plan's end does not pass the tests of the goal."
                failed = len(steps) - 1
            if failed is not None:
                failures[failed] += 1
                del nodes[max(1, failed + 2 - failures[failed]) :]  # each time one step further back
        return []

    def _rehearsed(
        self, steps: tuple[Step, ...], tests: dict[int, Any], found: list[Any]
    ) -> tuple[list[Any], int | None]:
        """Return the worlds as physics leaves them, up to a step that fails or ends otherwise than planned.

        The second is the number of the step that failed, or None.
        """
        nodes = found[:1]
        for number, step in enumerate(steps):
            self._pulse()
            planned = found[number + 1]  # the search may have rehearsed it itself
            came = planned if planned.rehearsed else self._skills.rehearse(nodes[-1], planned, step)
            if isinstance(came, str):
                self._reason = f"In physics, {step} fails: {came}."
                return nodes, number
            if not _lies_as_wished(step, tests.get(number, ()), came):
                self._reason = f"In physics, what {step} puts down does not pass its tests."
                return nodes, number
            nodes.append(came)
            if not self._skills.as_planned(planned, came):
                return nodes, None  # the search goes on from what came of it
        return nodes, None

    def _is_fulfilled(self, first: Node) -> bool:
        """Return True if nothing is left to do: the end is as wished, and what comes before it is done, or
        leaves no trace but where things are."""
        if not self._wish.goal_tests or not self._reached(first):
            return False
        tests = (test for of_step in self._wish.tests.values() for test in of_step)
        pours = any(step.name == "pour" for step in self._wish.steps)
        return self._wish.done or (not pours and all(test(first.bodies) for test in tests))

    def _reached(self, node: Node) -> bool:
        """Return True if the end's tests pass, and nothing that belongs into a vessel hangs over it."""
        bodies, within = node.bodies, (fact.args for fact in self._wish.goal if fact.predicate == "inside")
        known = ((bodies[a], bodies[b]) for a, b in within if a in bodies and b in bodies)
        if any(thing.lower[2] > vessel.upper[2] + _OVER_M for thing, vessel in known):
            return False
        return all(test(bodies) for test in self._wish.goal_tests)

    def _learn(self, steps: tuple[Step, ...], stuck: Stuck) -> None:
        step = steps[stuck.step]
        self._reason = why_stuck(step, stuck)
        self._hopeless += stuck.checks.keys() == {"test"}
        inside = Literal("inside", (stuck.blocker, step.args[-1]))
        belongs = step.name == "place_inside" and inside in self._wish.goal
        if not stuck.blocker or (belongs and self._stuck[step] < _BESIDE):
            if self._options.back and stuck.checks.keys() != {"test"}:
                self._stuck[step] += 1
                if self._stuck[step] > 1:
                    self._regrasped.add(Step("pick", step.args[:1]))
            return
        target = step.args[-1] if step.name != "pick" else step.args[0]
        self._learnt.add(Atom("covers" if step.name == "pick" else "blocks", (stuck.blocker, target)))


def _lies_as_wished(step: Step, tests: Iterable[Test], node: Node) -> bool:
    """Return True if what the step puts down, if anything, passes its tests."""
    return not step.name.startswith("place") or all(test(node.bodies) for test in tests)


def _stood(steps: Sequence[Step], labels: Sequence[int | None]) -> Iterable[int]:
    """Yield the numbers of steps, none of the wish's, that put down what something is then put into."""
    for number, (step, label) in enumerate(zip(steps, labels, strict=True)):
        again = Step("pick", step.args[:1])
        later = steps[number + 1 : steps.index(again, number) if again in steps[number:] else None]
        into = {one.args[1] for one in later if one.name == "place_inside"}
        if label is None and step.name == "place_ontop" and step.args[0] in into:
            yield number


def _rounded(moves: Any) -> Any:
    """Return the numbers of moves to a thousandth of a milliradian, as plain tuples: they go into the log."""
    if isinstance(moves, tuple):
        return tuple(map(_rounded, moves))
    return round(moves, 6) if isinstance(moves, float) else moves


LABEL = "__"
_DONE = "done"  # the predicate of a label


def compile_wish(problem: Problem, wish: Wish, learnt: Iterable[Atom] = ()) -> Problem:
    """Return the problem of the wish. Raises BadValue for a step that is none of the problem's."""
    domain = problem.domain
    labels = tuple(Predicate(f"{_DONE}{LABEL}{number}") for number in range(len(wish.steps)))
    copies = tuple(_copy(problem, step, number) for number, step in enumerate(wish.steps))
    whole = (Literal(labels[-1].name),) if labels else ()
    facts = {*learnt, *(Atom("carries", step.args[1:]) for step in wish.steps if step.name == "place_upon")}
    facts |= {Atom("blocker", atom.args) for atom in facts if atom.predicate == "blocks"}
    compiled = replace(
        domain,
        name=f"{domain.name}{LABEL}wish",
        actions=(*domain.actions, *copies),
        predicates=(*domain.predicates, *labels),
        constants=problem.all_objects,  # as the copies name them
    )
    goal = tuple(dict.fromkeys((*wish.goal, *whole, Literal("handempty"))))
    return replace(
        problem, domain=compiled, objects=(), goal=goal, goal_formulas=(), state=problem.state | facts
    )


def _copy(problem: Problem, step: Step, number: int) -> Action:
    """Return the action with the step's objects only, after the copy of the step before it."""
    if faults := problem.step_faults(step):
        raise BadValue(f"The wish names {step}, but {faults[0]}.")
    action = problem.domain.action(step.name)
    names = [parameter.name for parameter in action.parameters]
    fixed = tuple(Literal(EQUALS, pair) for pair in zip(names, step.args, strict=True))
    equal = [p.bind(dict(zip(names, step.args, strict=True))) for p in action.precondition]
    if any(p.predicate == EQUALS and p.positive == (p.args[0] != p.args[1]) for p in equal):
        raise BadValue(f"The wish names {step}, which is never possible.")
    after = (Literal(f"{_DONE}{LABEL}{number - 1}"),) if number else ()
    return replace(
        action,
        name=f"{step.name}{LABEL}{number}",
        precondition=(*fixed, *action.precondition, *after),
        effects=(*action.effects, Effect(Literal(f"{_DONE}{LABEL}{number}"))),
    )


def label_of(step: Step) -> int | None:
    """Return the number of the wish's step that this one is, or None."""
    _, _, number = step.name.partition(LABEL)
    return int(number) if number else None
