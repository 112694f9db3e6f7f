"""A simulated drafting model: it writes the reference files with errors at stated rates, and mends some.

It replies in text, as a real model does. What it knows of a game is the reference; of a prompt, what was
asked, and which step the feedback names last. The rates are in `resources/drafting/errors.toml`. Few drafts
have the rates nearly, as they are spread over the numbers of the drafts and not drawn.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from math import sqrt
from random import Random
from types import MappingProxyType

from pydantic import NonNegativeFloat
from pydantic.dataclasses import dataclass

from core.data_file import FILE, UnitInterval, load_toml
from core.drafting.edits import LiteralEdit
from core.drafting.rounds import UNREAD, WITHOUT_FEEDBACK, parts_of
from core.drafting.steps import DraftSteps
from core.drafting.world import Game, World
from core.install_paths import resource_path
from core.knowledge.changes import with_action
from core.planning.pddl.writer import write_problem
from core.planning_model import Action, Literal, Problem


@dataclass(frozen=True, config=FILE)
class _ErrorFile:
    shares: dict[str, UnitInterval]
    games: dict[str, dict[str, NonNegativeFloat]]


@cache
def error_rates(game: str) -> Mapping[str, float]:
    """Return the stated errors for a game by their names; for one without, those of `other`."""
    file = load_toml(resource_path("resources", "drafting", "errors.toml"), _ErrorFile)
    return MappingProxyType(file.shares | file.games.get(game.partition("-")[0], file.games["other"]))


def spread(number: int, what: str) -> float:
    """Return a share for each number, evenly spread over [0, 1) by few of them already."""
    draw = Random(what)
    return (number * sqrt(draw.choice((2, 3, 5, 7, 11, 13, 17, 19))) + draw.random()) % 1


class SimulatedDrafter:
    """Replies to the prompts of one draft, and to those for new problems. The same seed and number give the
    same; `number` counts the drafts of a game."""

    def __init__(self, game: Game, world: World, seed: object = 0, number: int = 0) -> None:
        self._game, self._rates = game, error_rates(game.name)
        self._draw = Random(f"drafting {world.name} {seed}")
        self._problem, self._last = world.problem(game.reference), ""
        self._number, self._seed = number, f"{game.name} {seed}"
        self._slips: dict[str, Action] = {}
        if self._lot("right") >= self._rates["right"]:
            for _ in range(int(self._rates["slips"])):
                self._slip()
        self._left = dict.fromkeys(self._slips, 1.0)  # the share of such slips that no update mended so far
        cell = self._draw.choice(self._problem.objects[:4]).name
        missing = self._slips and self._draw.random() < self._rates["missing_links"]
        self._unlinked = cell if missing else ""
        self._unreadable = self._lot("unreadable") < self._rates["unreadable"]

    def ask(self, purpose: str, prompt: str) -> str:
        if purpose == "problem":
            return self._problem_reply()
        if purpose == "new problem":
            size, seed = re.findall(r"-(\d+)-(\d+)\)", prompt)[-1]
            return self.new_problem(self._game.make(int(size), int(seed)), prompt)
        again, self._last = prompt == self._last and UNREAD not in prompt, prompt
        if self._unreadable and (again or purpose == "update"):
            share = self._rates["asked_again"] if again else self._rates["updated"]
            self._unreadable = self._draw.random() < share
        if purpose == "domain":
            return self._calls()
        if not again:  # asked again as it cannot be read, it knows no more than before
            self._update(prompt)
        return f"Answers.\n{self._problem_reply()}\n{self._calls()}"

    def new_problem(self, world: World, finished: str) -> str:
        """Reply with the problem of another map, right in the stated share."""
        problem = world.problem(self._game.reference)
        if self._draw.random() >= self._rates["new_problem"]:
            problem = replace(problem, state=problem.state - {self._draw.choice(sorted(problem.state))})
        return write_problem(problem)

    def _problem_reply(self) -> str:
        problem = self._problem
        if self._unlinked:
            fluent = problem.domain.fluents
            kept = (a for a in problem.state if a.predicate in fluent or a.args[:1] != (self._unlinked,))
            problem = replace(problem, state=frozenset(kept))
        return f"Here is the file:\n```pddl\n{write_problem(problem)}```"

    def _calls(self) -> str:
        actions = tuple(self._slips.get(a.name, a) for a in self._game.reference.actions)
        parts = parts_of(replace(self._game.reference, actions=actions))
        said = [f"add_or_update_predicates({list(parts.predicates)!r})"]
        for name, (conditions, effects) in parts.actions.items():
            needs = [*conditions, *(["(undeclared)"] if self._unreadable else [])]
            said.append(f"modify_action({name!r}, {needs!r}, {list(effects)!r})")
        return "```python\n" + "\n".join(said) + "\n```"

    def _slip(self) -> str:
        action = self._slipped()
        self._slips[action.name] = action
        return action.name

    def _lot(self, what: str) -> float:
        return spread(self._number, f"{what} {self._seed}")

    def _slipped(self) -> Action:
        """Return an action with one literal wrong, or one more."""
        while True:
            action = self._draw.choice(self._game.reference.actions)
            action = self._slips.get(action.name, action)
            if not action.precondition or not action.effects:
                continue
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
            domain = with_action(self._game.reference, action)
            changed: Problem = edit.apply(replace(self._problem, domain=domain))
            return changed.domain.action(action.name)

    def _update(self, prompt: str) -> None:
        told = prompt.partition("What is wrong:\n")[2].partition("\n\nAnswer these")[0]
        rates, blind = self._rates, told in (WITHOUT_FEEDBACK, UNREAD)
        last = told.partition("'")[2].partition("'")[0]
        named = [a for a in self._slips if f" {a} " in told]
        named += DraftSteps(self._problem, self._game.word_of).actions_of([last])
        for name in list(self._slips):
            share = rates["mended"] * (1 if name in named else rates["unnamed"])
            share = rates["blind"] if blind else share
            self._left[name] *= 1 - share
            if self._left[name] < self._lot("mended"):
                del self._slips[name]
        if self._draw.random() < (rates["blind"] if blind or "link" not in told else rates["mended"]):
            self._unlinked = ""
        if self._draw.random() < rates["new_slip"]:
            self._left[self._slip()] = 1.0
