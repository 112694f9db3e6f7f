"""The parts of an episode, made for another goal."""

from __future__ import annotations

from app.episode.goal_override import with_goal
from core.config import Settings
from core.methods.dkprompt import DKPrompt
from main import make_components


def test_that_for_another_goal_a_method_keeps_its_options() -> None:
    options = {"method.replan_on": "needed"}
    parts = make_components(Settings("halve_egg", robot="symbolic", pictures=False, options=options))
    try:
        other = with_goal(parts, parts.task.problem.goal[:1])
    finally:
        parts.close()
    assert isinstance(other.method, DKPrompt) and other.method is not parts.method
    assert other.method.options.replan_on == "needed"
    assert other.method.problem.goal == parts.task.problem.goal[:1]
