"""DKPROMPT that repeats a failed step before it replans.

The short version of the paper has the robot "repeat an unsuccessful action", or call the planner for a new
plan, and leaves open when to do which. Here a step whose effects are not seen is repeated, followed by the
old plan, if everything that it needs is still believed; the repetition passes the gate like any plan of the
method's own. After `repeats` repetitions in a row, or if something that the step needs is gone (the object to
be grasped was dropped), a new plan is made. A missing precondition of the next step always leads to a new
plan.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import takewhile

from pydantic import Field

from core.domains import DomainSpec
from core.methods.dkprompt import DKPrompt, DKPromptOptions
from core.methods.expectations import unmet
from core.planning_model import Problem, Step
from core.policy import Action, Context, DoSteps, MakePlan, StepDone, same_step
from core.reason import Cause


class RepeatFirstOptions(DKPromptOptions):
    repeats: int = Field(
        default=1, ge=0, title="Repetitions", description="Of a failed step, before another plan is made."
    )


class RepeatFirst(DKPrompt):
    def __init__(
        self, domain_spec: DomainSpec, problem: Problem, options: RepeatFirstOptions | None = None
    ) -> None:
        options = options or RepeatFirstOptions()
        super().__init__(domain_spec, problem, options, "repeat-first")
        self.repeats = options.repeats

    def conclude(self, context: Context) -> Action:
        wanted = super().conclude(context)
        done = context.last_step
        if done is None or not (isinstance(wanted, MakePlan) and self._can_repeat(context, done.step)):
            return wanted
        reason = replace(wanted.reason, cause=Cause.UNSUCCESSFUL, step=done.step)
        return DoSteps((done.step, *context.plan), reason)

    def _can_repeat(self, context: Context, step: Step) -> bool:
        """Return True if the step was seen to fail, is applicable, and was not repeated too often yet."""
        if (
            context.replan_reason and context.replan_reason.cause is not Cause.PLAN_COMPLETED
        ):  # a person intervened
            return False
        if not unmet(self.checked_effects(context), context.belief):
            return False
        if unmet(self.expectations.preconditions(step), context.belief):
            return False
        steps = (seen.step for seen in reversed(context.history) if isinstance(seen, StepDone))
        in_a_row = sum(1 for _ in takewhile(lambda past: same_step(past, step), steps))
        return in_a_row <= self.repeats
