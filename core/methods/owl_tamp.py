"""OWL-TAMP (Kumar et al. 2024): a wish becomes a partial plan and tests, and a search finds the motions.

The replies of the model are written by hand here, one for each of the paper's ten tasks. The steps are
rehearsed before any is done, so they are done one after the other. At their end the scene is seen once more:
if it passes the wish's tests the wish is fulfilled, else there is another plan, from there. A step that the
robot reports as failed ends that, as the rest no longer fits. The paper's loop claims without a look.
"""

from __future__ import annotations

from dataclasses import replace

from pydantic import Field

from core.belief import Belief, BeliefEntry, BeliefSource, Verdict
from core.domains import DomainSpec
from core.methods.classical import OpenLoop
from core.planning_model import PlanStatus, Problem
from core.policy import Action, ClaimGoal, Context, GiveUp, GotPlan, MakePlan, Observation, StepDone
from core.ports import StepStatus
from core.reason import Cause, Reason
from core.registry import Options
from core.wish import WishOptions
from core.wishes.hand_written import hand_written

_PLANS = 3  # of one episode
_PAPER = WishOptions(samples=500, skeletons=5, back=False, rehearsal=False)
LOOPS = {
    "ours": WishOptions(),
    "paper": _PAPER,
    "no-rehearsal": WishOptions(rehearsal=False),
    "no-back": replace(_PAPER, skeletons=1),
    "no-cont": replace(_PAPER, tests=False),
    "no-disc": replace(_PAPER, partial_plan=False),
    "no-vlm": replace(_PAPER, partial_plan=False, tests=False),
    "no-sample": replace(_PAPER, samples=1),
    "cap": replace(_PAPER, samples=1, planner=False, tests=False),
    "cap-sample": replace(_PAPER, samples=2500, skeletons=1, planner=False),
}


class OwlTampOptions(Options):
    loop: str = Field(
        "ours", title="Loop", description=f"One of {', '.join(LOOPS)}.", pattern=f"^({'|'.join(LOOPS)})$"
    )


class OwlTamp(OpenLoop):
    """Plans a wish with its motions, and does its steps; a task without a wish as the classical planner."""

    name = "owl-tamp"

    def __init__(self, domain_spec: DomainSpec, problem: Problem, options: OwlTampOptions) -> None:
        super().__init__(domain_spec, problem)
        task = domain_spec.tasks.get(problem.name)
        self.wish = hand_written(problem.name, task.description if task else "")
        self.options = LOOPS[options.loop]

    def act(self, context: Context) -> Action:
        if self.wish is None:
            return super().act(context)
        latest, wanted = context.latest, context.replan_reason
        if isinstance(latest, StepDone) and latest.result.status is StepStatus.FAILED:
            return _give_up(
                context, f"{self.domain_spec.describe_step(latest.step)} failed: {latest.result.detail}."
            )
        if context.problem.is_goal(context.belief.state):
            return ClaimGoal(Reason(Cause.NEXT_IN_PLAN))
        if isinstance(latest, GotPlan) and latest.plan.status is not PlanStatus.FOUND:
            return self.continue_plan(context)
        if context.plan and not wanted:
            return self.continue_plan(context)
        if context.plan_count >= _PLANS:
            return _give_up(context, f"After {_PLANS} plans the scene does not pass the tests of the wish.")
        reason = replace(wanted or Reason(Cause.REQUESTED), turn=context.turn)
        return MakePlan(context.problem.with_state(context.belief.state), reason, self.wish, self.options)

    def update(self, context: Context, observation: Observation) -> Belief:
        belief = super().update(context, observation)
        if self.wish is None:
            return belief
        match observation:
            case GotPlan(plan=plan, accepted=True) if plan.status is PlanStatus.FOUND and not plan.steps:
                return _fulfilled(belief, context)
            case StepDone(result=result) if result.status is StepStatus.DONE and len(context.plan) == 1:
                return belief if self.options.rehearsal else _fulfilled(belief, context)
        return belief


def _fulfilled(belief: Belief, context: Context) -> Belief:
    goals = (literal.atom for literal in context.problem.goal)
    return belief.with_entries(
        BeliefEntry(goal, Verdict.YES, BeliefSource.PREDICTED, context.turn) for goal in goals
    )


def _give_up(context: Context, sentence: str) -> GiveUp:
    return GiveUp(Reason(Cause.UNSUCCESSFUL, turn=context.turn, note=sentence))
