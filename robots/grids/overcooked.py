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
from robots.grids import cells as grid

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
        said = [f"move {d}" for d in grid.DIRECTIONS]
        for food, other in (FOODS, FOODS[::-1]):
            said += [f"pick-ingredient {food}", f"chop {food}", f"merge-ingredient {food} {other}"]
            said += [f"drop-ingredient {food} {d}" for d in grid.DIRECTIONS]
        said += [f"{verb} {PLATE}" for verb in ("pick-plate", "put-plate", "deliver")]
        said += [f"drop-plate {PLATE} {d}" for d in grid.DIRECTIONS]
        return tuple(f"{player} {word}" for player in self._names for word in said)

    def do(self, state: State, word: str) -> State | str:
        now = Kitchen(*state)
        who, verb, what, *rest = word.split()
        number = int(who.removeprefix("player-")) - 1
        at, mine = now.players[number], now.held[number]
        if verb == "move":
            to = grid.near(at, what)
            if not grid.inside(to, self.size) or to in self.counters or to in now.players:
                return f"{grid.named(to)} is no free floor"
            return now._replace(players=(*now.players[:number], to, *now.players[number + 1 :]))

        beside = grid.around(at)

        def holding(thing: str | None) -> tuple[str | None, ...]:
            return (*now.held[:number], thing, *now.held[number + 1 :])

        if verb in ("chop", "pick-ingredient", "pick-plate"):
            if mine:
                return f"{who} holds {mine}"
            if now.place(what) not in beside:
                return f"{what} does not lie beside {who}"
            if verb != "chop":
                return now._replace(held=holding(what), lies=now.put(what, None))
            if now.place(what) != self.board or what in now.chopped:
                return f"{what} is {'chopped already' if what in now.chopped else 'not on the board'}"
            return now._replace(chopped=now.chopped | {what})
        if mine != what:
            return f"{who} does not hold {what}"
        if verb.startswith("drop"):
            to = grid.near(at, rest[0])
            if to not in self.counters or to == self.delivery or to in now.lies:
                return f"{grid.named(to)} is no free counter"
            return now._replace(held=holding(None), lies=now.put(what, to))
        if verb == "merge-ingredient":
            if not {what, rest[0]} <= now.chopped:
                return "both must be chopped"
            if now.place(rest[0]) not in beside:
                return f"{rest[0]} does not lie beside {who}"
            return now._replace(held=holding(None), salad=rest[0])
        if verb == "put-plate":
            if now.plated or not now.salad or now.place(now.salad) not in beside:
                return f"no salad lies beside {who}"
            return now._replace(lies=now.put(now.salad, None), plated=True)
        if not now.plated or self.delivery not in beside:
            return "the plate is empty" if not now.plated else f"the delivery point is not beside {who}"
        return now._replace(held=holding(None), delivered=True)

    def reached(self, state: State) -> bool:
        return Kitchen(*state).delivered

    def cells(self, state: State) -> dict[Cell, str]:
        now = Kitchen(*state)
        shown = dict.fromkeys(grid.square(self.size), "floor") | dict.fromkeys(self.counters, "counter")
        shown |= {self.board: "board", self.delivery: "delivery"}
        lying = zip(THINGS, now.lies, strict=True)
        shown |= {cell: thing.removesuffix("-1") for thing, cell in lying if cell}
        return shown | dict(zip(now.players, self._names, strict=True))

    @property
    def scene(self) -> str:
        players = (
            f"{who} is at ({grid.named(c)})." for who, c in zip(self._names, self.players, strict=True)
        )
        things = (f"{what} is at ({grid.named(c)})." for what, c in zip(THINGS, self.lies, strict=True))
        board = f"The chopping board is at ({grid.named(self.board)})."
        delivery = f"The delivery position is at ({grid.named(self.delivery)})."
        lines = (*players, *things, board, delivery, grid.places("counters", self.counters))
        return grid.described(self.size, lines, "The salad was delivered on the plate")

    def problem(self, domain: Domain) -> Problem:
        shut = {*self.players, *self.lies, self.delivery}
        state = grid.links(self.size) + grid.facts("counter", self.counters)
        state += grid.facts("floor", (cell for cell in grid.square(self.size) if cell not in self.counters))
        state += grid.facts("clear", (cell for cell in grid.square(self.size) if cell not in shut))
        state += [Atom("adjacent", (here, there)) for here, there, _ in grid.neighbours(self.size)]
        for who, cell in zip(self._names, self.players, strict=True):
            state += [Atom("at", (who, grid.named(cell))), Atom("free", (who,))]
        for thing, cell in zip(THINGS, self.lies, strict=True):
            kind, fresh = ("plate", "empty") if thing == PLATE else ("ingredient", "unchopped")
            state += [Atom(f"{kind}-at", (thing, grid.named(cell))), Atom(fresh, (thing,))]
        state.append(Atom("board-at", ("board-1", grid.named(self.board))))
        state.append(Atom("delivery-at", ("exit-1", grid.named(self.delivery))))
        objects = dict.fromkeys(self._names, "player") | dict.fromkeys(FOODS, "ingredient")
        objects |= {PLATE: "plate", "board-1": "chopping-board", "exit-1": "delivery-point"}
        return grid.grid_problem(self, domain, objects, state, [Atom("delivered", (PLATE,))])


def overcooked(size: int, seed: int) -> Overcooked:
    draw = Random(f"overcooked {size} {seed}")
    border = {cell for cell in grid.square(size) if 1 in cell or size in cell}
    while True:
        counters = border | {c for c in grid.square(size) if c not in border and draw.random() < 0.08}
        floor = [cell for cell in grid.square(size) if cell not in counters]
        if not grid.in_one_piece(floor, grid.around):
            continue
        used = sorted(c for c in counters if any(cell in floor for cell in grid.around(c)))
        *lies, board, delivery = draw.sample(used, 5)
        players = tuple(draw.sample(floor, 2))
        name = f"overcooked-{size}-{seed}"
        return Overcooked(name, size, players, frozenset(counters), tuple(lies), board, delivery)


def overcooked_shown(name: str, cells: Mapping[Cell, str]) -> Overcooked:
    players = grid.the_one(cells, "player-1"), grid.the_one(cells, "player-2")
    lies = tuple(grid.the_one(cells, thing.removesuffix("-1")) for thing in THINGS)
    counters = frozenset(cell for cell in cells if cells[cell] != "floor" and cell not in players)
    board, delivery = grid.the_one(cells, "board"), grid.the_one(cells, "delivery")
    return Overcooked(name, grid.side(cells), players, counters, lies, board, delivery)
