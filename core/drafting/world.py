"""Define a game and one of its maps: a world that takes steps as words and says why one fails."""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Protocol

from core.errors import BadValue, UnknownName
from core.planning_model import Domain, Problem, Step
from core.ports import RgbImage

State = tuple[Any, ...]  # of a world; nobody else looks into it
Cell = tuple[int, int]  # row and column, from 1
_NAME = re.compile(r"(.*)-(\d{1,9})-(?:c(\d+)|(\d{1,9}))", re.S)  # of a map: game, size, cells or seed


class Beyond(str):
    """Why a step leads to no state that is known, though it may be possible: nothing counts behind it."""

    possible: bool

    def __new__(cls, possible: bool) -> Beyond:
        made = super().__new__(cls, "nobody can say what follows")
        made.possible = possible
        return made


class World(Hashable, Protocol):
    """One map of a game. All methods are pure."""

    @property
    def name(self) -> str:
        """Return "GAME-SIZE-SEED", from which `world_of` makes it again."""

    @property
    def size(self) -> int: ...

    @property
    def words(self) -> tuple[str, ...]:
        """Return every step that somebody could say, possible or not."""

    @property
    def first(self) -> State: ...

    def do(self, state: State, word: str) -> State | str:
        """Return the state after a step, or why it fails, without a full stop."""

    def reached(self, state: State) -> bool | None:
        """Return whether the goal is reached; None: nobody can say."""

    def cells(self, state: State) -> Mapping[Cell, str]:
        """Return what a picture shows in each cell, one of the game's `kinds`; {} for a world in 3-D."""

    @property
    def scene(self) -> str:
        """Return the first state and the goal in lines of text."""

    def problem(self, domain: Domain) -> Problem:
        """Return this map as a problem of the game's reference domain."""


@dataclass(frozen=True)
class Game:
    """A game: its rules in words, and how its steps are said.

    `verbs` has for each action the word of a step, with `{0}`, `{1}`, ... for its arguments, as in a domain
    folder. `reference` holds what is right; no method is shown more of it than `template`.
    """

    name: str
    rules: str
    verbs: Mapping[str, str]
    reference: Domain
    sizes: Sequence[int]
    make: Callable[[int, int], World]  # size, seed
    kinds: tuple[str, ...]  # of cells, for a picture: the floor first
    note: str = ""  # in one sentence: what is left out, or why there is no reference
    shown: Callable[[str, Mapping[Cell, str]], World] | None = (
        None  # a name, and what a picture shows: the map
    )
    paint: Callable[[World, State, str], RgbImage] | None = None  # a look's picture of a world in 3-D
    read: Callable[[str, RgbImage], World] | None = None  # a name, and such a picture: the map, or BadValue

    @cached_property
    def template(self) -> Domain:
        """Return the names of the types and actions, and the actions' parameters."""
        bare = tuple(replace(a, precondition=(), effects=(), formulas=()) for a in self.reference.actions)
        return replace(self.reference, predicates=(), actions=bare, axioms=())

    def word_of(self, step: Step) -> str:
        """Return how a step of the game is said."""
        return said(self.verbs, step)


def said(verbs: Mapping[str, str], step: Step) -> str:
    """Return how a step is said; one without a verb is said by its PDDL."""
    verb = verbs.get(step.name)
    return verb.format(*step.args) if verb else " ".join((step.name, *step.args))


def do_word(world: World, state: State, word: str) -> State | str:
    """Return the state after any word, or why it fails; a draft may have words that the world has not."""
    return world.do(state, word) if word in world.words else "there is no such word"


def steps_of(world: World, state: State) -> Iterator[tuple[str, State]]:
    """Yield the steps that can be done in a state, with the state after each."""
    tried = ((word, world.do(state, word)) for word in world.words)
    return ((word, after) for word, after in tried if not isinstance(after, str))


Games = Mapping[str, Game]


def name_of_cells(game: Game, cells: Mapping[Cell, str]) -> str:
    """Return the name of the map that a picture shows: "GAME-SIZE-c" and the kind of each cell as a digit."""
    digits = "".join(str(game.kinds.index(cells[cell])) for cell in sorted(cells))
    return f"{game.name}-{max(row for row, _ in cells)}-c{digits}"


def world_of(games: Games, name: str) -> tuple[Game, World]:
    """Return a world by its name, GAME-SIZE-SEED, or by `name_of_cells`. Raises UnknownName, BadValue."""
    found = _NAME.fullmatch(name)
    if found is None:
        raise BadValue(f"{name!r} names no map: write GAME-SIZE-SEED, such as frozenlake-4-0.")
    if (of := found[1]) not in games:
        raise UnknownName("game", of, games)
    game, size = games[of], int(found[2])
    if digits := found[3]:
        fits = len(digits) == size * size and all(int(digit) < len(game.kinds) for digit in digits)
        if game.shown is None or not fits:
            raise BadValue(f"{name!r} is no map of {of}: its cells are not {size} x {size} of its kinds.")
        kinds = (game.kinds[int(digit)] for digit in digits)
        return game, game.shown(name, {(n // size + 1, n % size + 1): kind for n, kind in enumerate(kinds)})
    if size not in game.sizes:
        raise BadValue(f"{of} has maps of size {min(game.sizes)} to {max(game.sizes)}, not {size}.")
    return game, game.make(size, int(found[4]))
