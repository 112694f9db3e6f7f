"""Says of a log of trials (`bench --log FILE`) how they ended and what led there, a line for each cell.

Run: `PYTHONPATH=. .venv/bin/python scripts/endings.py FILE`. A cell is a method, an answerer and a task.
"""

from __future__ import annotations

import sqlite3
import sys
from contextlib import closing
from pathlib import Path

CELL = "json_extract(e.settings, '$.method'), json_extract(e.settings, '$.answerer'), e.task"
ENDS = f"""
select {CELL}, count(*), sum(true_goal), sum(result = 'succeeded' and not true_goal),
       sum(result = 'step limit'), sum(result = 'step limit' and true_goal), sum(steps)
from episode e where ended is not null and deleted is null group by 1, 2, 3"""
STEPS = f"""
select {CELL}, (r.body ->> '$.step.name') || ': ' || (r.body ->> '$.outcome.detail'), count(*) as n
from record r join episode e on e.nr = r.episode
where r.kind = 'Acted' and r.body ->> '$.outcome.ending' <> 'done' group by 1, 2, 3, 4 order by n desc"""
WRONG = f"""
select {CELL}, r.body ->> '$.situation', count(*) as n from record r join episode e on e.nr = r.episode
where r.kind = 'Acted' and r.body ->> '$.situation' <> '' group by 1, 2, 3, 4 order by n desc"""
ANSWERS = f"""
select {CELL}, case when truth = 'yes' then 'denied ' else 'affirmed ' end || predicate, count(*) as n
from answer a join episode e on e.nr = a.episode
where verdict in ('yes', 'no') and truth in ('yes', 'no') and verdict <> truth
group by 1, 2, 3, 4 order by n desc"""
LINES = {"failed": STEPS, "what went wrong": WRONG, "wrong answers": ANSWERS}
MOST = 6  # of each kind


def main(path: Path) -> None:
    with closing(sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro", uri=True)) as log:
        told = [(what, _by_cell(log, query)) for what, query in LINES.items()]
        for method, answerer, task, trials, true, false, late, missed, steps in log.execute(ENDS):
            cell = (method, answerer, task)
            print(
                f"{method}, {answerer}, {task}: {trials} trials, {true} true, {false} false claims, "
                f"{late} at the step limit ({missed} of them with the goal reached), {steps} steps"
            )
            for what, found in told:
                print(f"  {what}: {_most(found, cell)}")


def _by_cell(log: sqlite3.Connection, query: str) -> dict[tuple[str, ...], list[tuple[str, int]]]:
    found: dict[tuple[str, ...], list[tuple[str, int]]] = {}
    for *cell, what, count in log.execute(query):
        found.setdefault(tuple(cell), []).append((what, count))
    return found


def _most(found: dict[tuple[str, ...], list[tuple[str, int]]], cell: tuple[str, ...]) -> str:
    return ", ".join(f"{count} {what}" for what, count in found.get(cell, [])[:MOST]) or "none"


if __name__ == "__main__":
    main(Path(sys.argv[1]))
