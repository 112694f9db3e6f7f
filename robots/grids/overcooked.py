"""Overcooked: two players chop lettuce and tomato, merge them, and deliver the salad on a plate.

The paper leaves open: each thing is there once; chopping needs free hands; a salad stays where it was merged.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from random import Random
from typing import NamedTuple

from core.belief import Atom
from core.drafting.world import Cell, State
from core.planning_model import Domain, Problem
from robots.grids.cells import (
    DIRECTIONS,
    described,
    facts,
    grid_problem,
    inside,
    links,
    named,
    near,
    neighbours,
    places,
    side,
    square,
    the_one,
)

FOODS, PLATE = ("lettuce", "tomato"), "plate-1"
THINGS = (*FOODS, PLATE)


class Kitchen(NamedTuple):
    """A state; a thing's cell is None in a hand or in a salad."""

    players: tuple[Cell, ...]
    held: tuple[str | None, ...]
    lies: tuple[Cell | None, ...]  # as THINGS
    chopped: frozenset[str] = frozenset()
    salad: str | None = None  # the food that has become one
    plated: bool = False
    delivered: bool = False

    def place(self, thing: str) -> Cell | None:
        return self.lies[THINGS.index(thing)]

    def put(self, thing: str, cell: Cell | None) -> tuple[Cell | None, ...]:
        return tuple(cell if t == thing else c for t, c in zip(THINGS, self.lies, strict=True))


@dataclass(frozen=True)
class Overcooked:
    name: str
    size: int
    players: tuple[Cell, ...]
    counters: frozenset[Cell]
    lies: tuple[Cell, ...]  # as THINGS
    board: Cell
    delivery: Cell

    @property
    def first(self) -> State:
        return Kitchen(self.players, (None,) * len(self.players), self.lies)

    @property
    def _names(self) -> list[str]:
        return [f"player-{i}" for i, _ in enumerate(self.players, 1)]

    @cached_property
    def words(self) -> tuple[str, ...]:
        said = [f"move {d}" for d in DIRECTIONS]
        for food, other in (FOODS, FOODS[::-1]):
            said += [f"pick-ingredient {food}", f"chop {food}", f"merge-ingredient {food} {other}"]
            said += [f"drop-ingredient {food} {d}" for d in DIRECTIONS]
        said += [f"{verb} {PLATE}" for verb in ("pick-plate", "put-plate", "deliver")]
        said += [f"drop-plate {PLATE} {d}" for d in DIRECTIONS]
        return tuple(f"{player} {word}" for player in self._names for word in said)

    def do(self, state: State, word: str) -> State | str:
        now = Kitchen(*state)
        who, verb, what, *rest = word.split()
        number = int(who.removeprefix("player-")) - 1
        at, mine = now.players[number], now.held[number]
        if verb == "move":
            to = near(at, what)
            if not inside(to, self.size) or to in self.counters or to in now.players:
                return f"{named(to)} is no free floor"
            return now._replace(players=(*now.players[:number], to, *now.players[number + 1 :]))

        def beside(cell: Cell | None) -> bool:
            return cell is not None and any(near(at, d) == cell for d in DIRECTIONS)

        def holding(thing: str | None) -> tuple[str | None, ...]:
            return (*now.held[:number], thing, *now.held[number + 1 :])

        if verb in ("chop", "pick-ingredient", "pick-plate"):
            if mine:
                return f"{who} holds {mine}"
            if not beside(now.place(what)):
                return f"{what} does not lie beside {who}"
            if verb != "chop":
                return now._replace(held=holding(what), lies=now.put(what, None))
            if now.place(what) != self.board or what in now.chopped:
                return f"{what} is {'chopped already' if what in now.chopped else 'not on the board'}"
            return now._replace(chopped=now.chopped | {what})
        if mine != what:
            return f"{who} does not hold {what}"
        if verb.startswith("drop"):
            to = near(at, rest[0])
            if to not in self.counters or to == self.delivery or to in now.lies:
                return f"{named(to)} is no free counter"
            return now._replace(held=holding(None), lies=now.put(what, to))
        if verb == "merge-ingredient":
            if not {what, rest[0]} <= now.chopped:
                return "both must be chopped"
            if not beside(now.place(rest[0])):
                return f"{rest[0]} does not lie beside {who}"
            return now._replace(held=holding(None), salad=rest[0])
        if verb == "put-plate":
            if now.plated or not now.salad or not beside(now.place(now.salad)):
                return f"no salad lies beside {who}"
            return now._replace(lies=now.put(now.salad, None), plated=True)
        if not now.plated or not beside(self.delivery):
            return "the plate is empty" if not now.plated else f"the delivery point is not beside {who}"
        return now._replace(held=holding(None), delivered=True)

    def reached(self, state: State) -> bool:
        return Kitchen(*state).delivered

    def cells(self, state: State) -> dict[Cell, str]:
        now = Kitchen(*state)
        shown = dict.fromkeys(square(self.size), "floor") | dict.fromkeys(self.counters, "counter")
        shown |= {self.board: "board", self.delivery: "delivery"}
        lying = zip(THINGS, now.lies, strict=True)
        shown |= {cell: thing.removesuffix("-1") for thing, cell in lying if cell}
        return shown | dict(zip(now.players, self._names, strict=True))

    @property
    def scene(self) -> str:
        players = (f"{who} is at ({named(c)})." for who, c in zip(self._names, self.players, strict=True))
        things = (f"{what} is at ({named(c)})." for what, c in zip(THINGS, self.lies, strict=True))
        board = f"The chopping board is at ({named(self.board)})."
        delivery = f"The delivery position is at ({named(self.delivery)})."
        lines = (*players, *things, board, delivery, places("counters", self.counters))
        return described(self.size, lines, "The salad was delivered on the plate")

    def problem(self, domain: Domain) -> Problem:
        shut = {*self.players, *self.lies, self.delivery}
        state = links(self.size) + facts("counter", self.counters)
        state += facts("floor", (cell for cell in square(self.size) if cell not in self.counters))
        state += facts("clear", (cell for cell in square(self.size) if cell not in shut))
        state += [Atom("adjacent", (here, there)) for here, there, _ in neighbours(self.size)]
        for who, cell in zip(self._names, self.players, strict=True):
            state += [Atom("at", (who, named(cell))), Atom("free", (who,))]
        for thing, cell in zip(THINGS, self.lies, strict=True):
            kind, fresh = ("plate", "empty") if thing == PLATE else ("ingredient", "unchopped")
            state += [Atom(f"{kind}-at", (thing, named(cell))), Atom(fresh, (thing,))]
        state.append(Atom("board-at", ("board-1", named(self.board))))
        state.append(Atom("delivery-at", ("exit-1", named(self.delivery))))
        objects = dict.fromkeys(self._names, "player") | dict.fromkeys(FOODS, "ingredient")
        objects |= {PLATE: "plate", "board-1": "chopping-board", "exit-1": "delivery-point"}
        return grid_problem(self, domain, objects, state, [Atom("delivered", (PLATE,))])


def overcooked(size: int, seed: int) -> Overcooked:
    draw = Random(f"overcooked {size} {seed}")
    border = {cell for cell in square(size) if 1 in cell or size in cell}
    while True:
        counters = border | {c for c in square(size) if c not in border and draw.random() < 0.08}
        floor = [cell for cell in square(size) if cell not in counters]
        if not _in_one_piece(floor):
            continue
        used = sorted(c for c in counters if any(near(c, d) in floor for d in DIRECTIONS))
        *lies, board, delivery = draw.sample(used, 5)
        players = tuple(draw.sample(floor, 2))
        name = f"overcooked-{size}-{seed}"
        return Overcooked(name, size, players, frozenset(counters), tuple(lies), board, delivery)


def _in_one_piece(floor: list[Cell]) -> bool:
    found, open_ = {floor[0]}, [floor[0]]
    while open_:
        here = open_.pop()
        new = {near(here, d) for d in DIRECTIONS} & set(floor) - found
        found |= new
        open_ += new
    return len(found) == len(floor)


def overcooked_shown(name: str, cells: Mapping[Cell, str]) -> Overcooked:
    players = the_one(cells, "player-1"), the_one(cells, "player-2")
    lies = tuple(the_one(cells, thing.removesuffix("-1")) for thing in THINGS)
    counters = frozenset(cell for cell in cells if cells[cell] != "floor" and cell not in players)
    board, delivery = the_one(cells, "board"), the_one(cells, "delivery")
    return Overcooked(name, side(cells), players, counters, lies, board, delivery)
