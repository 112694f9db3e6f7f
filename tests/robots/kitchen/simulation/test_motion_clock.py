"""What happens depends neither on the pace nor on how often a step is halted and done again."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest

from core import events as ev
from core.belief import Atom
from core.config import Settings
from core.loop.episode_loop import run_episode
from core.loop.gate import AutoOperator
from core.stop_token import StopToken
from main import make_components
from robots.kitchen.robot import KitchenRobot
from tests.robots.kitchen.conftest import TASK_SAMPLE, TASKS, Make


@dataclass(frozen=True)
class Told:
    """An episode: each step with its ending, its situation and the facts after it, and how all ended."""

    steps: tuple[tuple[str, str, str, frozenset[Atom]], ...]
    ended: ev.EpisodeEnded


def told(task: str, pace: float) -> tuple[Told, np.ndarray]:
    """And where everything is in the end."""
    parts = make_components(Settings(task=task, seed=5, openness=1.0, robot="kitchen", pace=pace))
    robot = parts.robot
    assert isinstance(robot, KitchenRobot) and robot._body is not None
    steps = []
    try:
        for event in run_episode(
            task, parts.task.problem, robot, parts.answerer, parts.planner, parts.method,
            AutoOperator(), StopToken(), permits=parts.permits,
        ):  # fmt: skip
            if isinstance(event, ev.StepFinished):
                steps.append((str(event.step), event.result.status.value, event.situation, robot.truth()))
        assert isinstance(event, ev.EpisodeEnded)
        return Told(tuple(steps), event), robot._body.snapshot.qpos.copy()
    finally:
        parts.close()


@pytest.mark.gl
@pytest.mark.long
@pytest.mark.usefixtures("needs_gl")
@pytest.mark.parametrize("task", TASKS)
def test_that_an_episode_at_the_speed_of_life_is_the_one_at_once(task: str) -> None:
    (at_once, places), (in_time, paced) = told(task, 0.0), told(task, 1.0)
    print(f"\n{task}: {len(at_once.steps)} steps, {at_once.ended.result.value}", end="")
    assert at_once == in_time
    np.testing.assert_allclose(places, paced, atol=0.02)


class Late(StopToken):
    """A cancel that comes when it has been asked for so many times: at every possible moment, in turn."""

    def __init__(self, after: int) -> None:
        super().__init__()
        self._left = after

    def is_set(self) -> bool:
        self._left -= 1
        return self._left < 0


@pytest.mark.parametrize("task", TASK_SAMPLE)
def test_that_a_step_halted_on_the_way_is_no_try_and_meets_the_same_luck_again(
    household: Make, task: str
) -> None:
    home = household(task, seed=2, openness=1.75)
    halted = happened = 0
    for number, step in enumerate(home.random_steps(12, 2)):
        before = home.world.state
        first, played = home.do(step, Late(number % 6))
        if not played.halted:
            continue
        halted, happened = halted + 1, happened + played.committed
        if played.committed:
            assert (home.world.state.places, home.world.state.facts) == (
                first.after.places,
                first.after.facts,
            )
            continue
        assert (home.world.state.places, home.world.state.facts) == (before.places, before.facts)
        home.world.state = before
        again, _ = home.do(step)
        assert (again.situation, again.after) == (first.situation, first.after)
    assert halted > happened
