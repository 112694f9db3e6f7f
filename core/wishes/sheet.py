"""A wish as a person reads and changes it: its rows, their tests, and every version of these with its author.

Frozen: each change makes another sheet, so that any of them can be undone.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime

import numpy as np
from numpy.typing import NDArray

from core.planning_model import Literal, Step
from core.ports import Reply
from core.wish import Wish
from core.wishes.authoring import TESTED, Brief, Request, code_of, read_tests, write_wish
from core.wishes.confinement import WrittenTest
from core.wishes.region import CELL_M

Box = tuple[int, int, int, int]  # least x and y, most x and y, in mm
Mask = NDArray[np.bool_]  # of the cells of a region
_MOST_BOXES = 120  # of a painted test; with more the cells become coarser
PAINTED = "test_painted"


@dataclass(frozen=True)
class Version:
    """The tests of a row as they were once. `painted` is where alone a person lets it go; None: not painted.

    `prompt` and `reply` are what a model was asked and said.
    """

    source: str
    by: str
    at: str = ""  # time, as "02:11"
    painted: tuple[Box, ...] | None = None
    prompt: str = ""
    reply: str = ""

    def __str__(self) -> str:
        """Return who made it and when, its text, and what a model was asked and said, without fences."""
        reply = re.sub(r"^```.*\n?", "", self.reply, flags=re.MULTILINE)
        said = f"\n\n# The reply\n{reply}\n\n# What was asked\n{self.prompt}" if self.reply else ""
        return f"# by {self.by}, {self.at}\n{self.source}{said}"


@dataclass(frozen=True)
class Row:
    """A step of the partial plan, or its end without one. `versions`: of its tests, the latest last."""

    step: Step | None
    description: str
    versions: tuple[Version, ...]

    @property
    def latest(self) -> Version:
        return self.versions[-1]

    @property
    def subject(self) -> str:
        return self.step.args[0] if self.step else ""

    @property
    def is_tested(self) -> bool:
        return self.step is None or self.step.name in TESTED

    @property
    def has_tests(self) -> bool:
        return bool(self.latest.source.strip()) or self.latest.painted is not None


@dataclass(frozen=True)
class Sheet:
    words: str
    goal: tuple[Literal, ...]
    rows: tuple[Row, ...]  # the last one is the end

    @property
    def steps(self) -> tuple[Step, ...]:
        return tuple(row.step for row in self.rows if row.step)

    def with_version(self, number: int, version: Version, again: bool = False) -> Sheet:
        """Return the sheet with another version of a row's tests, in place of the latest one if `again`."""
        row = self.rows[number]
        versions = (*(row.versions[:-1] if again else row.versions), version)
        rows = [*self.rows]
        rows[number] = replace(row, versions=versions)
        return replace(self, rows=tuple(rows))


def now() -> str:
    return datetime.now().strftime("%H:%M")


def write_sheet(brief: Brief, ask: Callable[[Request], Reply]) -> Sheet:
    """Return what is made of the words by whoever is asked. Raises what `ask` does, BadValue, Refused."""
    asked: dict[str, tuple[Request, Reply]] = {}
    authoring = write_wish(brief)
    latest = next(authoring)
    while isinstance(latest, Request):
        reply = ask(latest)
        asked[latest.purpose.split(",")[0].removeprefix("wish ")] = latest, reply
        latest = authoring.send(reply.text)
    steps = (*latest.steps, None)
    return Sheet(
        latest.words, latest.goal, tuple(_row(latest, n, step, asked) for n, step in enumerate(steps))
    )


def _row(wish: Wish, number: int, step: Step | None, asked: Mapping[str, tuple[Request, Reply]]) -> Row:
    said = wish.descriptions[number] if step else "at the end"
    first = asked.get(f"step {number}" if step else "goal")
    if first is None:
        request, reply = asked["plan"]
        return Row(step, said, (Version("", reply.model, now()),))
    request, reply = first
    prompt = request.messages[0].text
    source = _one_text(code_of(reply.text))
    return Row(step, said, (Version(source, reply.model, now(), None, prompt, reply.text),))


def _one_text(blocks: list[str]) -> str:
    """Return blocks of Python as one, what they import once and first."""
    lines = [line for block in blocks for line in (*block.strip().splitlines(), "", "")]
    imports = dict.fromkeys(line for line in lines if line.startswith(("import ", "from ")))
    rest = "\n".join(line for line in lines if line not in imports).strip()
    return "\n".join((*imports, *(["", ""] if imports else []), rest)) + "\n" if rest else ""


def row_tests(row: Row, brief: Brief) -> tuple[WrittenTest, ...]:
    """Return a row's tests, admitted. Raises BadValue, which says what to change, and MissingPackage."""
    return read_tests(_reply(row), brief, row.subject) if row.has_tests else ()


def wish_of(sheet: Sheet, brief: Brief) -> Wish:
    """Return the wish to plan. Raises BadValue."""
    tests = {n: row_tests(row, brief) for n, row in enumerate(sheet.rows) if row.step and row.has_tests}
    said = tuple(row.description for row in sheet.rows if row.step)
    return Wish(sheet.words, sheet.steps, sheet.goal, tests, row_tests(sheet.rows[-1], brief), said)


def replies_of(sheet: Sheet) -> Mapping[str, str]:
    """Return the sheet as replies to the requests for a wish, each with the version that it is."""
    end = sheet.rows[-1]
    lines = [f"{_call(r.step.name, r.step.args)}; {r.description}" for r in sheet.rows if r.step]
    facts = ", ".join(_call(fact.predicate, fact.args) for fact in sheet.goal)
    plan = "\n".join(("Plan:", *lines, f"achieve_goal(); {end.description}", f"Goal: {facts}"))
    goal = _reply(end) if end.has_tests else "```python\ndef goal_check0() -> bool:\n    return True\n```"
    steps = {f"step {n}": _reply(row) for n, row in enumerate(sheet.rows) if row.step and row.is_tested}
    return {"plan": plan, "goal": goal, **steps}


def _call(name: str, args: tuple[str, ...]) -> str:
    return f"{name}({', '.join(args)})"


def _reply(row: Row) -> str:
    if not row.has_tests:
        return "None"
    v = row.latest
    painted = "" if v.painted is None else f"```python\n{painted_source(v.painted, row.subject)}```"
    written = f"```python\n{v.source}```\n" if v.source.strip() else ""
    return f"Version {len(row.versions)}, by {v.by}, {v.at}.\n{written}{painted}"


# --- painting ----------------------------------------------------------------------------------------------


def painted_source(boxes: tuple[Box, ...], thing: str) -> str:
    """Return the Python of a test that lets a thing go into these boxes only."""
    return (
        f"def {PAINTED}() -> bool:\n    boxes = [{', '.join(map(str, boxes))}]  # mm\n"
        f"    x, y = 1000 * {thing}.pose.x, 1000 * {thing}.pose.y\n"
        f"    return any([a <= x < c and b <= y < d for a, b, c, d in boxes])\n"
    )


def boxes_of(mask: Mask, low: tuple[float, float]) -> tuple[Box, ...]:
    """Return the cells as boxes: runs along y, as wide along x as they stay the same."""
    size, boxes = 1, _runs(mask)
    while len(boxes) > _MOST_BOXES:
        size *= 2
        nx, ny = mask.shape[0] // size, mask.shape[1] // size
        boxes = _runs(np.asarray(mask[: nx * size, : ny * size].reshape(nx, size, ny, size).any(axis=(1, 3))))
    mm, x, y = round(1000 * CELL_M) * size, round(1000 * low[0]), round(1000 * low[1])
    return tuple((x + a * mm, y + b * mm, x + c * mm, y + d * mm) for a, b, c, d in boxes)


def _runs(mask: Mask) -> list[Box]:
    done, going = list[Box](), dict[tuple[int, int], int]()
    for i in range(len(mask) + 1):
        line = mask[i] if i < len(mask) else np.zeros(mask.shape[1], bool)
        turns = np.flatnonzero(np.diff(np.concatenate(([0], line.astype(np.int8), [0]))))
        runs = {(int(a), int(b)) for a, b in turns.reshape(-1, 2)}
        done += [(start, a, i, b) for (a, b), start in going.items() if (a, b) not in runs]
        going = {run: going.get(run, i) for run in sorted(runs)}
    return done


def mask_of(boxes: tuple[Box, ...], low: tuple[float, float], shape: tuple[int, int]) -> Mask:
    """Return which cells lie in the boxes."""
    mask, mm = np.zeros(shape, bool), round(1000 * CELL_M)
    x, y = round(1000 * low[0]), round(1000 * low[1])
    for a, b, c, d in boxes:
        mask[max(0, (a - x) // mm) : max(0, (c - x) // mm), max(0, (b - y) // mm) : max(0, (d - y) // mm)] = (
            True
        )
    return mask
