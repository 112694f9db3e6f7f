"""Run an episode with the components made for it; used by the window, the terminal and trials."""

from __future__ import annotations

from collections.abc import Generator, Iterator
from contextlib import closing, suppress
from dataclasses import replace
from random import Random
from typing import cast

from core import events as ev
from core.belief import Atom, Purpose, Query, Verdict
from core.config import EpisodeComponents
from core.domains import SHOWN, DomainSpec
from core.errors import RobotError
from core.knowledge.apply import apply_changes
from core.knowledge.changes import Knowledge
from core.loop.episode_loop import run_episode
from core.methods.consistency import DomainConsistency
from core.methods.registry import make_method
from core.operator import Operator
from core.planning_model import Literal, Problem
from core.policy import LearnsRates
from core.ports import GroundTruth, TellsAssumption, TellsGaps
from core.stop_token import StopToken


def run_components(
    components: EpisodeComponents, operator: Operator, cancel: StopToken
) -> Iterator[ev.Event]:
    """Run the loop with these components; the caller still has to close them."""
    events = run_episode(
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
    robot, task = components.robot, components.task
    if not components.settings.pictures:
        return events
    return with_unasked(events, robot, components.domain_spec, task.problem)


def with_unasked(
    events: Iterator[ev.Event], robot: object, domain_spec: DomainSpec, problem: Problem
) -> Iterator[ev.Event]:
    """Yield the events: with each picture some questions for a review, whatever is asked about it, and after
    it the truth of some facts, where the robot is a simulator.
    """
    with closing(cast(Generator[ev.Event, None, None], events)):
        for event in events:
            if not isinstance(event, ev.FrameCaptured) or not event.frame.png:
                yield event
                continue
            yield replace(event, review=_some_questions(domain_spec, problem, event.frame.id))
            if isinstance(robot, GroundTruth):
                with suppress(RobotError):  # which the loop reports
                    facts = tuple(_some_facts(robot, domain_spec, problem, event.frame.id))
                    yield ev.GroundTruthRecorded(event.turn, event.frame.id, (), facts)


_DRAWS = 10  # facts of a predicate, among which one is sought that does not hold
_ASKED = 3  # questions for a review, of each picture


def _some_questions(domain_spec: DomainSpec, problem: Problem, picture: str) -> tuple[Query, ...]:
    """Return questions about a picture by chance: each predicate is as likely, and each of its facts."""
    rng = Random(f"review {picture}")
    shown = [p for p in problem.domain.predicates if domain_spec.perception(p.name) in SHOWN]
    found: dict[Atom, Query] = {}
    for predicate in rng.choices(shown, k=_ASKED * _DRAWS) if shown else ():
        things = [problem.of_type(parameter.type) for parameter in predicate.parameters]
        atom = Atom(predicate.name, tuple(map(rng.choice, things))) if all(things) else None
        if atom is not None and len({*atom.args}) == len(atom.args):
            query = domain_spec.query(atom, Purpose.CHECK, Verdict.UNKNOWN)
            found |= {atom: query} if query is not None and len(found) < _ASKED else {}
    return tuple(found.values())


def _some_facts(
    robot: GroundTruth, domain_spec: DomainSpec, problem: Problem, picture: str
) -> Iterator[ev.GroundTruthFact]:
    """Yield of each predicate that a picture shows one fact that holds and one that does not, by chance."""
    truth, rng = robot.truth(), Random(picture)
    known = {thing.name for thing in problem.all_objects}
    for predicate in problem.domain.predicates:
        things = [problem.of_type(parameter.type) for parameter in predicate.parameters]
        if domain_spec.perception(predicate.name) not in SHOWN or not all(things):
            continue
        drawn = [Atom(predicate.name, tuple(map(rng.choice, things))) for _ in range(_DRAWS)]
        so = sorted(a for a in truth if a.predicate == predicate.name and known.issuperset(a.args))
        not_so = [a for a in drawn if a not in truth and len({*a.args}) == len(a.args)]
        for atom in (*rng.sample(so, min(1, len(so))), *not_so[:1]):
            yield ev.GroundTruthFact(atom, atom in truth, robot.is_observable(atom))


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


def with_goal(components: EpisodeComponents, goal: tuple[Literal, ...] | None) -> EpisodeComponents:
    """Return the components for another goal; None keeps the task's own."""
    if goal is None:
        return components
    spec, s = components.domain_spec, components.settings
    problem = replace(components.task.problem, goal=goal)
    parts = {"planner": components.planner, "answerer": components.answerer, "model": components.model}
    method = make_method(s.method, spec, problem, s.options_for("method"), **parts)
    task, consistency = replace(components.task, problem=problem), DomainConsistency(spec, problem)
    known = replace(components, task=task, method=method, consistency=consistency)
    return with_knowledge(known, components.knowledge)


def with_knowledge(components: EpisodeComponents, knowledge: Knowledge) -> EpisodeComponents:
    """Return the components for an episode that begins with what was learnt before."""
    task = components.task
    problem = apply_changes(task.problem, (learnt.change for learnt in knowledge.changes))
    method = components.method
    method = method.knowing(knowledge) if isinstance(method, LearnsRates) else method
    known = replace(components, task=replace(task, problem=problem), knowledge=knowledge)
    return replace(known, method=method)
