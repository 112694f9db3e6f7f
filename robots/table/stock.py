"""What is at hand on a table besides the things of a task's problem."""

from __future__ import annotations

import re

from core.belief import Atom
from core.planning_model import Problem
from core.stock import StockItem
from robots.ur5e.emulator.scene import GRAIN, TabletopScene
from robots.ur5e.motion.situation import TABLE
from robots.ur5e.scene_file import TabletopThing


def stock_of(problem: Problem, table: TabletopScene) -> tuple[StockItem, ...]:
    """Return the scene's things that the problem does not have, each as a kind by its name."""
    kinds = {thing.name: thing.kind for thing in table.things if thing.kind is not GRAIN} | dict(table.marks)
    known = {o.name for o in problem.all_objects}
    return tuple(_item(name, kind) for name, kind in kinds.items() if name not in known)


def _item(name: str, kind: TabletopThing) -> StockItem:
    flat = kind.shape in ("plate", "mark")
    sort = "surface" if flat else "vessel" if kind.is_open else "movable"
    facts = () if flat else (Atom("on", (name, TABLE)),)
    return StockItem(name, re.sub(r"_\d+$", "", name), sort, facts)
