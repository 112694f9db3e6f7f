"""A grounded task in Fast Downward's SAS+ format: every fact is a binary variable (0: holds, 1: not)."""

from __future__ import annotations

import re

from core.planning.engines.downward import SasTask
from core.planning.ground_rules import Facts, NumberedRule
from core.planning.grounded_task import GroundedTask, NumberedOperator
from core.planning_model import Step
from core.work import work_in_force


class SasEncoder:
    """The text before and after the initial state, which is the only part that changes."""

    def __init__(self, table: GroundedTask) -> None:
        rules = table.rules
        used = {f for op in table.operators for f in _facts_of(op)} | table.goal | table.goal_forbids
        used |= {f for rule in rules.all for f in (rule.fact, *rule.needs, *rule.forbids)}
        self._order, self._derived = sorted(used), rules.facts
        self._operators = table.operators
        self._conditional = any(op.conditional_effects for op in table.operators)
        self._axioms = bool(rules)
        var = {fact: place for place, fact in enumerate(self._order)}
        metric = "1" if table.costs else "0"
        head = ["begin_version", "3", "end_version", "begin_metric", metric, "end_metric"]
        head.append(str(len(var)))
        for place, fact in enumerate(self._order):
            values = f"Atom f{place}()", f"NegatedAtom f{place}()"
            layer = str(rules.layer.get(fact, -1))
            head += ["begin_variable", f"var{place}", layer, "2", *values, "end_variable"]
        goal = [f"{var[f]} 0" for f in sorted(table.goal)]
        goal += [f"{var[f]} 1" for f in sorted(table.goal_forbids)]
        prices = table.costs or (1,) * len(table.operators)
        operators = [_operator(number, op, var, prices[number]) for number, op in enumerate(table.operators)]
        operators = [lines for lines in operators if lines]
        tail = ["end_state", "begin_goal", str(len(goal)), *goal, "end_goal", str(len(operators))]
        for lines in operators:
            tail += lines
        tail.append(str(len(rules.all)))
        for rule in rules.all:
            tail += _rule(rule, var)
        self._head = "\n".join((*head, "0", "begin_state"))
        self._tail = "\n".join((*tail, ""))

    def task(self, facts: Facts) -> SasTask:
        """Return the task from a state. Derived facts are left to the search."""
        given = facts - self._derived
        values = ("0" if fact in given else "1" for fact in self._order)
        text = "\n".join((self._head, *values, self._tail))
        return SasTask(text, self._steps, len(self._operators), self._axioms, self._conditional)

    def _steps(self, plan: str) -> tuple[Step, ...]:
        found = re.findall(r"^\((\d+) ?\)", plan, re.MULTILINE)
        return tuple(self._operators[int(number)].step for number in found)


def _facts_of(op: NumberedOperator) -> Facts:
    inner = (w.needs | w.forbids | {w.fact} for w in op.conditional_effects)
    return op.needs.union(op.forbids, op.adds, op.deletes, *inner)


def _operator(number: int, op: NumberedOperator, var: dict[int, int], price: int) -> list[str]:
    work_in_force().spend(10 + len(op.conditional_effects))
    before = dict.fromkeys(op.needs, 0) | dict.fromkeys(op.forbids, 1)
    effects = [(f, 1, "0") for f in op.deletes] + [(f, 0, "0") for f in op.adds]
    for when in op.conditional_effects:
        conditions = dict.fromkeys(when.needs, 0) | dict.fromkeys(when.forbids, 1)
        if all(before.get(f, value) == value for f, value in conditions.items()):
            left = [f"{var[f]} {v}" for f, v in sorted(conditions.items()) if f not in before]
            effects.append((when.fact, 0 if when.add else 1, " ".join((str(len(left)), *left))))
    effects.sort(key=lambda e: (-e[1], e[0]))  # the last effect on a fact counts: deletes come before adds
    if not effects:  # none of its conditional effects can fire
        return []
    changed = {fact for fact, _, _ in effects}
    prevail = [f"{var[f]} {v}" for f, v in sorted(before.items()) if f not in changed]
    changes = [f"{condition} {var[f]} {before.get(f, -1)} {value}" for f, value, condition in effects]
    head = ["begin_operator", str(number), str(len(prevail)), *prevail]
    return [*head, str(len(changes)), *changes, str(price), "end_operator"]


def _rule(rule: NumberedRule, var: dict[int, int]) -> list[str]:
    conditions = [f"{var[f]} 0" for f in sorted(rule.needs)] + [f"{var[f]} 1" for f in sorted(rule.forbids)]
    return ["begin_rule", str(len(conditions)), *conditions, f"{var[rule.fact]} 1 0", "end_rule"]
