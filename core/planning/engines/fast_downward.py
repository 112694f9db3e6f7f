"""Fast Downward's search (Helmert 2006), fed with our own grounding.

Its translator dominates a full call, so it is left out: the task is written in its SAS+ format once per
table, every fact a variable of two values (0: holds, 1: does not), and only the initial state is replaced.
"""

from __future__ import annotations

import re
import subprocess
import tempfile
import time
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from weakref import WeakKeyDictionary

from core.cancel import Cancel
from core.errors import MissingPackage, PlanningError
from core.planning.engines.engine import Limits
from core.planning.ground import State
from core.planning.table import Facts, NumberedOperator, Table
from core.problem import Plan, PlanStatus, Step

EXACT = "astar(hmax())"  # shortest plans; fine up to a few dozen facts in play
GREEDY = "let(h, ff(), eager_greedy([h], preferred=[h]))"
GREEDY_ABOVE = 1_000  # ground operators
LONGEST = 60.0  # seconds, where no limit is given: it would not stop before the memory is full


def binary() -> Path:
    """The search program in the package `up-fast-downward`, which takes a second to import and is not.

    Raises MissingPackage.
    """
    spec = find_spec("up_fast_downward")
    for folder in spec.submodule_search_locations or () if spec else ():
        path = Path(folder, "downward", "builds", "release", "bin", "downward")
        if path.exists():
            return path
    raise MissingPackage("The engine fast-downward", "fast-downward")


class FastDownward:
    """Keeps the SAS+ text of each table."""

    name = "fast-downward"

    def __init__(self) -> None:
        self._binary = binary()
        self._texts: WeakKeyDictionary[Table, _Sas] = WeakKeyDictionary()

    def search(self, table: Table, state: State, limits: Limits, cancel: Cancel) -> Plan:
        """It is ended by `limits.seconds`; expansions it cannot be told to count."""
        began = time.perf_counter()
        seconds = LONGEST if limits.seconds is None else limits.seconds
        if not table.possible:
            return Plan(PlanStatus.IMPOSSIBLE, engine=self.name, why="A fact of the goal can never change.")
        if table not in self._texts:
            self._texts[table] = _Sas(table)
        sas = self._texts[table]
        search = EXACT if len(table.operators) <= GREEDY_ABOVE else GREEDY
        with tempfile.TemporaryDirectory() as folder:
            said, code = self._call(search, sas.text(table.facts(state)), folder, seconds, cancel)
            steps = tuple(sas.steps(Path(folder, "plan").read_text())) if code == 0 else ()
        match code:
            case 0:
                status, why = PlanStatus.FOUND, ""
            case 11:  # its proof that there is no plan
                status, why = PlanStatus.IMPOSSIBLE, "Every state that can be reached was searched."
            case None:
                status, why = PlanStatus.TIMEOUT, f"No plan after {seconds:g} s."
            case 22:
                status, why = PlanStatus.TIMEOUT, "the memory was full before there was a plan"
            case _:
                raise PlanningError(f"Fast Downward broke with exit code {code}: {said.strip()[-200:]}")
        expanded = re.search(r"Expanded (\d+) state", said)
        count = int(expanded[1]) if expanded else 0
        return Plan(status, steps, self.name, time.perf_counter() - began, count, why)

    def _call(
        self, search: str, text: str, folder: str, seconds: float, cancel: Cancel
    ) -> tuple[str, int | None]:
        """What it said, and its exit code, or None where it was late. Raises Cancelled."""
        end = time.monotonic() + seconds
        command = [str(self._binary), "--search", search, "--internal-plan-file", "plan"]
        task = Path(folder, "task")
        task.write_text(text)
        with task.open() as stdin:
            process = subprocess.Popen(
                command, stdin=stdin, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, cwd=folder
            )
        try:
            while True:
                try:
                    said, _ = process.communicate(timeout=0.02)
                    return said, process.returncode
                except subprocess.TimeoutExpired:
                    cancel.check()
                    if time.monotonic() > end:
                        return "", None
        finally:
            process.kill()
            process.communicate()


class _Sas:
    """The text of a table before and after its initial state."""

    def __init__(self, table: Table) -> None:
        used = {f for op in table.operators for f in _spoken_of(op)} | table.goal | table.goal_forbids
        self.order = sorted(used)
        self.operators = table.operators
        var = {fact: place for place, fact in enumerate(self.order)}
        head = ["begin_version", "3", "end_version", "begin_metric", "0", "end_metric", str(len(var))]
        for place in range(len(var)):
            values = f"Atom f{place}()", f"NegatedAtom f{place}()"
            head += ["begin_variable", f"var{place}", "-1", "2", *values, "end_variable"]
        goal = [f"{var[f]} 0" for f in sorted(table.goal)]
        goal += [f"{var[f]} 1" for f in sorted(table.goal_forbids)]
        tail = ["end_state", "begin_goal", str(len(goal)), *goal, "end_goal", str(len(table.operators))]
        for number, op in enumerate(table.operators):
            tail += _operator(number, op, var)
        self.head = "\n".join((*head, "0", "begin_state"))
        self.tail = "\n".join((*tail, "0", ""))

    def text(self, facts: Facts) -> str:
        return "\n".join((self.head, *("0" if f in facts else "1" for f in self.order), self.tail))

    def steps(self, plan: str) -> Iterator[Step]:
        for number in re.findall(r"^\((\d+) ?\)", plan, re.MULTILINE):
            yield self.operators[int(number)].step


def _spoken_of(op: NumberedOperator) -> Facts:
    inner = (w.needs | w.forbids | {w.fact} for w in op.whens)
    return op.needs.union(op.forbids, op.adds, op.deletes, *inner)


def _operator(number: int, op: NumberedOperator, var: dict[int, int]) -> list[str]:
    before = dict.fromkeys(op.needs, 0) | dict.fromkeys(op.forbids, 1)
    effects = [(f, 1, "0") for f in op.deletes] + [(f, 0, "0") for f in op.adds]
    for when in op.whens:
        conditions = dict.fromkeys(when.needs, 0) | dict.fromkeys(when.forbids, 1)
        if all(before.get(f, value) == value for f, value in conditions.items()):
            left = [f"{var[f]} {v}" for f, v in sorted(conditions.items()) if f not in before]
            effects.append((when.fact, 0 if when.add else 1, " ".join((str(len(left)), *left))))
    effects.sort(key=lambda e: (-e[1], e[0]))  # the last effect on a fact wins: deletes come before adds
    changed = {fact for fact, _, _ in effects}
    prevail = [f"{var[f]} {v}" for f, v in sorted(before.items()) if f not in changed]
    changes = [f"{condition} {var[f]} {before.get(f, -1)} {value}" for f, value, condition in effects]
    head = ["begin_operator", str(number), str(len(prevail)), *prevail]
    return [*head, str(len(changes)), *changes, "1", "end_operator"]
