"""Prove a draft on other maps of its game too, which we make ourselves: its own may not show every slip."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from core.drafting.difference import compare
from core.drafting.edits import LiteralEdit
from core.drafting.repair import Repair, Repaired, repair
from core.drafting.replies import find_pddl
from core.drafting.score import Walks
from core.drafting.simulator import WorldSimulator
from core.drafting.steps import DraftSteps
from core.drafting.world import Game, World
from core.errors import ConsoleError
from core.planning.pddl.reader import parse_problem
from core.planning_model import Problem
from core.work import Work

MAPS, FIRST_SEED = 12, 900_000_000  # of the two smallest sizes in turn; no seed of a bench comes near
PAIRS, SEARCH = 1_000, 500_000  # of states that are compared on each, and units of work


def imagine(
    problem: Problem,
    game: Game,
    world: World,
    new_problem: Callable[[World], str],
    limit: int,
    within: Work,
) -> Repaired:
    """Edit the domain until other maps agree with it, one after the other, and those before and `world` do.

    `new_problem` writes the problem of a map; one that is wrong allows no edit. Raises what it raises.
    """
    sizes = game.sizes[:2]
    proven, done = [(world, problem)], list[Repair]()
    for number in range(MAPS):
        other = game.make(sizes[number % len(sizes)], FIRST_SEED + number)
        reply = new_problem(other)
        try:
            written = parse_problem(find_pddl(reply, "problem"), proven[0][1].domain)
        except ConsoleError:
            continue
        with within:
            work = Work(SEARCH)
            found = repair(
                written, game, Walks(WorldSimulator(other)), other, PAIRS, facts=False, within=work
            )
        edits = [one for one in found.repairs if isinstance(one.edit, LiteralEdit)]  # links are completed
        tried = [(each, replace(drafted, domain=found.problem.domain)) for each, drafted in proven]
        steps = ((each, DraftSteps(drafted, game.word_of)) for each, drafted in tried if edits)
        if found.agrees and all(compare(each, draft, limit).difference is None for each, draft in steps):
            proven, done = [*tried, (other, found.problem)], done + edits
    compared = compare(world, DraftSteps(proven[0][1], game.word_of), limit) if done else None
    return Repaired(proven[0][1], tuple(done), bool(done), compared)
