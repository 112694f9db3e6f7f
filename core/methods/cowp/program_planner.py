"""The baselines whose model writes the plan: ProgPrompt, Inner Monologue, and LMZSP (told nothing).

A program is read as by the method vlm-planner, completely or not at all. Where it uses a thing at hand, the
thing is suggested first. ProgPrompt asks for a new program in a situation, Inner Monologue for one action in
each turn, and LMZSP asks once.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from core.domains import DomainSpec
from core.knowledge.apply import change_faults
from core.knowledge.changes import AddObject, AllowSubstitute, Change, Evidence, LearntChange
from core.knowledge.suggestion import SituationReport, Suggestion
from core.methods.cowp.closed_world import ClosedWorld, failing_words
from core.methods.knowledge import belief_text, domain_text
from core.methods.plan_reader import read_plan
from core.open_world.prompts import NOTHING_UNUSUAL, PromptKind, prompt
from core.planners import Planner
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
    GotSituation,
    StepDone,
)
from core.ports import ChatMessage
from core.reason import FIRST_PLAN, Cause, Reason
from core.stock import StockItem
from core.text.untrusted_text import one_line


class ProgramPlanner(ClosedWorld):
    def __init__(
        self,
        domain_spec: DomainSpec,
        problem: Problem,
        planner: Planner,
        stock: tuple[StockItem, ...],
        name: str,
        purpose: PromptKind,
        task: str,
    ) -> None:
        super().__init__(domain_spec, problem, planner)
        self.name, self._purpose, self._task, self._stock = name, purpose, task, stock

    def read_situation(self, context: Context, sentence: str, by: str) -> SituationReport:
        return SituationReport(one_line(sentence, 200), by=by)

    def act(self, context: Context) -> Action:
        if context.problem.is_goal(context.belief.state):
            return ClaimGoal(Reason(Cause.NEXT_IN_PLAN))
        if (failed := self.failing(context)) is not None:
            return GiveUp(
                Reason(Cause.NO_PLAN, step=failed.step, note=failing_words(self.domain_spec, failed))
            )
        reply = next((s for s in reversed(context.this_turn()) if isinstance(s, GotReply)), None)
        if reply is not None:
            return self._taken(context, reply)
        told = any(isinstance(s, GotSituation) for s in context.this_turn())
        first = not any(isinstance(s, StepDone | GotPlan) for s in context.history)
        if self._purpose is PromptKind.MONOLOGUE or first or (told and self._purpose is PromptKind.PROGRAM):
            return self._ask(context)
        if context.plan:
            return DoSteps(context.plan, Reason(Cause.NEXT_IN_PLAN, step=context.plan[0]))
        return GiveUp(
            Reason(Cause.NO_PLAN, note="The model's plan is at its end, and the goal is not believed.")
        )

    def _ask(self, context: Context) -> AskModel:
        told = [s.situation.sentence for s in context.history if isinstance(s, GotSituation)]
        at_hand = ", ".join(item.name for item in self._stock)
        believed = belief_text(self.domain_spec, self.problem, context.belief)
        words = f"{domain_text(self.domain_spec, self.problem)}\nAt hand: {at_hand}\n{believed}"
        asked = prompt(
            self._purpose,
            situation=told[-1] if told else NOTHING_UNUSUAL,
            goal=self._task,
            knowledge=words,
        )
        return AskModel(self._purpose.value, (ChatMessage("user", asked.text),), reason=FIRST_PLAN)

    def _taken(self, context: Context, reply: GotReply) -> Action:
        if reply.error:
            return GiveUp(Reason(Cause.NO_PLAN, note=reply.error))
        changes = tuple(dict.fromkeys(self._required_changes(context.problem, reply.text)))
        if changes and not change_faults(context.problem, changes):
            said = (Evidence(interpretation="used in the model's plan", by=self.name),)
            learnt = tuple(LearntChange(change, said) for change in changes)
            situation = SituationReport("the model's plan uses it", by=self.name)
            return self.suggest(
                context, Suggestion(situation, learnt), Reason(Cause.OTHER, turn=context.turn)
            )
        reading = read_plan(reply.text, context.problem, {})
        if reading.fault or not reading.steps:
            why = reading.fault or "It says that nothing is left to do, and the goal is not believed."
            return GiveUp(Reason(Cause.NO_PLAN, note=f"The model's plan cannot be used. {why}"))
        return DoSteps(reading.steps, replace(context.replan_reason or FIRST_PLAN, turn=context.turn))

    def _required_changes(self, problem: Problem, text: str) -> Iterator[Change]:
        """Yield what must be so that the plan's steps can be done with things at hand."""
        names = {item.name: item for item in self._stock}
        known = {o.name for o in problem.all_objects}
        for step in _lines(text):
            action = next((a for a in problem.domain.actions if a.name == step.name), None)
            for name, parameter in zip(step.args, action.parameters if action else (), strict=False):
                item = names.get(name)
                if item is None:
                    continue
                if not problem.domain.is_a(item.kind, parameter.type):
                    yield AllowSubstitute(item.kind, parameter.type)
                if name not in known:
                    yield AddObject(item.name, item.kind, item.facts)


def _lines(text: str) -> Iterator[Step]:
    """Yield the steps as written, whatever the types of their objects."""
    for line in text.lower().splitlines():
        name, bracket, rest = line.strip().partition("(")
        if bracket:
            yield Step(
                name.strip(), tuple(arg.strip() for arg in rest.rstrip(") ").split(",") if arg.strip())
            )
