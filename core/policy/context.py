"""Hold what a policy decides from, and apply an observation to it. Pure."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

from core.belief import Atom, Belief
from core.knowledge.changes import Knowledge
from core.planning_model import Plan, PlanStatus, Problem, Step, fulfils, same_step
from core.policy.observations import (
    BeliefCorrected,
    BeliefRestored,
    DomainChangeDecided,
    GotAnswers,
    GotPicture,
    GotPlan,
    Observation,
    PlanRequested,
    StepDone,
    StepHalted,
)
from core.reason import FIRST_PLAN, Cause, Reason
from core.supervision import SupervisionLevels

HISTORY = 1000  # number of observations kept in a context


@dataclass(frozen=True)
class RemainingBudget:
    """What is left of the limits; None means no limit."""

    steps: int | None = None
    calls: int | None = None
    dollars: float | None = None


@dataclass(frozen=True)
class Context:
    """All that a policy may read: the current state of the episode. Created by `advance` only."""

    problem: Problem
    belief: Belief
    turn: int = 0
    plan: tuple[Step, ...] = ()  # remaining steps of the current plan
    plan_count: int = 0  # plans made so far
    replan_reason: Reason | None = FIRST_PLAN  # why a new plan is needed; None: it is not
    last_step: StepDone | None = None  # None at first, and after a halted step
    belief_before: Belief | None = None  # the belief before `last_step`
    replanned: bool = False  # a plan was made since `last_step`
    frame: str = ""  # id of the current picture
    viewpoint: str = ""
    asked_atoms: frozenset[Atom] = frozenset()  # asked about the current picture
    history: tuple[Observation, ...] = ()  # the latest observations, oldest first
    viewpoints: tuple[str, ...] = ()  # where the robot can look from
    remaining: RemainingBudget = field(default_factory=RemainingBudget)
    # Set by the operator, who may change them at any time.
    supervision: SupervisionLevels = field(default_factory=SupervisionLevels)
    knowledge: Knowledge = field(default_factory=Knowledge)  # what was learnt about the domain

    @property
    def latest(self) -> Observation | None:
        return self.history[-1] if self.history else None

    def this_turn(self) -> tuple[Observation, ...]:
        """Return the observations of the current turn, beginning with its picture."""
        for place in range(len(self.history) - 1, -1, -1):
            seen = self.history[place]
            if isinstance(seen, GotPicture) and seen.begins_turn:
                return self.history[place:]
        return self.history


def advance(context: Context, observation: Observation, belief: Belief) -> Context:
    """Return the context after an observation that led to this belief."""
    history = (*context.history[1 - HISTORY :], observation)
    return replace(context, belief=belief, history=history, **_changed(context, observation))


def _changed(context: Context, seen: Observation) -> dict[str, Any]:
    """Return the fields of the context that an observation changes, besides belief and history."""
    match seen:
        case GotPicture(turn, frame, viewpoint):
            return {"turn": turn, "frame": frame, "viewpoint": viewpoint, "asked_atoms": frozenset()}
        case GotAnswers(queries):
            return {"asked_atoms": context.asked_atoms | {q.atom for q in queries}} if queries else {}
        case GotPlan(plan, accepted):
            steps = plan.steps if accepted else context.plan
            return {
                "plan": steps,
                "replan_reason": None,
                "replanned": True,
                "plan_count": context.plan_count + 1,
            }
        case StepDone(step):
            follows = bool(context.plan) and fulfils(step, context.plan[0])
            rest = context.plan[1:] if follows else ()
            reason = (
                None if rest else Reason(Cause.PLAN_COMPLETED if follows else Cause.OTHER_STEP, step=step)
            )
            now = {"plan": rest, "replan_reason": reason, "last_step": seen, "belief_before": context.belief}
            return {**now, "replanned": False}
        case StepHalted():
            return {"last_step": None, "belief_before": None}
        case BeliefCorrected(answers):
            return {"replan_reason": Reason(Cause.CORRECTED, answer=answers[-1] if answers else None)}
        case BeliefRestored(_, undone, problem, knowledge):
            reason = Reason(Cause.UNDONE, answer=undone[-1] if undone else None)
            domain = {} if problem is None else {"problem": problem, "knowledge": knowledge}
            return {"replan_reason": reason, **domain}
        case PlanRequested():
            return {"replan_reason": Reason(Cause.REQUESTED)}
        case DomainChangeDecided(True, problem, _, knowledge):
            reason = Reason(Cause.DOMAIN_CHANGED)
            return {"problem": problem, "replan_reason": reason, "knowledge": knowledge}
        case DomainChangeDecided(False, _, _, knowledge):
            return {"knowledge": knowledge}
    return {}


def same_plan(steps: tuple[Step, ...], plan: Plan) -> bool:
    """Return True if `plan` was found and has exactly these steps, with the same values."""
    return (
        plan.status is PlanStatus.FOUND
        and len(steps) == len(plan.steps)
        and all(map(same_step, steps, plan.steps))
    )
