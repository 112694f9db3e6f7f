"""Jobs of `bench draft`: draft a domain from one picture, then plan on new ones with it."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from random import Random

from core.belief import Atom
from core.drafting.replies import BadReply, find_pddl
from core.drafting.rounds import METHODS, MakePlan, Version, draft
from core.drafting.score import Walks
from core.drafting.simulated import SimulatedDrafter, error_rates
from core.drafting.simulator import WorldSimulator
from core.drafting.steps import DraftSteps, Shared, Walk
from core.drafting.world import Game, Games, World
from core.errors import ConsoleError
from core.evaluation.job import JobKind, Kept
from core.planning.engines.engine import SearchLimits
from core.planning.pddl.reader import parse_problem
from core.planning.planner import ImprovingPlanner, make_planner
from core.planning_model import PlanStatus, Problem
from core.stop_token import StopToken

NEARBY = 2_500  # states searched here, before a planner is asked
NEW_SEEDS = 1_000  # where the seeds of new maps begin


@dataclass(frozen=True)
class DraftRow:
    """What came of one draft. `solved` of `new` new maps were reached by a plan of the drafted domain."""

    converged: bool
    versions: int
    asked: int
    repairs: int
    ew: float
    new: int
    solved: int


@dataclass(frozen=True)
class DraftTrial:
    """A draft from the map `start` of a game. `games` makes the games again in another process."""

    game: str
    method: str
    start: int
    new: int
    games: Callable[[], Games]
    errs: bool = True  # the simulating model errs as well

    @property
    def key(self) -> str:
        return f"{self.game} {self.method} {self.start} {self.new} {self.errs}"

    @property
    def group(self) -> str:
        return self.game

    def run(self, kept: Kept, cancel: StopToken) -> DraftRow:
        game = self.games()[self.game]
        world = game.make(game.sizes[0], self.start)
        shares, rates = error_rates(game.name)
        confused = self.errs and Random(f"confused {world.name}").random() < rates.confused
        simulator = WorldSimulator(world, shares.turned if confused else 0.0, self.start)
        drafter, method, asked = SimulatedDrafter(game, world), METHODS[self.method], 0
        plan = planner(game, kept, cancel)

        def ask(purpose: str, prompt: str) -> str:
            nonlocal asked
            asked += 1
            return drafter.ask(purpose, prompt)

        walks = Walks(simulator, self.start)
        proven = world if method.repairs and not confused else None
        versions = list(draft(game, world.name, walks, ask, plan, method, proven))
        best = versions[-1]
        solved = sum(
            solves(game, best, drafter.new_problem(new), new, plan)
            for new in (game.make(game.sizes[0], NEW_SEEDS + n) for n in range(self.new))
        )
        repairs = sum(len(version.repairs) for version in versions)
        ew = best.score.ew if best.score else 0.0
        return DraftRow(best.converged, len(versions), asked, repairs, round(ew, 6), self.new, solved)


DRAFTS: JobKind[DraftTrial, DraftRow] = JobKind(
    "draft",
    DraftRow,
    {
        "game": lambda j: j.game,
        "method": lambda j: j.method,
        "start": lambda j: j.start,
        "errs": lambda j: j.errs,
    },
)


def solves(game: Game, best: Version, reply: str, world: World, plan: MakePlan) -> bool:
    """Return True if the drafted domain's plan for a new problem reaches the goal in the world."""
    if best.problem is None:
        return False
    try:
        problem = parse_problem(find_pddl(reply, "problem") or "", best.problem.domain)
        words = plan(problem)
    except (ConsoleError, BadReply):
        return False
    run = WorldSimulator(world).run(words) if words else None
    return run is not None and words is not None and run.done == len(words) and run.goal


def planner(game: Game, kept: Kept, cancel: StopToken) -> MakePlan:
    """Return what plans in words: a search of the nearby states, else the planner. Plans are kept."""
    plans: dict[object, Walk | None] = kept.setdefault("draft plans", {})
    shared: Shared = kept.setdefault(("draft steps", game.name), {})
    if "draft planner" not in kept:
        limits = SearchLimits(20_000, seconds=4, improving_seconds=0)
        kept["draft planner"] = make_planner(limits=limits)
    engine: ImprovingPlanner = kept["draft planner"]

    def plan(problem: Problem) -> Walk | None:
        key = problem.digest, problem.state
        if key not in plans:
            whole, words = _nearby(DraftSteps(problem, game.word_of, shared))
            if not whole and words is None:
                try:
                    found = engine.plan(problem, cancel)
                except ConsoleError:
                    found = None
                if found is not None and found.status is PlanStatus.FOUND:
                    words = tuple(map(game.word_of, found.steps))
            plans[key] = words
        return plans[key]

    return plan


def _nearby(steps: DraftSteps) -> tuple[bool, Walk | None]:
    """Return the shortest words to the goal, if they are near, and whether all states were searched."""
    (first,) = steps.first
    seen = {first}
    waiting: deque[tuple[frozenset[Atom], Walk]] = deque([(first, ())])
    while waiting:
        state, words = waiting.popleft()
        if steps.is_goal(frozenset({state})):
            return True, words
        if len(seen) > NEARBY:
            return False, None
        for word, after in steps.successors(state).items():
            for one in after:
                if one not in seen:
                    seen.add(one)
                    waiting.append((one, (*words, word)))
    return True, None
