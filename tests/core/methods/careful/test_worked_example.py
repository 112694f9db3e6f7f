"""The worked example of docs/careful.md happens as it is told there."""

from __future__ import annotations

import re
from pathlib import Path

from core import events as ev
from core.config import Settings
from core.episode import run_components
from core.loop.gate import AutoOperator
from core.policy import GotSenses
from core.stop_token import StopToken
from main import make_components

PAGE = Path(__file__).parents[4] / "docs" / "careful.md"


def told() -> dict[int, str]:
    """Return the probability of the goal at the end of each turn of the page's table, in per cent."""
    example = PAGE.read_text().split("## A worked example")[1].split("\n## ")[0]
    return {
        int(turn): sure
        for turn, sure in re.findall(r"^\| (?:\d+ to )?(\d+) \|.*\| ([\d.]+) % \|$", example, re.M)
    }


def test_that_the_example_happens_as_it_is_told() -> None:
    settings = Settings(task="halve_egg", method="careful", answerer="symmetric-34", seed=1, pictures=False)
    parts = make_components(settings)
    update, is_goal, found = parts.method.update, parts.task.problem.is_goal, dict[int, float]()

    def noted(context, seen):
        belief = update(context, seen)
        if isinstance(seen, GotSenses):  # the first that is known after a step
            found[context.turn - 1] = 100 * belief.probability_that(is_goal)
        return belief

    parts.method.update = noted
    ended = list(run_components(parts, AutoOperator(parts.robot.embodiment), StopToken()))[-1]
    parts.close()
    assert isinstance(ended, ev.EpisodeEnded) and ended.true_goal
    found[max(found) + 1] = 100 * ended.probability
    expected = told()
    assert len(expected) > 3
    for turn, sure in expected.items():
        assert sure == f"{found[turn]:.{len(sure.partition('.')[2])}f}"
    assert max(expected) == max(found)
