"""With a model that says what a person would say, COWP handles what has a way, and claims nothing falsely."""

from __future__ import annotations

from dataclasses import replace

import pytest

from core import events as ev
from core.config import Settings
from core.episode import run_components
from core.knowledge.changes import AddRepair, AllowSubstitute, LearntChange
from core.loop.gate import AutoOperator
from core.open_world.world_file import load_open_world
from core.operator import Decision, Proposal, RefuseSuggestion
from core.planning.domain_library import load_domain_spec
from core.planning.planner import make_planner
from core.ports import Embodiment
from core.stock import KnowsStock
from core.stop_token import StopToken
from main import make_components
from robots.open_world.robot import OpenWorldRobot
from tests.core.methods.solvable import is_solvable

FOLDER, PLANNER = load_domain_spec("dining"), make_planner()


def episode(
    task: str, seed: int, operator: AutoOperator | None = None, knower: str = "perfect", **options: str
) -> tuple[bool | None, ev.EpisodeEnded]:
    """Return whether the situation that came could be solved, None for no situation, and the end."""
    settings = Settings(
        task, domain="dining", method="cowp", answerer="perfect", knower=knower, pictures=False, seed=seed,
        options=options,
    )  # fmt: skip
    parts = replace(make_components(settings), planner=PLANNER)
    robot, solvable, event = parts.robot, None, None
    assert isinstance(robot, OpenWorldRobot) and isinstance(robot, KnowsStock)
    try:
        for event in run_components(parts, operator or AutoOperator(Embodiment.SIM), StopToken()):
            if isinstance(event, ev.SituationNoticed):
                told, state = event.situation.sentence, robot.true_state
                solvable = is_solvable(FOLDER, FOLDER.tasks[task], robot.stock(), told, state, PLANNER)
    finally:
        parts.close()
    assert isinstance(event, ev.EpisodeEnded)
    return solvable, event


def is_handled_or_reported(solvable: bool | None, ended: ev.EpisodeEnded) -> bool:
    claimed = ended.result is ev.EpisodeResult.SUCCEEDED
    reported = ended.result is ev.EpisodeResult.NO_PLAN and ended.reason.endswith(".")
    return bool(claimed and ended.true_goal) if solvable in (None, True) else reported


@pytest.mark.parametrize(
    ("task", "situation", "stock", "way"),
    [
        ("serve_coke", "the glass is dirty", "mug", True),
        ("wash_sink", "the faucet is broken", "kettle,dishwasher", False),
        ("store_food", "the door to the dining room is locked", "mug", False),
        ("heat_burger", "the handle of the fridge is broken", "bread,freezer", False),
        ("store_food", "the door of the fridge is stuck", "fridge", True),  # shut, as the goal wants it
    ],
)
def test_that_what_has_a_way_is_handled_and_the_rest_reported(
    task: str, situation: str, stock: str, way: bool
) -> None:
    options = {"robot.situation": situation, "robot.stock": stock}
    solvable, ended = episode(task, 0, **options)
    assert solvable is way and is_handled_or_reported(solvable, ended), ended.reason


@pytest.mark.long
def test_that_every_solvable_situation_of_many_trials_is_handled_and_no_claim_is_false() -> None:
    found = {(task, seed): episode(task, seed) for seed in range(15) for task in FOLDER.tasks}
    assert [key for key, one in found.items() if not is_handled_or_reported(*one)] == []
    told = [solvable for solvable, _ in found.values() if solvable is not None]
    print(f"{len(found)} trials, {len(told)} situations, {sum(told)} of them solvable, all handled")
    assert len(told) > 80 and sum(told) > 30


class Careful(AutoOperator):
    """Refuses every substitute and repair that a person would not accept."""

    def __init__(self, task: str) -> None:
        super().__init__(Embodiment.SIM)
        self.world, self.domain = load_open_world(FOLDER), FOLDER.tasks[task].problem.domain
        self.refused = 0

    def decide(self, proposal: Proposal) -> Decision:
        if proposal.suggestion is not None and not all(map(self.is_good, proposal.suggestion.changes)):
            self.refused += 1
            return RefuseSuggestion("ada")
        return super().decide(proposal)

    def is_good(self, learnt: LearntChange) -> bool:
        match learnt.change:
            case AllowSubstitute(kind, stands_for):
                return self.world.accepts(self.domain, stands_for, kind)
            case AddRepair(_, device, _, type):
                return any(self.world.mends(device, ends, type) for ends in self.world.kinds)
        return True


@pytest.mark.parametrize(
    ("task", "seed"), [("wash_sink", 2), ("serve_water", 16), ("heat_burger", 19), ("make_coffee", 2)]
)
def test_that_whoever_refuses_what_is_unacceptable_is_told_nothing_false(task: str, seed: int) -> None:
    _, alone = episode(task, seed, knower="davinci")
    assert not alone.true_goal
    person = Careful(task)
    _, ended = episode(task, seed, person, "davinci")
    assert person.refused and (ended.true_goal or ended.result is not ev.EpisodeResult.SUCCEEDED)
