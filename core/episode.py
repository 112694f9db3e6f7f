"""Run an episode with the components made for it; used by the window, the terminal and trials."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from core import events as ev
from core.config import EpisodeComponents
from core.knowledge.apply import apply_changes
from core.knowledge.changes import Knowledge
from core.loop.episode_loop import run_episode
from core.operator import Operator
from core.ports import TellsAssumption, TellsGaps
from core.stop_token import StopToken


def run_components(
    components: EpisodeComponents, operator: Operator, cancel: StopToken
) -> Iterator[ev.Event]:
    """Run the loop with these components; the caller still has to close them."""
    return run_episode(
        components.task.name,
        components.task.problem,
        components.robot,
        components.answerer,
        components.planner,
        components.method,
        operator,
        cancel,
        components.settings.max_steps,
        components.settings.as_strings(),
        consistency=components.consistency,
        model=components.model,
        budget=components.remaining_budget,
        failure_limit=components.settings.failure_limit,
        permits=components.permits,
        knowledge=components.knowledge,
        first_belief=components.first_belief,
        notices=tuple(filter(None, (unanswerable(components), _assumed(components)))),
    )


def unanswerable(components: EpisodeComponents) -> str:
    """Return in one sentence which of the episode's questions nobody can answer, "" if all may be."""
    answerer, settings, spec = components.answerer, components.settings, components.domain_spec
    if not isinstance(answerer, TellsGaps):
        return ""
    robot = settings.robot or spec.default_robot
    return answerer.gaps(spec, components.task.problem, robot, settings.method, settings.pictures)


def _assumed(components: EpisodeComponents) -> str:
    method = components.method
    return method.assumption if isinstance(method, TellsAssumption) else ""


def with_knowledge(components: EpisodeComponents, knowledge: Knowledge) -> EpisodeComponents:
    """Return the components for an episode that begins with what was learnt before."""
    task = components.task
    problem = apply_changes(task.problem, (learnt.change for learnt in knowledge.changes))
    return replace(components, task=replace(task, problem=problem), knowledge=knowledge)
