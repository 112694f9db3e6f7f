"""Jobs of `bench draft`: draft a domain from one picture, then plan on new ones with it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from random import Random
from typing import cast

from core.drafting.agreement import Walks
from core.drafting.plans import MakePlan, planner
from core.drafting.replies import find_pddl
from core.drafting.rounds import METHODS, Version, draft
from core.drafting.simulated import SimulatedDrafter, error_rates, spread
from core.drafting.simulator import ErringWorld, WorldSimulator, reaches_goal
from core.drafting.source import DraftingTools, ModelDrafter, Paint, known_look, seen_world
from core.drafting.world import Game, Games, World
from core.errors import BadValue, ConsoleError
from core.evaluation.job import JobKind, Kept
from core.pictures import decode_picture
from core.planning.pddl.reader import parse_problem
from core.stop_token import StopToken

NEW_SEEDS, SEEDS = 1_000, 10_000  # where the seeds of new maps begin, and how many a seed of ours has
HOPELESS = 12  # new maps after which a draft that has reached none is not tried on more


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
    unread: int  # pictures that were refused, or not read as they are


@dataclass(frozen=True)
class DraftTrial:
    """The draft number `start` of a game. `games` and `paint` make games and pictures in another process.

    Pictures have the looks in turn; without one, none is read and the scenes are as they are.
    """

    game: str
    method: str
    start: int
    new: int
    games: Callable[[], Games]
    errs: bool = True  # the simulating model errs as well
    seed: int = 0
    looks: tuple[str, ...] = ()
    paint: Paint | None = None  # a PNG of a map in a look
    answerer: str = ""  # the model that drafts; "": a simulated one
    every_size: bool = False  # the maps have the game's sizes in turn; else its smallest

    @property
    def key(self) -> str:
        parts = self.game, self.method, self.start, self.new, self.errs, self.seed, ",".join(self.looks)
        more = (self.answerer, "every size" * self.every_size)
        return " ".join(map(str, (*parts, *filter(None, more))))

    def run(self, kept: Kept, cancel: StopToken) -> DraftRow:
        game = self.games()[self.game]
        plan = planner(game, kept, cancel, timed=False)
        maps = [(self._map(game, NEW_SEEDS + n), n) for n in range(self.new)]
        world = self._map(game, self.start)
        seen = self._seen(game, world, self.start, kept)
        news = [(new, self._seen(game, new, n, kept)) for new, n in maps]
        unread = sum(one is None or one != new for new, one in [(world, seen), *news])
        if seen is None:
            return DraftRow(False, 0, 0, 0, 0.0, self.new, 0, unread)
        confused = spread(self.start, f"confused {game.name} {self.seed}")
        drafter, method, asked = self._drafter(game, seen, self.start), METHODS[self.method], 0

        def ask(purpose: str, prompt: str) -> str:
            nonlocal asked
            asked += 1
            return drafter.ask(purpose, prompt)

        if method.plans:
            reached = sum(self._planned(game, new, n, plan) for new, n in maps)
            return DraftRow(False, 0, self.new, 0, 0.0, self.new, reached, unread)
        walks = Walks(WorldSimulator(self._judged(seen, confused)), self.start)
        versions = list(draft(game, world.name, walks, ask, plan, method, self._judged))
        best = versions[-1]
        solved = 0
        for count, (new, one) in enumerate(news):
            if count == HOPELESS and not solved:
                break
            if one is not None:
                solved += solves(game, best, drafter.new_problem(one, best.problem_text), new, plan)
        repairs = sum(len(version.repairs) for version in versions)
        ew = round(best.score.ew, 6) if best.score else 0.0
        return DraftRow(best.converged, len(versions), asked, repairs, ew, self.new, solved, unread)

    def _judged(self, world: World, lot: float | None = None) -> World:
        """Return a map as the simulating model sees it, which is confused by some pictures."""
        rates = error_rates(self.game)
        lot = Random(f"confused {world.name} {self.seed} {self.start}").random() if lot is None else lot
        confused = self.errs and lot < rates["confused"]
        return cast(World, ErringWorld(world, rates["turned"], self.start)) if confused else world

    def _drafter(self, game: Game, world: World, number: int) -> SimulatedDrafter | ModelDrafter:
        if not self.answerer:
            return SimulatedDrafter(game, world, self.seed, number)
        look = self.looks[number % len(self.looks)] if self.looks else ""
        return ModelDrafter(game, self.answerer, self.paint(game, world, look) if self.paint else b"")

    def _planned(self, game: Game, world: World, number: int, plan: MakePlan) -> bool:
        """Return True if a model's own plan for a picture reaches the goal."""
        ask, walks = self._drafter(game, world, number).ask, Walks(WorldSimulator(world))
        (end,) = draft(game, world.name, walks, ask, plan, METHODS[self.method])
        return end.valid

    def _map(self, game: Game, number: int) -> World:
        size = game.sizes[number % len(game.sizes) if self.every_size else 0]
        return game.make(size, SEEDS * self.seed + number)

    def _seen(self, game: Game, world: World, number: int, kept: Kept) -> World | None:
        """Return the map as its picture is read; None: it is refused."""
        if not self.looks or self.paint is None or not (game.shown or game.read):
            return world
        look = self.looks[number % len(self.looks)]
        key = "seen", world.name, look
        if key not in kept:
            try:
                picture = decode_picture(self.paint(game, world, look))
                known = known_look(DraftingTools(self.games, self.paint), game.name, look)
                kept[key] = seen_world(game, world.name, picture, known)
            except BadValue:
                kept[key] = None
        seen: World | None = kept[key]
        return seen


DRAFTS: JobKind[DraftTrial, DraftRow] = JobKind(
    "draft",
    DraftRow,
    {
        "game": lambda j: j.game,
        "method": lambda j: j.method,
        "start": lambda j: j.start,
        "errs": lambda j: j.errs,
        "seed": lambda j: j.seed,
        "looks": lambda j: ",".join(j.looks),
    },
)


def solves(game: Game, best: Version, reply: str, world: World, plan: MakePlan) -> bool:
    """Return True if the drafted domain's plan for a new problem reaches the goal in the world."""
    if best.problem is None:
        return False
    try:
        problem = parse_problem(find_pddl(reply, "problem"), best.problem.domain)
        return reaches_goal(WorldSimulator(world), plan(problem))
    except ConsoleError:
        return False
