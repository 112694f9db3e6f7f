"""A grounded task in Fast Downward's SAS+ format: every fact is a binary variable (0: holds, 1: not)."""

from __future__ import annotations

import re

from core.planning.compiled import CompiledProblem
from core.planning.engines.downward import SasTask
from core.planning.fact_bits import BitOperator, places, union
from core.planning.ground_rules import BitRule
from core.planning_model import Step
from core.work import work_in_force


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
