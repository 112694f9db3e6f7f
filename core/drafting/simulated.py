"""A simulated drafting model: it writes the reference files with errors at stated rates, and mends some.

It replies in text, as a real model does. What it knows of a game is the reference; of a prompt, what was
asked, and which step the feedback names last. The rates are in `resources/drafting/errors.toml`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from random import Random

from pydantic.dataclasses import dataclass

from core.data_file import FILE, UnitInterval, load_toml
from core.drafting.edits import LiteralEdit
from core.drafting.rounds import WITHOUT_FEEDBACK, parts_of
from core.drafting.world import Game, World
from core.errors import UnknownName
from core.install_paths import resource_path
from core.planning.pddl.writer import write_problem
from core.planning_model import Action, Literal, Problem


@dataclass(frozen=True, config=FILE)
class Shares:
    mended_named: UnitInterval
    mended_other: UnitInterval
    mended_blind: UnitInterval
    new_slip: UnitInterval
    new_problem: UnitInterval
    missing_links: UnitInterval
    turned: UnitInterval


@dataclass(frozen=True, config=FILE)
class GameErrors:
    right: UnitInterval
    unreadable: UnitInterval
    confused: UnitInterval


@dataclass(frozen=True, config=FILE)
class _ErrorFile:
    shares: Shares
    games: dict[str, GameErrors]


@cache
def error_rates(game: str) -> tuple[Shares, GameErrors]:
    """Return the stated errors for a game. Raises UnknownName for one without."""
    file = load_toml(resource_path("resources", "drafting", "errors.toml"), _ErrorFile)
    base = game.partition("-")[0]
    if base not in file.games:
        raise UnknownName("game with stated errors", game, file.games)
    return file.shares, file.games[base]


class SimulatedDrafter:
    """Replies to the prompts of one draft, and to those for new problems. The same seed gives the same."""

    def __init__(self, game: Game, world: World, seed: object = 0) -> None:
        self._game, self._shares, self._rates = game, *error_rates(game.name)
        self._draw = Random(f"drafting {world.name} {seed}")
        self._problem, self._last = world.problem(game.reference), ""
        self._slips = dict(self._first_slips())
        self._links_missing = bool(self._slips) and self._draw.random() < self._shares.missing_links

    def ask(self, purpose: str, prompt: str) -> str:
        if purpose == "problem":
            return self._problem_reply()
        if purpose == "domain":
            return self._calls()
        if prompt != self._last:  # asked again as it cannot be read, it knows no more than before
            self._last = prompt
            self._update(prompt)
        return f"Answers.\n{self._problem_reply()}\n{self._calls()}"

    def new_problem(self, world: World) -> str:
        """Reply with the problem of another map, right in the stated share."""
        problem = world.problem(self._game.reference)
        if self._draw.random() >= self._shares.new_problem:
            problem = replace(problem, state=problem.state - {self._draw.choice(sorted(problem.state))})
        return write_problem(problem)

    def _problem_reply(self) -> str:
        problem = self._problem
        if self._links_missing:
            cell = self._draw.choice(problem.objects[:4]).name
            fluent = problem.domain.fluents
            kept = (a for a in problem.state if a.predicate in fluent or a.args[:1] != (cell,))
            problem = replace(problem, state=frozenset(kept))
        return f"Here is the file:\n```pddl\n{write_problem(problem)}```"

    def _calls(self) -> str:
        actions = tuple(self._slips.get(a.name, a) for a in self._game.reference.actions)
        parts = parts_of(replace(self._game.reference, actions=actions))
        unreadable = self._draw.random() < self._rates.unreadable
        said = [f"add_or_update_predicates({list(parts.predicates)!r})"]
        for name, (conditions, effects) in parts.actions.items():
            needs = [*conditions, *(["(undeclared)"] if unreadable else [])]
            said.append(f"modify_action({name!r}, {needs!r}, {list(effects)!r})")
        return "```python\n" + "\n".join(said) + "\n```"

    def _first_slips(self) -> Iterator[tuple[str, Action]]:
        if self._draw.random() < self._rates.right:
            return
        for chance in (1.0, 0.5, 0.3):
            if self._draw.random() < chance:
                action = self._slipped()
                yield action.name, action

    def _slipped(self) -> Action:
        """Return an action of the reference with one literal wrong."""
        while True:
            action = self._draw.choice(self._game.reference.actions)
            old = self._draw.choice(action.precondition)
            match self._draw.choices(("drop", "effect", "swap", "turn"), (5, 2, 2, 1))[0]:
                case "drop":
                    edit = LiteralEdit(action.name, False, old, None)
                case "turn":
                    edit = LiteralEdit(action.name, False, old, replace(old, positive=not old.positive))
                case "effect":
                    edit = LiteralEdit(action.name, True, self._draw.choice(action.effects).literal, None)
                case _:
                    kinds = {p.name: p.type for p in action.parameters}
                    like = [
                        n for n in kinds if old.args and kinds[n] == kinds[old.args[0]] and n != old.args[0]
                    ]
                    if not like:
                        continue
                    new = Literal(old.predicate, (self._draw.choice(like), *old.args[1:]), old.positive)
                    edit = LiteralEdit(action.name, False, old, new)
            changed: Problem = edit.apply(self._problem)
            return changed.domain.action(action.name)

    def _update(self, prompt: str) -> None:
        told = prompt.partition("What is wrong:\n")[2].partition("\n\nAnswer these")[0]
        shares, blind = self._shares, told == WITHOUT_FEEDBACK
        last = told.partition("'")[2].partition("'")[0]
        named = self._game.actions_of(last) + tuple(a for a in self._slips if f" {a} " in told)
        for name in list(self._slips):
            share = (
                shares.mended_blind
                if blind
                else shares.mended_named
                if name in named
                else shares.mended_other
            )
            if self._draw.random() < share:
                del self._slips[name]
        links = shares.mended_blind if blind or "link" not in told else shares.mended_named
        self._links_missing = self._links_missing and self._draw.random() >= links
        if self._draw.random() < shares.new_slip:
            action = self._slipped()
            self._slips.setdefault(action.name, action)
