"""What becomes of a sheet's rows: the region of each, what its tests refuse, and which exclude each other."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

import numpy as np

from core.domains import DomainSpec
from core.errors import BadValue
from core.planning_model import Plan, Problem
from core.ports import Frame
from core.scene import Bodies, Scene, Shot
from core.text.plural import plural
from core.wish import Test
from core.wishes.authoring import Brief
from core.wishes.grasps import GraspTry, why_not
from core.wishes.kept import KeptTest, functions_of, source_for
from core.wishes.region import CELL_M, Places, Region, conflict, find_region, places_of, turns_at
from core.wishes.sheet import Sheet, Version, row_tests

_KNOWN = 200  # rows that are remembered
_BROKEN = "Python that does not run"


@dataclass(frozen=True)
class Look:
    """What a sheet is about. `frame`: the camera's picture, if one could be taken.

    `start` is where a simulator's things are at first, "" as the scene's file says; `is_over` of the last
    look of an episode that has ended.
    """

    domain_spec: DomainSpec
    problem: Problem
    scene: Scene
    frame: Frame | None
    start: str = ""
    is_over: bool = False

    @property
    def moment(self) -> object:
        """Return what tells one look at an episode from another one."""
        return self.scene, self.is_over

    @property
    def when(self) -> str:
        """Return when the table was so, in a sentence with a space; "" if that goes without saying."""
        if self.start:
            return "The table as an episode left it (for its beginning choose the scene again). "
        return "The table as it was seen last in an episode. " if self.is_over else ""

    def brief(self, words: str) -> Brief:
        return Brief(words, self.domain_spec, self.problem, self.scene)


@dataclass(frozen=True)
class Judged:
    """What became of a row's tests. `idle` ones rule nothing out that those before them allow.

    `before` is the region of the version that it is compared with. Of what was kept for such things the row
    has `added`, and `offers` are the others.
    """

    number: int
    region: Region | None = None
    tests: tuple[str, ...] = ()
    fault: str = ""
    idle: tuple[str, ...] = ()
    before: Region | None = None
    offers: tuple[KeptTest, ...] = ()
    added: tuple[KeptTest, ...] = ()
    waits_for: tuple[str, ...] = ()  # things that its tests speak of, and that go elsewhere first
    grasps: tuple[GraspTry, ...] | None = None  # of a pick: with which the arm was tried

    def refusal(self, x: float, y: float) -> str:
        """Return the test that refuses this place, "" if it passes."""
        number = self.region.refusal(x, y) if self.region else None
        return "" if number is None else self.tests[number]

    @property
    def compared(self) -> str:
        """Return what was gained and lost since the version that it is compared with."""
        if self.region is None or self.before is None:
            return ""
        won = (self.region.passes & ~self.before.passes).mean()
        lost = (self.before.passes & ~self.region.passes).mean()
        return f"\n{100 * won:.1f} % gained (crossed), {100 * lost:.1f} % lost (dotted)"


@dataclass(frozen=True)
class Conflict:
    """Rows, and a test of each, that exclude each other; none if a place is left."""

    tests: tuple[tuple[int, str], ...] = ()


@dataclass(frozen=True)
class Rehearsed:
    """A plan, and what each of its steps looks like."""

    plan: Plan
    film: tuple[tuple[Shot, ...], ...] = ()

    def befores(self, sheet: Sheet) -> Mapping[int, Bodies]:
        """Return where things are before each row of the sheet."""
        found, at = dict[int, Bodies](), 0
        for number, row in enumerate(sheet.rows[:-1] if self.film else ()):
            at = next((k for k in range(at, len(self.film)) if self.plan.steps[k] == row.step), at)
            found[number] = self.film[min(at, len(self.film) - 1)][0].bodies
            at += 1
        return found | ({len(sheet.rows) - 1: self.film[-1][-1].bodies} if self.film else {})

    def shots(self, sheet: Sheet, spec: DomainSpec) -> tuple[tuple[Shot, str], ...]:
        """Return each moment with its caption: the step, and what will be asked after it."""
        said = {row.step: row.description for row in sheet.rows if row.is_tested}
        captions = []
        for k, step in enumerate(self.plan.steps):
            asked = f"\nThen asked: is it so that {said[step]}?" if step in said else ""
            captions.append(f"{k + 1} of {len(self.film)}: {spec.describe_step(step)}{asked}")
        return tuple((shot, words) for words, film in zip(captions, self.film, strict=True) for shot in film)


class Judge:
    """Judges rows, and remembers those that have not changed since. Any thread."""

    def __init__(self) -> None:
        self._known: dict[object, tuple[Judged, Bodies | None]] = {}

    def row(
        self,
        brief: Brief,
        sheet: Sheet,
        number: int,
        at: Bodies | None,
        compare: Version | None,
        kept: tuple[KeptTest, ...],
        check: Callable[[], None],
    ) -> Judged:
        """Return what becomes of a row where things are as `at` says. Raises what `check` does."""
        row = sheet.rows[number]
        key = number, sheet.steps, row.latest, id(at), compare, kept, brief.scene
        found, _ = self._known.get(key) or (_judged(brief, sheet, number, at, compare, kept, check), at)
        if len(self._known) >= _KNOWN:
            self._known.clear()
        self._known[key] = found, at  # which is kept, so that no other gets its id
        return found


def _judged(
    brief: Brief,
    sheet: Sheet,
    number: int,
    at: Bodies | None,
    compare: Version | None,
    kept: tuple[KeptTest, ...],
    check: Callable[[], None],
) -> Judged:
    row = sheet.rows[number]
    thing = next((one for one in brief.things if one.name == subject_of(sheet, number)), None)
    if thing is None:
        return Judged(number)
    codes = {one: source_for(one, thing) for one in kept if row.step}
    has = functions_of(row.latest.source)
    added = tuple(one for one, code in codes.items() if code and functions_of(code) <= has)
    offers = tuple(one for one, code in codes.items() if code and one not in added)
    places = places_at(brief, sheet, number, at)
    try:
        tests = row_tests(row, brief)
        found = find_region(places, tests, check)
        before = None
        if compare:
            before = find_region(places, row_tests(replace(row, versions=(compare,)), brief), check)
        idle = tuple(
            test.name
            for k, test in enumerate(tests)
            if found.share and not np.any(found.refused == k) and _ways_to_lie(places, test, found)
        )
    except BadValue as fault:
        return Judged(number, places.nowhere, (_BROKEN,), str(fault), offers=offers, added=added)
    others = {one.subject for one in sheet.rows if one.is_tested} & {
        name for test in tests for name in test.args
    }
    waits = tuple(sorted(others - {thing.name})) if at is None else ()
    names = tuple(test.name for test in tests)
    return Judged(number, found, names, "", idle, before, offers, added, waits)


def _ways_to_lie(places: Places, test: Test, region: Region) -> bool:
    """Return True if a test lets the thing lie on any face and turned any way, at a place that passes."""
    i, j = next(iter(np.argwhere(region.passes)), (0, 0))
    at = region.low[0] + (i + 0.5) * CELL_M, region.low[1] + (j + 0.5) * CELL_M
    return all(sum(turns_at(places, (test,), at, region.rest), ()))


def subject_of(sheet: Sheet, number: int) -> str:
    """Return the thing that a row's region is of: of the end, the one that is put somewhere last."""
    subjects = [row.subject for row in sheet.rows if row.is_tested and row.subject]
    return sheet.rows[number].subject or (subjects[-1] if subjects else "")


def places_at(brief: Brief, sheet: Sheet, number: int, at: Bodies | None = None) -> Places:
    """Return the places for a row's thing, where the step puts it; at the end where any step does."""
    step = sheet.rows[number].step
    return places_of(brief.scene, [step] if step else sheet.steps, subject_of(sheet, number), at)


def find_conflict(brief: Brief, sheet: Sheet, check: Callable[[], None]) -> Conflict:
    """Return the smallest set of tests of one thing's place, and of the end, that leave it no place.

    Tests that speak of another thing that is put somewhere too are left out: where that will be is not known.
    Raises BadValue for a test that does not answer.
    """
    placed = {row.subject: n for n, row in enumerate(sheet.rows) if row.is_tested and row.subject}
    ends = len(sheet.rows) - 1
    for number, row in enumerate(sheet.rows[:-1]):
        if not row.is_tested:
            continue
        tests = [(number, test) for test in row_tests(row, brief)]
        if placed[row.subject] == number and row.step and row.step.name != "pour":
            tests += [(ends, test) for test in row_tests(sheet.rows[ends], brief)]
        others = placed.keys() - {row.subject}
        mine = [(n, test) for n, test in tests if row.subject in test.args and not others & {*test.args}]
        found = conflict(places_at(brief, sheet, number), [(test,) for _, test in mine], check)
        if found:
            return Conflict(tuple((mine[k][0], mine[k][1].name) for k in found))
    return Conflict()


@dataclass(frozen=True)
class RowWords:
    """A row in words. `level` is "", "doubt" or "fault"."""

    number: int
    name: str
    state: str
    level: str = ""
    note: str = ""


def _sentences(*parts: str) -> str:
    """Return the parts as sentences; the name of a test keeps its first letter."""
    return ". ".join(p if "_" in p.split()[0] else p[0].upper() + p[1:] for p in parts if p)


def row_words(
    sheet: Sheet, number: int, judged: Judged | None, conflict: Conflict, spec: DomainSpec
) -> RowWords:
    row = sheet.rows[number]
    name = spec.describe_step(row.step).capitalize() if row.step else "At the end"
    if not row.is_tested:
        if judged is None or judged.grasps is None:
            return RowWords(number, name, "any grasp", note=_sentences(row.description))
        free = sum(not one.words for one in judged.grasps)
        state = f"{free} of {plural(len(judged.grasps), 'grasp')}" if judged.grasps else "no grasp"
        note = _sentences(row.description, why_not(judged.grasps))
        return RowWords(number, name, state, "" if free else "doubt", note)
    notes = [row.description] if row.step else []
    if len(row.versions) > 1:
        notes.append(f"version {len(row.versions)}, by {row.latest.by}, {row.latest.at}")
    notes += [f"{test} rules nothing out" for test in judged.idle] if judged else []
    notes += [f"kept by {one.by}: {one.words} (A adds it)" for one in judged.offers] if judged else []
    if judged is None:
        return RowWords(number, name, "being judged", note=_sentences(*notes))
    if judged.fault:
        return RowWords(number, name, "does not run", "fault", _sentences(judged.fault.rstrip("."), *notes))
    if any(n == number for n, _ in conflict.tests):
        both = " and ".join(f"{test} of row {n + 1}" for n, test in conflict.tests)
        together = f"{both} {'exclude each other' if len(conflict.tests) > 1 else 'fits nowhere'}"
        return RowWords(number, name, "in conflict", "doubt", _sentences(together, *notes))
    where = judged.region.in_words().replace(" of the table", "") if judged.region else ""
    if judged.waits_for and judged.region and not judged.region.share:
        first = " and ".join(name.replace("_", " ") for name in judged.waits_for)
        note = f"nothing passes before {first} is moved as the plan does"
        return RowWords(number, name, "shown once rehearsed", note=_sentences(*notes, note))
    if judged.region is None or not judged.region.share:
        return RowWords(number, name, "nothing passes", "doubt", _sentences(*notes))
    state = f"{'passes' if judged.tests else 'no test'}: {where}"
    return RowWords(number, name, state, note=_sentences(*notes))
