"""Whole episodes for tests: the program's own parts, no pictures, no database."""

from __future__ import annotations

from dataclasses import dataclass, replace

from core import events as ev
from core.belief import Atom, Belief
from core.config import EpisodeComponents, Settings
from core.domains import DomainSpec, Perception
from core.episode import run_components
from core.loop.gate import AutoOperator
from core.planners import Planner
from core.stop_token import StopToken
from main import make_components

_PLANNERS: dict[
    object, Planner
] = {}  # as in trials: the same problem has the same plan, so it is searched for once


@dataclass(frozen=True)
class Outcome:
    """How an episode ended, and what was believed of what nobody can see, against the truth."""

    ended: ev.EpisodeEnded
    steps: int
    replans: int
    asked: tuple[str, ...]  # the questions, as worded
    unseen: frozenset[Atom]  # atoms never asked about nor sensed, believed wrongly at the end

    @property
    def true(self) -> bool:
        return self.ended.true_goal is True


def episode(settings: Settings) -> Outcome:
    parts = make_components(settings)
    key = settings.engine, tuple(sorted(settings.options_for("engine").items()))
    parts = replace(parts, planner=_PLANNERS.setdefault(key, parts.planner))
    try:
        return _outcome(parts, events_of(parts))
    finally:
        parts.close()


def events_of(parts: EpisodeComponents) -> list[ev.Event]:
    return list(run_components(parts, AutoOperator(), StopToken()))


def _outcome(parts: EpisodeComponents, events: list[ev.Event]) -> Outcome:
    belief = Belief.from_init(parts.task.problem.state)
    for event in events:
        if isinstance(event, ev.BeliefChanged):
            belief = belief.with_entries(event.changes)
    ended = events[-1]
    assert isinstance(ended, ev.EpisodeEnded)
    wrong = belief.state ^ parts.robot.truth()  # type: ignore[attr-defined]
    return Outcome(
        ended,
        sum(isinstance(e, ev.StepFinished) for e in events),
        sum(isinstance(e, ev.PlanMade) for e in events) - 1,
        tuple(q.text for e in events if isinstance(e, ev.QuestionsAsked) for q in e.queries),
        frozenset(a for a in wrong if _unseen(parts.domain_spec, a)),
    )


def _unseen(folder: DomainSpec, atom: Atom) -> bool:
    """The paper's methods neither ask about it nor sense it, and it is more than the planner's books."""
    asked_or_felt = folder.perception(atom.predicate) in (Perception.VISION, Perception.SENSE)
    return not asked_or_felt and atom.predicate not in folder.bookkeeping
