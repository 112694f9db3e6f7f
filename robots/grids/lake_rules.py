"""FrozenLake by other rules: the fifteen variants of appendix D, r1 to r15, and five unseen ones, u1 to u5.

What each rule says, and its reference PDDL, is in `resources/grids/frozenlake/rules.toml`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache, cached_property
from itertools import count
from string import Template

from pydantic import RootModel
from pydantic.dataclasses import dataclass as checked

from core.belief import Atom
from core.data_file import FILE, load_toml
from core.drafting.world import Cell, State
from core.install_paths import resource_path
from core.planning.pddl.reader import parse_domain
from core.planning_model import Domain, Literal, Problem
from robots.grids import cells as grid
from robots.grids.lake import Lake, frozenlake, lake_shown

FIRST: Mapping[str, State] = {  # what a rule keeps beside the cell
    **dict.fromkeys(("r1", "r6", "r7", "r14", "u4", "u5"), (False,)),
    "r2": ((), False),  # the first ice hole, and whether there was another
    **dict.fromkeys(("r5", "u3"), ("", 0)),  # the way that was said last, and how often
    **dict.fromkeys(("r10", "r11"), (False, "", 0)),  # and whether this counts already
}
TIMES = {"r5": 2, "u3": 3, "r10": 2, "r11": 3}  # that a move must be said
FLIGHT = {"r7": 2, "u4": 3}  # cells
_HEAD = "(define (domain frozenlake) (:requirements :adl :derived-predicates)"
_MACROS = {
    "step": "(at ?from) ({d}_direction ?from ?to)",
    "go": "(not (at ?from)) (at ?to)",
    "clear": " ".join(f"(not ({times}-{d}))" for times in ("once", "twice") for d in grid.DIRECTIONS),
}


@dataclass(frozen=True)
class RuledLake(Lake):
    """A state is the agent's row and column, and what the rule keeps."""

    rule: str = ""

    @property
    def start(self) -> Cell:
        return self.first[0], self.first[1]

    @cached_property
    def words(self) -> tuple[str, ...]:  # type: ignore[override]
        verbs = ("move", "rocket") if self.rule in FLIGHT else ("move",)
        return tuple(f"{verb} {way}" for verb in verbs for way in grid.DIRECTIONS)

    def do(self, state: State, word: str) -> State | str:
        at, kept = (state[0], state[1]), state[2:]
        verb, way = word.split()
        if self.rule == "u5" and kept[0]:
            return (*at, False)
        if verb == "rocket":
            return self._flown(at, kept, way)
        to = grid.near(at, way)
        if not grid.inside(to, self.size):
            return grid.BORDER
        if self.rule in TIMES:
            return self._said(at, kept, way, to)
        end = self._end(at, way, to) if self.rule not in FIRST else to
        if isinstance(end, str):
            return end
        hole = to in self.bad
        match self.rule:
            case "r1" | "r7" | "u4" | "u5":
                kept = (kept[0] or hole,)
            case "r2" if hole:
                kept = (kept[0] or to, kept[1] or kept[0] not in ((), to))
            case "r6" if hole:
                return "that is the second ice hole, so the game ends" if kept[0] else (*to, True)
            case "r14" if hole:
                kept = (not kept[0],)
        return (*end, *kept)

    def _flown(self, at: Cell, kept: State, way: str) -> State | str:
        if not kept[0]:
            return "there is no rocket"
        for _ in range(FLIGHT[self.rule]):
            at = grid.near(at, way)
        return (*at, at in self.bad) if grid.inside(at, self.size) else grid.BORDER

    def _said(self, at: Cell, kept: State, way: str, to: Cell) -> State:
        """Return the state after a move was said that must be said more than once."""
        *bound, last, count = kept
        counts = bound[0] if bound else at in self.bad
        said = (count if last == way else 0) + 1 if counts else 0
        if counts and said < TIMES[self.rule]:
            return (*at, *bound, way, said)
        return (*to, *(one or to in self.bad for one in bound), "", 0)

    def _end(self, at: Cell, way: str, to: Cell) -> Cell | str:
        """Return where one ends who steps from a cell onto another, by a rule that keeps nothing."""
        if self.rule == "r15" and at in self.bad and way in ("left", "right"):
            return "on an ice hole one can only move up or down"
        if to not in self.bad:
            return to
        match self.rule:
            case "r3":
                return next(hole for hole in self.bad if hole != to)
            case "r4":
                return self.start
            case "r8" if grid.near(to, way) in self.bad:
                while to in self.bad and grid.inside(grid.near(to, way), self.size):
                    to = grid.near(to, way)
            case "r9" if way != "down":
                return "an ice hole can be stepped on from above only"
            case "r12":
                return self._far(to, way)
            case "r13":
                return self._far(to, grid.turned(way, 2))
            case "u1":
                return self._far(to, way, 2)
            case "u2":
                return 2, 2
        return to

    def _far(self, cell: Cell, way: str, most: int = 8) -> Cell:
        for _ in range(most):
            cell = grid.near(cell, way) if grid.inside(grid.near(cell, way), self.size) else cell
        return cell

    def reached(self, state: State) -> bool:
        goal = self.start if self.rule == "r14" and state[2] else self.goal
        needed = {"r1": 2, "r2": 3}.get(self.rule)  # where the state has whether the holes were stepped on
        return (state[0], state[1]) == goal and (needed is None or bool(state[needed]))

    def cells(self, state: State) -> dict[Cell, str]:
        shown = super().cells(state)
        if self.rule == "r14" and state[2]:
            shown |= {self.goal: "floor", self.start: "goal", (state[0], state[1]): "agent"}
        return shown

    def problem(self, domain: Domain) -> Problem:
        """Return the map with what the rule needs to know of it: the origin, the borders, the arrival."""
        plain, goal = super().problem(domain), references()[self.rule][2]
        known = {p.name for p in domain.predicates}
        more = (
            grid.facts("origin", [self.start])
            + grid.facts("goal", [self.goal])
            + grid.facts("arrival", [(2, 2)])
        )
        for way in grid.DIRECTIONS:
            ends = ((cell, self._far(cell, way)) for cell in grid.square(self.size))
            more += [Atom(f"{way}_border", (grid.named(cell), grid.named(end))) for cell, end in ends]
        more += [Atom("upright-up", ()), Atom("upright-down", ())]
        aims = (*goal, *((Literal("at", (grid.named(self.goal),)),) if self.rule != "r14" else ()))
        state = plain.state | {fact for fact in more if fact.predicate in known}
        return replace(plain, state=state, goal=aims)


def ruled_lake(rule: str, size: int, seed: int) -> RuledLake:
    """Return a map that can be won, with two ice holes for r3, and with two or more for r2."""
    for number in count(seed * 1_000):
        made = frozenlake(size, number)
        lake = _ruled(f"frozenlake-{rule}-{size}-{seed}", made)
        holes = len(made.bad)
        if (holes == 2 if rule == "r3" else holes >= 2) and grid.can_be_won(lake):
            return lake
    raise AssertionError


def ruled_lake_shown(name: str, cells: Mapping[Cell, str]) -> RuledLake:
    return _ruled(name, lake_shown(name, cells))


def _ruled(name: str, lake: Lake) -> RuledLake:
    rule = name.split("-")[1]
    first: State = (*lake.first, *FIRST.get(rule, ()))
    return RuledLake(name, lake.size, first, lake.goal, lake.bad, rule)


@checked(frozen=True, config=FILE)
class _Rule:
    rule: str
    pddl: str
    goal: str = ""


def _domain(pddl: str) -> Domain:
    """Return the reference of a rule. A line that names a direction is there once for each."""
    lines = Template(pddl).safe_substitute(_MACROS).splitlines()
    ways = ((line, d) for line in lines for d in (grid.DIRECTIONS if "{d}" in line else ("up",)))
    parts = (line.replace("{d}", d).replace("{o}", grid.turned(d, 2)) for line, d in ways)
    return parse_domain("\n".join((_HEAD, *parts, ")")))


@cache
def references() -> dict[str, tuple[str, Domain, tuple[Literal, ...]]]:
    """Return each rule: what it says, its reference domain, and what the goal needs beside the place."""
    file = resource_path("resources", "grids", "frozenlake", "rules.toml")
    rules = load_toml(file, RootModel[dict[str, _Rule]]).root
    goals = {name: (Literal(rule.goal.strip("()"), ()),) if rule.goal else () for name, rule in rules.items()}
    return {name: (rule.rule, _domain(rule.pddl), goals[name]) for name, rule in rules.items()}
