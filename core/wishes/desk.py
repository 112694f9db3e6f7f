"""A person at work on a sheet: which row is theirs, what they change in it, and undo over everything."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

import numpy as np

from core.scene import Bodies, Pose, SceneThing
from core.text.plural import plural
from core.wishes.authoring import Brief
from core.wishes.grasps import GraspTry, in_words
from core.wishes.judging import Conflict, Judged, Look, Rehearsed, RowWords, places_at, row_words, subject_of
from core.wishes.kept import Keeping, KeptTest, source_for
from core.wishes.region import CELL_M, Cells, Places, Region
from core.wishes.sheet import Mask, Row, Sheet, Version, boxes_of, mask_of, now

BRUSH_M = HERE_M = 0.02  # half the width of the brush, and of "here"
TOOLS = ("Look", "Brush", "Erase", "Box", "Here")
LOOK, PAINT, ERASE, BOX, HERE = range(len(TOOLS))
Place = tuple[float, float]
_TRIED = 100  # places or so at which the arm is tried
OFF = "off the table"


@dataclass(frozen=True)
class Job:
    """What is to be judged or planned: a sheet, its current row, and where things are before each row."""

    brief: Brief
    sheet: Sheet
    number: int
    befores: Mapping[int, Bodies]
    compared: Version | None = None

    @property
    def places(self) -> Places:
        """Return the places for the current row's thing."""
        return places_at(self.brief, self.sheet, self.number, self.befores.get(self.number))


@dataclass(frozen=True)
class Hindrances:
    """What hinders the arm: for each cell of a region the number of its words, or -1. Neither picture nor
    words are made of anything else.
    """

    cells: Cells = field(default_factory=lambda: np.zeros((0, 0), np.int16))
    words: tuple[str, ...] = ()

    def at(self, cell: tuple[int, int]) -> str:
        return self.words[self.cells[cell]] if self.words and self.cells[cell] >= 0 else ""


@dataclass(frozen=True)
class Shown:
    """What is painted over the picture. `before` is the region of the version that is compared with."""

    region: Region | None = None
    before: Region | None = None
    painted: Mask | None = None
    hindrances: Hindrances = Hindrances()
    grasps: tuple[GraspTry, ...] | None = None  # of a pick
    note: str = ""  # in words, for whoever sees no picture
    refusal: Callable[[float, float], str] = lambda x, y: ""  # the test that refuses a place, "" if it passes
    lint: str = ""  # what is said of the text of the tests
    is_broken: bool = False

    def words_at(self, at: Place) -> str:
        """Return whether a place passes, else which test refuses it, and what would hinder the arm there."""
        if self.region is None:
            return ""
        if (cell := self.region.cell(*at)) is None:
            return OFF
        if refused := self.refusal(*at):
            return f"refused by {refused}"
        return ", but ".join(filter(None, ("passes", self.hindrances.at(cell))))


class Desk:
    """One sheet and who changes it. `number` is the current row, compared with a version `back` ones ago."""

    def __init__(
        self, sheet: Sheet, look: Look, by: str, befores: Mapping[int, Bodies] | None = None
    ) -> None:
        """`befores` are of a sheet from the log, which nobody changes: where things were before each row."""
        self.look, self._by, self._befores = look, by, befores
        self.sheet, self.number, self.back = sheet, 0, 0
        self.judged: dict[int, Judged] = {}
        self.conflict, self.hindrances = Conflict(), Hindrances()
        self.rehearsed: Rehearsed | None = None
        self._past: list[Sheet] = []
        self._future: list[Sheet] = []
        self._typing = False
        self._forgotten: KeptTest | None = None
        self.turn_to(next((n for n, row in enumerate(sheet.rows) if row.is_tested), 0))

    @property
    def row(self) -> Row:
        return self.sheet.rows[self.number]

    @property
    def compared(self) -> Version | None:
        return self.row.versions[-1 - self.back] if self.back else None

    @property
    def job(self) -> Job:
        befores = self.rehearsed.befores(self.sheet) if self.rehearsed else self._befores or {}
        return Job(self.look.brief(self.sheet.words), self.sheet, self.number, befores, self.compared)

    @property
    def here(self) -> Judged | None:
        """Return what became of the current row."""
        return self.judged.get(self.number)

    @property
    def shown(self) -> Shown:
        """Return what the picture shows of the current row."""
        here = self.here
        thing = subject_of(self.sheet, self.number).replace("_", " ")
        if here is None:
            return Shown()
        if here.grasps is not None:
            return Shown(grasps=here.grasps, note=f"{thing}: {in_words(here.grasps)}")
        if here.region is None:
            return Shown()
        region, boxes = here.region, self.row.latest.painted
        painted = None if boxes is None else mask_of(boxes, region.low, region.refused.shape)
        one = "" if painted is None else ", of which one is painted"
        lint = here.fault or f"Checked: {plural(len(here.tests), 'test')}{one}"
        where = "its Python does not run" if here.fault else f"{region.in_words()}{here.compared}"
        tried, broken = self.hindrances, bool(here.fault)
        return Shown(
            region, here.before, painted, tried, None, f"{thing}: {where}", here.refusal, lint, broken
        )

    def words(self) -> tuple[RowWords, ...]:
        spec, judged = self.look.domain_spec, self.judged
        rows = range(len(self.sheet.rows))
        return tuple(row_words(self.sheet, n, judged.get(n), self.conflict, spec) for n in rows)

    def follow(self, look: Look) -> None:
        """Take in where things are now; what was rehearsed before counts no longer."""
        self.look, self.rehearsed, self.hindrances = look, None, Hindrances()
        self.judged = {n: one for n, one in self.judged.items() if one.grasps is None}

    def turn_to(self, number: int) -> None:
        self.number, self.back, self._typing, self.hindrances = number, 0, False, Hindrances()

    def compare(self) -> bool:
        """Compare with the version before, then with the one before that, then with none."""
        self.back = (self.back + 1) % len(self.row.versions)
        return len(self.row.versions) > 1

    # --- changes: each returns True if there is one --------------------------------------------------------

    def undo(self) -> bool:
        return self._step(self._past, self._future)

    def redo(self) -> bool:
        return self._step(self._future, self._past)

    def _step(self, source: list[Sheet], target: list[Sheet]) -> bool:
        if not source:
            return False
        target.append(self.sheet)
        return self._show(source.pop())

    def type(self, source: str) -> bool:
        """Change the row's text; as long as a person types, it is one version and one step to undo."""
        same = source.strip() == self.row.latest.source.strip()
        if not self.row.is_tested or self.is_logged or same:
            return False
        changed = self._edited(self.row.latest, source=source)
        if self._typing:
            self._show(self.sheet.with_version(self.number, changed, again=True))
        else:
            self._change(changed)
        self._typing = True
        return True

    def paint(self, mask: Mask) -> bool:
        """Make what is painted a test of this person's beside the others; at the end nothing is painted."""
        if self.row.step is None or self.here is None or self.here.region is None:
            return False
        boxes = boxes_of(mask, self.here.region.low)
        return self._change(self._edited(self.row.latest, painted=boxes))

    def take_back(self) -> bool:
        """Make the version that is compared with the latest one."""
        return self.compared is not None and self._change(self._edited(self.compared))

    def add_kept(self) -> bool:
        """Add the first kept test that is offered to the row's own."""
        thing = self._thing()
        if self.here is None or not self.here.offers or thing is None:
            return False
        source = f"{self.row.latest.source.rstrip()}\n\n\n{source_for(self.here.offers[0], thing)}"
        return self._change(self._edited(self.row.latest, source=source.lstrip()))

    def keep(self) -> Keeping | None:
        """Return the row's tests as ones to keep, None without any."""
        thing, row = self._thing(), self.row
        if thing is None or not row.latest.source.strip():
            return None
        one = KeptTest(row.description, row.latest.source, thing.name, thing.categories, self._by, now())
        return Keeping(one, "Kept: it is offered for such things from now on.")

    def forget(self) -> Keeping | None:
        """Return a test that is offered, or in the row, as one to forget, else the one just forgotten."""
        offers, added = (self.here.offers, self.here.added) if self.here else ((), ())
        if one := next(iter((*offers, *added)), None):
            self._forgotten = one
            stays = "" if one in offers else " What the row has of it stays."
            last = "" if len(offers) + len(added) > 1 else " F keeps it after all."
            return Keeping(one, f"Forgotten: {one.words}.{stays}{last}", forget=True)
        before, self._forgotten = self._forgotten, None
        return Keeping(before, f"Kept again: {before.words}.") if before else None

    def _thing(self) -> SceneThing | None:
        return next((thing for thing in self.look.scene.things if thing.name == self.row.subject), None)

    def _edited(self, version: Version, **changes: object) -> Version:
        return replace(version, by=self._by, at=now(), prompt="", reply="", **changes)  # type: ignore[arg-type]

    @property
    def is_logged(self) -> bool:
        return self._befores is not None

    def _change(self, version: Version) -> bool:
        if self.is_logged:
            return False
        self._past.append(self.sheet)
        self._future.clear()
        return self._show(self.sheet.with_version(self.number, version))

    def _show(self, sheet: Sheet) -> bool:
        self.sheet, self.back, self._typing = sheet, 0, False
        self.conflict, self.rehearsed, self.hindrances = Conflict(), None, Hindrances()  # of another sheet
        return True


def to_try(job: Job, region: Region) -> tuple[tuple[Pose, ...], Cells]:
    """Return some poses that pass, for the arm to be tried at; and for each cell which one stands for it, or
    -1: of each block of cells, the one next to its middle among those that pass.
    """
    cells, numbers = np.argwhere(region.passes), np.full(region.refused.shape, -1, np.int16)
    if not len(cells):
        return (), numbers
    step = max(2, math.ceil(math.sqrt(len(cells) / _TRIED)))
    cells = cells[np.argsort(np.abs(cells % step - step // 2).sum(axis=1), kind="stable")]
    _, first, block = np.unique(cells // step, axis=0, return_index=True, return_inverse=True)
    numbers[tuple(cells.T)] = block.reshape(-1)
    grid = (cells[first] + 0.5) * CELL_M + np.array(region.low)
    states = job.places.states(grid, region.rest, region.yaw)
    return tuple(state[subject_of(job.sheet, job.number)].pose for state in states), numbers


def canvas(region: Region, painted: Mask | None, tool: int) -> Mask:
    """Return what to paint on: what is painted already, else all of the table to erase from, or nothing."""
    return painted.copy() if painted is not None else np.full(region.refused.shape, tool == ERASE)


def stroke(mask: Mask, low: Place, tool: int, corner: Place, at: Place) -> Mask:
    """Return the mask after a tool was used at a place; of a box, `corner` is the first one."""
    i, j = np.indices(mask.shape)
    x, y = (i + 0.5) * CELL_M + low[0], (j + 0.5) * CELL_M + low[1]
    if tool == HERE:
        return np.asarray(np.maximum(abs(x - at[0]), abs(y - at[1])) <= HERE_M)
    if tool == BOX:
        (a, c), (b, d) = sorted((corner[0], at[0])), sorted((corner[1], at[1]))
        return np.asarray(mask | ((a <= x) & (x <= c) & (b <= y) & (y <= d)))
    return np.asarray(np.where(np.hypot(x - at[0], y - at[1]) <= BRUSH_M, tool == PAINT, mask))
