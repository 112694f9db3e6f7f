"""The true facts on a table of wishes, from where everything is. Never shown to a policy."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from core.belief import Atom
from core.motion.frames import Frame
from core.planning import semantics
from core.planning.outcomes import effects_hold
from core.planning_model import Problem, Step, Typed
from robots.table.detectors import is_done
from robots.table.stock import stock_of
from robots.ur5e.emulator.scene import TabletopScene
from robots.ur5e.motion.rehearsal import SHARE_POURED
from robots.ur5e.motion.situation import TABLE, is_inside

_UNDER_M = 0.006  # by which the centre of what carries something is lower


def table_atoms(
    problem: Problem, table: TabletopScene, course: Sequence[Mapping[str, Frame]], held: str
) -> frozenset[Atom]:
    """Return every atom that holds. `course` are the poses at first and after each step, last now."""
    poses, kinds = course[-1], {thing.name: thing.kind for thing in table.things}
    found = {Atom("holding", (held,))} if held else {Atom("handempty")}
    vessels = problem.of_type("vessel")
    for name in problem.of_type("movable"):
        into = [v for v in vessels if v != name and is_inside(poses[name], poses[v], kinds[v])]
        found |= {Atom("inside", (name, v)) for v in into}
        if name != held and not into:
            found |= {Atom("on", (name, under)) for under in _under(name, table, poses)}
    if is_done(problem.name, course, kinds):
        found.add(Atom("achieved"))
    return frozenset(found)


def _under(name: str, table: TabletopScene, poses: Mapping[str, Frame]) -> list[str]:
    """Return the surfaces over which a thing is."""
    x, y = poses[name][:2, 3]
    places = {n: (*(kind.at or (0, 0)), kind.half) for n, kind in table.marks.items()}
    lower = {t.name: t.kind for t in table.things if poses[t.name][2, 3] < poses[name][2, 3] - _UNDER_M}
    flat = {n: kind.half for n, kind in lower.items() if not kind.is_open and kind.shape != "ball"}
    places |= {n: (*poses[n][:2, 3], half) for n, half in flat.items()}
    over = [n for n, (u, v, half) in places.items() if abs(x - u) < half[0] and abs(y - v) < half[1]]
    return over or [TABLE]


class KnownTable:
    """Implements GroundTruth and StepTruth for a robot that knows where everything is. One thread."""

    situation = ""  # steps here go wrong by themselves alone

    def __init__(self, problem: Problem, table: TabletopScene) -> None:
        at_hand = tuple(Typed(item.name, item.sort) for item in stock_of(problem, table))
        self._problem, self._made = replace(problem, objects=(*problem.objects, *at_hand)), table
        self._course = [self._poses()]
        self._poured: set[Atom] = set()
        self._last: tuple[Step, frozenset[Atom]] | None = None

    def _poses(self) -> Mapping[str, Frame]:
        raise NotImplementedError

    def _held(self) -> str:
        raise NotImplementedError

    def _begin(self, step: Step) -> None:
        self._last = step, self.truth()

    def _end(self, step: Step) -> None:
        self._course.append(self._poses())
        if step.name == "pour" and _was_poured(step, self._made, *self._course[-2:]):
            self._poured.add(Atom("poured", step.args))

    def truth(self) -> frozenset[Atom]:
        course = [*self._course, self._poses()]
        return table_atoms(self._problem, self._made, course, self._held()) | self._poured

    def is_observable(self, atom: Atom) -> bool:
        return True

    def step_succeeded(self) -> bool | None:
        return self._last and effects_hold(self._problem, self._last[1], self.truth(), self._last[0])

    def step_possible(self, step: Step) -> bool:
        return not semantics.inapplicable_reasons(self._problem, self.truth(), step)


def _was_poured(
    step: Step, table: TabletopScene, before: Mapping[str, Frame], now: Mapping[str, Frame]
) -> bool:
    """Return True if most of what was in a thing is in the target now; if that is flat, out of the thing."""
    name, target = step.args
    kinds = {thing.name: thing.kind for thing in table.things}
    was_in = [n for n in now if is_inside(before[n], before[name], kinds[name])]
    into = kinds.get(target)
    if into is None or not into.is_open:
        return any(not is_inside(now[n], now[name], kinds[name]) for n in was_in)
    landed = sum(is_inside(now[n], now[target], into) for n in was_in)
    return bool(was_in) and landed >= SHARE_POURED * len(was_in)
