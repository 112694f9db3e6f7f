"""Drafts of the games' references, right or with one slip."""

from __future__ import annotations

from collections.abc import Iterator

import main
from core.drafting.edits import LiteralEdit
from core.drafting.rounds import parts_of
from core.drafting.simulator import ModelSimulator, WorldSimulator
from core.drafting.source import DraftingTools, DraftSource
from core.drafting.steps import DraftSteps
from core.drafting.world import Game, World
from core.planning.pddl.writer import write_domain, write_problem
from core.planning_model import Domain, Problem
from robots.grids.games import games

TOOLS, LAKE = DraftingTools(main.games, main.paint, ("desert",)), DraftSource("frozenlake-3-2")


def right(name: str, seed: int = 0) -> tuple[Game, World, Problem]:
    """The smallest map of a game, and its reference problem."""
    game = games()[name]
    world = game.make(game.sizes[0], seed)
    return game, world, world.problem(game.reference)


def slipped(seed: int) -> tuple[tuple[str, str], LiteralEdit]:
    """The files of the smallest FrozenLake in which move-up lacks its last precondition, and the slip."""
    game, _, problem = right("frozenlake", seed)
    slip = LiteralEdit("move-up", False, game.reference.action("move-up").precondition[-1], None)
    wrong = slip.apply(problem)
    return (write_domain(wrong.domain), write_problem(wrong)), slip


def calls(domain: Domain) -> str:
    """The paper's two functions, called so that they give a whole domain."""
    parts = parts_of(domain)
    said = [f"add_or_update_predicates({list(parts.predicates)!r})"]
    for name, (needs, makes) in parts.actions.items():
        said.append(f"modify_action({name!r}, {list(needs)!r}, {list(makes)!r})")
    return "\n".join(said)


def steps(game: Game, problem: Problem) -> DraftSteps:
    return DraftSteps(problem, game.word_of)


def ended(count: int, done: int, reached: bool = False) -> str:
    """What a model says of so many steps of which the first ones can be done."""
    words = {True: "Successful", False: "Unsuccessful"}
    ends = (words[number < done] for number in range(count))
    steps_ = (f"Step {n} - Action:\nExecution result: {end}." for n, end in enumerate(ends, 1))
    return "\n".join((*steps_, f"Goal reaching: {words[reached]}."))


def simulating(world: World, asked: list[str]) -> ModelSimulator:
    """A model that says what the world does, but of "move up" alone nothing; `asked` is what for."""

    def ask(purpose: str, scene: str = "", steps: str = "") -> str:
        asked.append(purpose)
        words = [line.partition(": ")[2] for line in steps.splitlines()]
        run = WorldSimulator(world).run(words)
        if purpose == "scene" or words == ["move up"]:
            return "A frozen lake."
        return ended(len(words), run.done or 0, run.goal is True)

    return ModelSimulator(world.words, ask)


def dropped_literals(problem: Problem) -> Iterator[tuple[str, Problem]]:
    """Every problem in which one action lacks one literal, with what is missing."""
    for action in problem.domain.actions:
        made = tuple(effect.literal for effect in action.effects)
        for what, literals in (("", action.precondition), ("the effect ", made)):
            for literal in literals:
                less = LiteralEdit(action.name, bool(what), literal, None).apply(problem)
                yield f"{action.name} without {what}{literal}", less
