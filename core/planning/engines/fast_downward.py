"""Fast Downward's search (Helmert 2006), with our own grounding or with its own where that is smaller.

Its translator dominates a full call, so it is skipped where possible: the task is written in SAS+ once per
table, and only the initial state is replaced.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from weakref import WeakKeyDictionary

from core.planning.compiled import CompiledProblem
from core.planning.engines import downward
from core.planning.engines.downward import GAVE_UP, IMPOSSIBLE, SOLVED, SasTask, SearchRun
from core.planning.engines.engine import SearchLimits
from core.planning.fact_bits import BitOperator, State, places, union
from core.planning.ground_rules import BitRule
from core.planning_model import Plan, PlanStatus, Step
from core.stop_token import StopToken
from core.work import work_in_force

MAX_DIRECT_OPERATORS = 130  # ground operators up to which an optimal search comes first
_POLL_SECONDS = 0.02  # polling interval in seconds
_LANDMARKS = "landmark_sum(lm_reasonable_orders_hps(lm_rhw()))"
_ABSTRACTION = (  # as in Fast Downward's documentation (Sievers 2018)
    "merge_and_shrink(shrink_strategy=shrink_bisimulation(greedy=false), "
    "merge_strategy=merge_sccs(order_of_sccs=topological, merge_selector=score_based_filtering("
    "scoring_functions=[goal_relevance(), dfp(), total_order()])), "
    "label_reduction=exact(before_shrinking=true, before_merging=false), "
    "max_states=50k, threshold_before_merge=1)"
)
PlanMeasure = Callable[[tuple[Step, ...]], float]  # of a plan; less is better


class FastDownward:
    """Caches the SAS+ text of each table."""

    name = "fast-downward"

    def __init__(self) -> None:
        downward.binary_folder()
        self._texts: WeakKeyDictionary[CompiledProblem, SasEncoder] = WeakKeyDictionary()

    def search(self, table: CompiledProblem, state: State, limits: SearchLimits, cancel: StopToken) -> Plan:
        """Return the shortest plan of a small task if it is found quickly, else the first one found.

        The limit on expansions is not supported.
        """
        plan = self.shortest(table, state, limits, cancel)
        return self.first(self.task(table, state), limits, cancel) if plan is None else plan

    def shortest(
        self, table: CompiledProblem, state: State, limits: SearchLimits, cancel: StopToken
    ) -> Plan | None:
        """Return a shortest plan or IMPOSSIBLE; None if the task is not small or `improving_seconds` pass."""
        if not table.goal.possible:
            return Plan(
                PlanStatus.IMPOSSIBLE, engine=self.name, reason="A fact of the goal can never change."
            )
        if len(table.operators) > MAX_DIRECT_OPERATORS or not limits.improving_seconds:
            return None
        task = self.task(table, state)
        most = min(limits.improving_seconds, limits.seconds)
        plan = self._run(task, optimal_search(task), most, cancel)
        return plan if plan.status is not PlanStatus.TIMEOUT else None

    def task(self, table: CompiledProblem, state: State) -> SasTask:
        """Return the task in SAS+."""
        if table not in self._texts:
            self._texts[table] = SasEncoder(table)
        return self._texts[table].task(table.mask(state))

    def first(self, task: SasTask, limits: SearchLimits, cancel: StopToken) -> Plan:
        """Return the first plan found until `limits.seconds`."""
        return self._run(task, first_search(task), limits.seconds, cancel)

    def _run(self, task: SasTask, search: str, seconds: float, cancel: StopToken) -> Plan:
        """Run one search. Raises Cancelled, PlanningError."""
        began = time.perf_counter()
        with closing(SearchRun(task, search)) as run:
            code = run.wait(seconds, cancel)
            steps: tuple[Step, ...] = ()
            reason, status = "", PlanStatus.TIMEOUT
            if code is None:
                reason = f"No plan after {seconds:g} s."
            elif code in SOLVED:
                status, steps = PlanStatus.FOUND, run.new_plans()[-1]
            elif code in IMPOSSIBLE:
                status, reason = PlanStatus.IMPOSSIBLE, "Every state that can be reached was searched."
            elif code in GAVE_UP:
                reason = "The memory was full before there was a plan."
            else:
                raise run.error(code)
            return Plan(status, steps, self.name, time.perf_counter() - began, run.expanded, reason)


def improve_plan(
    task: SasTask, plan: tuple[Step, ...], measure: PlanMeasure, seconds: float, cancel: StopToken
) -> Iterator[tuple[tuple[Step, ...], bool]]:
    """Yield ever better plans than this one, and whether the latest is proven optimal.

    Some searches improve on what they find, the others try to prove optimality. Raises Cancelled.
    """
    end, best = time.monotonic() + seconds, measure(plan)
    anytime = list(dict.fromkeys(anytime_search(task, landmarks) for landmarks in (_landmarks(task), True)))
    searches, runs = [*anytime, *proofs(task)], list[SearchRun]()
    try:
        for search in searches:
            runs.append(SearchRun(task, search, 0.8 / len(searches), background=search not in anytime))
        while time.monotonic() < end:
            cancel.check()
            codes = [runs[0].exit_code(_POLL_SECONDS), *(run.exit_code() for run in runs[1:])]
            for steps in (steps for run in runs[: len(anytime)] for steps in run.new_plans()):
                if measure(steps) < best:
                    plan, best = steps, measure(steps)
                    yield plan, False
            for run, code in list(zip(runs, codes, strict=True))[len(anytime) :]:
                if code == 0 and (found := run.new_plans()):
                    yield found[-1], True  # this one even if as good: it does not depend on who was faster
                    return
            for run, code in zip(runs, codes, strict=True):
                if code is not None and code >= 30:
                    raise run.error(code)
            if None not in codes:
                return
    finally:
        for run in runs:
            run.close()


def optimal_search(task: SasTask) -> str:
    """Return a search for shortest or cheapest plans.

    lmcut does not support conditional effects, and with axioms only the blind heuristic is admissible.
    """
    estimate = "blind" if task.axioms else "hmax" if task.conditional else "lmcut"
    return f"astar({estimate}())"


def proofs(task: SasTask) -> list[str]:
    """Return searches that may prove in quite different tasks that a plan is the best."""
    return [optimal_search(task), *([] if task.axioms else [f"astar({_ABSTRACTION})"])]


def first_search(task: SasTask) -> str:
    """Return a search for any plan: LAMA's first (Richter and Westphal 2010).

    Finding landmarks takes seconds where many effects are conditional, and they ignore axioms.
    """
    kind = "eager_greedy" if task.conditional and not task.axioms else "lazy_greedy"
    unit = ", cost_type=one" if task.costs else ""
    return _with_estimates(task, "one", f"{kind}({{0}}, preferred={{0}}{unit})", _landmarks(task))


def anytime_search(task: SasTask, landmarks: bool) -> str:
    """Return a search for ever better plans: the rest of LAMA's sequence.

    It begins without a bound: to beat a good plan at once, its greediest search may take for ever.
    """
    kind = "eager_wastar" if task.conditional and not task.axioms else "lazy_wastar"
    rounds = ", ".join(f"{kind}({{0}}, preferred={{0}}, w={w})" for w in (5, 3, 2, 1))
    return _with_estimates(task, "plusone", f"iterated([{rounds}], repeat_last=true)", landmarks)


def _landmarks(task: SasTask) -> bool:
    """Return True if landmarks are found at once."""
    return not (task.axioms or task.conditional)


def _with_estimates(task: SasTask, cost_type: str, search: str, landmarks: bool) -> str:
    """Return the search with the FF heuristic, and with landmarks."""
    known = {"h": "ff()", **({"l": _LANDMARKS} if landmarks else {})}
    search = search.format(f"[{', '.join(known)}]")
    for name, estimate in known.items():
        priced = f"eval_modify_costs({estimate}, cost_type={cost_type})" if task.costs else estimate
        search = f"let({name}, {priced}, {search})"
    return search


class SasEncoder:
    """The text before and after the initial state, which is the only part that changes."""

    def __init__(self, table: CompiledProblem) -> None:
        rules = table.rules
        used = union(op.needs | op.forbids | op.adds | op.deletes for op in table.operators)
        used |= union(when.needs | when.forbids | when.fact for op in table.operators for when in op.effects)
        used |= union(rule.needs | rule.forbids | rule.fact for rule in rules.all)
        used |= table.goal.needs | table.goal.forbids
        self._order, self._derived = list(places(used)), rules.facts
        self._operators = table.operators
        self._conditional = any(op.effects for op in table.operators)
        self._axioms = bool(rules)
        var = {fact: place for place, fact in enumerate(self._order)}
        metric = "1" if table.by_cost else "0"
        head = ["begin_version", "3", "end_version", "begin_metric", metric, "end_metric"]
        head.append(str(len(var)))
        for place, fact in enumerate(self._order):
            values = f"Atom f{place}()", f"NegatedAtom f{place}()"
            layer = str(rules.layer.get(fact, -1))
            head += ["begin_variable", f"var{place}", layer, "2", *values, "end_variable"]
        goal = [f"{var[f]} {v}" for f, v in _conditions(table.goal.needs, table.goal.forbids).items()]
        operators = [lines for n, op in enumerate(table.operators) if (lines := _operator(n, op, var))]
        tail = ["end_state", "begin_goal", str(len(goal)), *goal, "end_goal", str(len(operators))]
        for lines in operators:
            tail += lines
        tail.append(str(len(rules.all)))
        for rule in rules.all:
            tail += _rule(rule, var)
        self._head = "\n".join((*head, "0", "begin_state"))
        self._tail = "\n".join((*tail, ""))

    def task(self, facts: int) -> SasTask:
        """Return the task from a state. Derived facts are left to the search."""
        given = facts & ~self._derived
        values = ("0" if given >> place & 1 else "1" for place in self._order)
        text = "\n".join((self._head, *values, self._tail))
        return SasTask(text, self._steps, len(self._operators), self._axioms, self._conditional)

    def _steps(self, plan: str) -> tuple[Step, ...]:
        found = re.findall(r"^\((\d+) ?\)", plan, re.MULTILINE)
        return tuple(self._operators[int(number)].step for number in found)


def _conditions(needs: int, forbids: int) -> dict[int, int]:
    """Return the value that a condition requires of each fact."""
    return dict.fromkeys(places(needs), 0) | dict.fromkeys(places(forbids), 1)


def _operator(number: int, op: BitOperator, var: dict[int, int]) -> list[str]:
    work_in_force().spend(10 + len(op.effects))
    before = _conditions(op.needs, op.forbids)
    effects = [(f, 1, "0") for f in places(op.deletes)] + [(f, 0, "0") for f in places(op.adds)]
    for when in op.effects:
        conditions = _conditions(when.needs, when.forbids)
        if all(before.get(f, value) == value for f, value in conditions.items()):
            left = [f"{var[f]} {v}" for f, v in sorted(conditions.items()) if f not in before]
            fact = when.fact.bit_length() - 1
            effects.append((fact, 0 if when.add else 1, " ".join((str(len(left)), *left))))
    effects.sort(key=lambda e: (-e[1], e[0]))  # the last effect on a fact counts: deletes come before adds
    if not effects:  # none of its conditional effects can fire
        return []
    changed = {fact for fact, _, _ in effects}
    prevail = [f"{var[f]} {v}" for f, v in sorted(before.items()) if f not in changed]
    changes = [f"{condition} {var[f]} {before.get(f, -1)} {value}" for f, value, condition in effects]
    head = ["begin_operator", str(number), str(len(prevail)), *prevail]
    return [*head, str(len(changes)), *changes, str(int(op.cost)), "end_operator"]


def _rule(rule: BitRule, var: dict[int, int]) -> list[str]:
    conditions = [f"{var[f]} {v}" for f, v in _conditions(rule.needs, rule.forbids).items()]
    head = var[rule.fact.bit_length() - 1]
    return ["begin_rule", str(len(conditions)), *conditions, f"{head} 1 0", "end_rule"]
