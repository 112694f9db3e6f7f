"""The paper's baseline VLM-planner: the model itself makes the plan (section 4.2).

It receives the domain in words, the belief, the goal and the picture. The paper leaves open how often it is
asked. By default it is asked once, as in Huang et al. (the paper's [31]), whose model writes the whole plan
before anything is executed; with `asks = step` it is asked in each turn for the next step, and told what was
done.

- A reply that cannot be read, or names a step that the problem does not have, is requested once more in a
  stricter form; then a person is asked, with the reason. No part of such a reply reaches the robot.
- Sensors are read, as by every baseline of the paper. A step whose preconditions are not believed is executed
  anyway, because the plan is the model's, but is expected to change nothing.
- The goal is claimed when it is believed. If the plan ends or the model says "done" before, that is no claim:
  a person is asked.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from itertools import takewhile
from typing import Literal

from pydantic import Field

from core.belief import Belief
from core.domains import DomainSpec
from core.methods.expectations import unmet
from core.methods.knowledge import belief_text, domain_text, object_names_in_text, step_notation
from core.methods.plan_reader import PlanReading, read_plan
from core.methods.skeleton import AskInterpretPlan, PerceptionOptions
from core.planning_model import Problem, Step
from core.policy import (
    Action,
    AskModel,
    ClaimGoal,
    Context,
    DoSteps,
    GiveUp,
    GotPlan,
    GotReply,
    PlanRequested,
    ProceedRequested,
    StepDone,
)
from core.ports import ChatMessage
from core.reason import FIRST_PLAN, Cause, Reason

PURPOSE = "plan"
TRIES = 2  # attempts to get one plan

_SYSTEM = """
You plan for a robot. You are told which actions it can do and what it shall achieve, and you are shown what \
it sees now. An action changes what stands behind "Then", and only if all that stands behind "Needs" is so.

{knowledge}"""
_WHOLE = """{situation}

Write the shortest plan that achieves this: one action a line, such as {example}, and nothing else. If \
nothing is left to do, write: done"""
_NEXT = """{situation}

Done so far: {done}

Write the next action only, such as {example}, and nothing else. If nothing is left to do, write: done"""
_STRICTER = """

Your previous reply could not be used. {fault} Use the actions and the objects above, spelt as above, each \
action on a line of its own, and write no other words."""
_DONE = "The model says that nothing is left to do, and the goal is not believed."


class VlmPlannerOptions(PerceptionOptions):
    asks: Literal["plan", "step"] = Field(
        default="plan",
        title="Asks for",
        description="the whole plan at once, or the next step in each turn",
    )


class VlmPlanner(AskInterpretPlan):
    """A policy that shares the skeleton's beliefs, but asks no question and calls no planner."""

    name = "vlm-planner"

    def __init__(
        self, domain_spec: DomainSpec, problem: Problem, options: VlmPlannerOptions | None = None
    ) -> None:
        self.options = options or VlmPlannerOptions()
        super().__init__(domain_spec, problem, self.options)
        self.names = object_names_in_text(domain_spec, problem)

    def predict(self, belief: Belief, step: Step, turn: int) -> Belief:
        if unmet(self.expectations.preconditions(step), belief):
            return belief
        return super().predict(belief, step, turn)

    def act(self, context: Context) -> Action:
        latest = context.latest
        if isinstance(latest, GotReply):
            return self._taken(context, latest)
        if isinstance(latest, GotPlan) and not latest.accepted:
            return self.continue_plan(context)
        asked_for = isinstance(latest, PlanRequested | ProceedRequested)
        if context.problem.is_goal(context.belief.state) and not asked_for:
            return ClaimGoal(Reason(Cause.NEXT_IN_PLAN))
        if context.plan and not context.replan_reason and not asked_for:
            return self.continue_plan(context)
        whole = self.options.asks == "plan"
        if (
            whole
            and context.replan_reason
            and context.replan_reason.cause is Cause.PLAN_COMPLETED
            and not asked_for
        ):
            return _give_up(context, "The model's plan is at its end, and the goal is not believed.")
        return self._ask(context)

    def interpret_reply(self, reply: GotReply) -> str:
        """Return the steps as understood; "" if the reply cannot be read."""
        reading = read_plan(reply.text, self.problem, self.names)
        said = "; ".join(self.domain_spec.describe_step(step) for step in reading.steps)
        return "nothing is left to do" if reading.done else said

    def _taken(self, context: Context, reply: GotReply) -> Action:
        """Return the action that follows from the model's reply."""
        if reply.error:
            return _give_up(context, reply.error)
        reading = read_plan(reply.text, context.problem, self.names)
        if reading.fault:
            replies = takewhile(lambda seen: isinstance(seen, GotReply), reversed(context.history))
            if len(tuple(replies)) < TRIES:
                return self._ask(context, reading)
            return _give_up(context, f"The model's plan cannot be used. {reading.fault}")
        if reading.done:
            return _give_up(context, _DONE)
        steps = reading.steps if self.options.asks == "plan" else reading.steps[:1]
        return DoSteps(steps, replace(context.replan_reason or Reason(Cause.REQUESTED), turn=context.turn))

    def _ask(self, context: Context, unread: PlanReading | None = None) -> AskModel:
        problem = context.problem
        first = problem.domain.actions[0]
        text = (_WHOLE if self.options.asks == "plan" else _NEXT).format(
            situation=belief_text(self.domain_spec, problem, context.belief),
            example=step_notation(Step(first.name, tuple(p.name.lstrip("?") for p in first.parameters)), {}),
            done=", ".join(_done(context, self.names)) or "nothing",
        )
        if unread:
            text += _STRICTER.format(fault=unread.fault)
        system = _SYSTEM.strip().format(knowledge=domain_text(self.domain_spec, problem))
        reason = replace(context.replan_reason or FIRST_PLAN, turn=context.turn)
        return AskModel(PURPOSE, (ChatMessage("system", system), ChatMessage("user", text)), True, reason)


def _done(context: Context, names: Mapping[str, str]) -> tuple[str, ...]:
    return tuple(step_notation(seen.step, names) for seen in context.history if isinstance(seen, StepDone))


def _give_up(context: Context, reason: str) -> GiveUp:
    return GiveUp(Reason(Cause.NO_PLAN, turn=context.turn, note=reason))
