"""Predict what an answer would change, with the method's own pure functions, before it is given."""

from __future__ import annotations

from app.presentation.formatting import rows_ahead
from core.belief import Answer
from core.episode_state import EpisodeState, Phase
from core.planning_model import Problem, Step
from core.policy import BeliefCorrected, Context, Policy
from core.text.vocabulary import Vocabulary


def effect_preview(
    method: Policy, problem: Problem, state: EpisodeState, answers: tuple[Answer, ...], vocabulary: Vocabulary
) -> str:
    """Return the prediction in a few words, "" if there is none. No planner runs."""
    from core.planning import semantics

    context = Context(problem, state.belief, state.turn)
    belief = method.update(context, BeliefCorrected(answers))
    if problem.is_goal(belief.state):
        return "then the goal is believed"
    plan = tuple(line.step for line in rows_ahead(state))
    if not plan:
        return "then it plans again"
    problem = problem.with_state(belief.state)
    stuck = _first_inapplicable(problem, plan)
    if stuck is not None:
        return f"then “{vocabulary.describe_step(stuck)}” cannot be done" + (
            "" if stuck is plan[0] else " later"
        )
    if semantics.plan_faults(problem, plan):
        return "then the plan no longer reaches the goal"
    offered = state.phase is Phase.OFFERED
    return f"then plan {state.plan_count} holds again" if offered else "then the plan still holds"


def _first_inapplicable(problem: Problem, plan: tuple[Step, ...]) -> Step | None:
    """Return the first step that would not be applicable if every earlier one had its nominal effects."""
    from core.planning import semantics

    state = problem.state
    for step in plan:
        if semantics.inapplicable_reasons(problem, state, step):
            return step
        state = semantics.apply(problem, state, step)
    return None
