"""COWP as a policy: what is told in words is asked about, and what is learnt is suggested (Algorithm 1).

The conversation about a situation takes place within one turn. It is held again from the turn's observations
whenever the policy acts, so that the policy itself keeps nothing.
"""

from __future__ import annotations

from pydantic import Field

from core.belief import Atom, Query, QueryTopic, Verdict
from core.domains import DomainSpec
from core.knowledge.changes import AllowSubstitute, Evidence
from core.knowledge.suggestion import SituationReport, Suggestion
from core.methods.cowp.closed_world import ClosedWorld, OpenWorldMethodOptions
from core.methods.cowp.conversation import Conclusion, ConversationSetup, PersonQuestion, TurnContext
from core.methods.cowp.inquiry import resume
from core.methods.cowp.replies import LONGEST, clauses, interpret, told_in, unusable
from core.open_world.prompts import LanguagePrompt, PromptKind, prompt, recognise
from core.open_world.situations import named_objects
from core.operator import Addressee
from core.planners import Planner
from core.planning_model import Problem
from core.policy import (
    Action,
    AskModel,
    AskQuestions,
    Context,
    DomainChangeDecided,
    GiveUp,
    GotAnswers,
    GotReply,
    GotSituation,
    PlanRequested,
    ProceedRequested,
    StepDone,
)
from core.ports import ChatMessage, StepStatus
from core.reason import Cause, Reason
from core.stock import StockItem
from core.supervision import SupervisionLevel
from core.text.untrusted_text import one_line

NOT_NAMING = ("there is", "there are")  # how a situation begins that is about no object


class CowpOptions(OpenWorldMethodOptions):
    repair_skill: str = Field(
        default="operate",
        title="Repairs by",
        description="The action that puts a thing into a device and runs it; without it, no repairs.",
    )
    skips: tuple[str, ...] = Field(
        default=("walk",), title="Not asked about", description="Actions that no situation makes unsuitable."
    )
    one_call: bool = Field(
        default=True,
        title="Lists in one call",
        description="Ask about a list in one call; off, or with --prompt paper: one prompt each.",
    )


class Cowp(ClosedWorld):
    """A pure policy (`core.policy`) that handles situations."""

    name = "cowp"

    def __init__(
        self,
        domain_spec: DomainSpec,
        problem: Problem,
        planner: Planner,
        stock: tuple[StockItem, ...] = (),
        options: CowpOptions | None = None,
    ) -> None:
        super().__init__(domain_spec, problem, planner)
        chosen = options or CowpOptions()
        self.setup = ConversationSetup(
            domain_spec,
            stock,
            self.steps_to,
            task_in_words(domain_spec, problem),
            frozenset(chosen.skips),
            chosen.repair_skill,
            chosen.one_call,
        )

    def read_situation(self, context: Context, sentence: str, by: str) -> SituationReport:
        """Return the situation with the objects that it names; see `HandlesSituations`."""
        said = one_line(sentence.strip().rstrip(".!"), LONGEST)
        objects = self._named(context, said)
        fault = ""
        if not said:
            fault = "The situation is empty: say what is unusual, such as “the cup is dirty”."
        elif found := unusable(said, objects, [self._named(context, part) for part in clauses(said)]):
            fault = found
        elif not objects and not said.lower().startswith(NOT_NAMING):
            names = sorted({self.domain_spec.display_name(o.name) for o in context.problem.all_objects})
            fault = (
                f"“{said}” names nothing that the domain knows: name one of {', '.join(names)}, "
                "or begin with “there is”."
            )
        return SituationReport(said, objects, by, fault)

    def _named(self, context: Context, words: str) -> tuple[str, ...]:
        return named_objects(self.domain_spec, context.problem, words)

    def interpret_reply(self, reply: GotReply) -> str:
        """Return how the reply is read; see `InterpretsReplies`."""
        return interpret(reply.purpose, reply.prompt, reply.text)

    def look_for_situation(self, context: Context) -> AskModel:
        """Return how a vision model is asked what is unusual; see `LooksForSituations`."""
        things = {self.domain_spec.display_name(o.name): None for o in context.problem.all_objects}
        asked = prompt(PromptKind.LOOK, goal=self.setup.purpose, things=", ".join(things))
        return AskModel(PromptKind.LOOK.value, (ChatMessage("user", asked.text),), with_picture=True)

    def seen_situation(self, reply: GotReply) -> str:
        return told_in(reply.text)

    def act(self, context: Context) -> Action:
        return self.act_on_situations(context) or super().act(context)

    def act_on_situations(self, context: Context) -> Action | None:
        """Return what to do about what is unusual; None if there is nothing, or not yet."""
        if context.problem.is_goal(context.belief.state) and (thing := doubtful_thing(context)):
            name = one_line(self.domain_spec.display_name(thing), LONGEST)
            note = f"All steps are done, but with the {name}, which the model does not call good enough: look"
            return GiveUp(Reason(Cause.NO_PLAN, turn=context.turn, note=note))
        if not context.plan_count or self._must_plan_first(context):
            return None
        situations = _reported_situations(context)
        if not situations or context.problem.is_goal(context.belief.state):
            return None
        replies = [seen for seen in context.this_turn() if isinstance(seen, GotReply)]
        if replies and replies[-1].error:
            note = f"What is unusual could not be asked about: {situations[0].sentence}. {replies[-1].error}"
            return GiveUp(Reason(Cause.NO_PLAN, turn=context.turn, note=note))
        refusals = [
            seen
            for seen in context.this_turn()
            if isinstance(seen, DomainChangeDecided) and not seen.accepted
        ]
        said = {reply.prompt: reply.text for reply in replies}
        alone = context.supervision.believe is SupervisionLevel.WATCH  # nobody decides, nobody is asked
        person = None if alone else _verdicts(context)
        wanted = resume(self.setup, self._turn_context(context), situations, said, refusals, person)
        reason = Reason(Cause.OTHER, turn=context.turn, note=situations[-1].sentence)
        match wanted:
            case PersonQuestion(text, about):
                query = Query(Atom(QueryTopic.SITUATION.value, about), text, topic=QueryTopic.SITUATION)
                return AskQuestions((query,), Addressee.OPERATOR, reason)
            case LanguagePrompt(purpose, text):
                return AskModel(purpose.value, (ChatMessage("user", text),), reason=reason)
            case Suggestion():
                return self.suggest(context, wanted, reason)
            case Conclusion(no_solution) if no_solution:
                return GiveUp(Reason(Cause.NO_PLAN, turn=context.turn, note=no_solution))
        return None

    def _must_plan_first(self, context: Context) -> bool:
        """Return True after a change of the domain, and where a person asked for a plan."""
        wanted = context.replan_reason
        changed = wanted is not None and wanted.cause in (Cause.DOMAIN_CHANGED, Cause.UNDONE)
        return changed or isinstance(context.latest, PlanRequested | ProceedRequested)

    def _turn_context(self, context: Context) -> TurnContext:
        """Return what this turn's conversation is about: the state, and the steps that were to be done."""
        steps, last = context.plan, context.last_step
        if last and last.result.status is StepStatus.FAILED and not context.replanned:
            steps = (last.step, *steps)
        if not steps:  # the situation itself leaves no plan: ask about the one that there was
            steps = self.steps_to(self.problem) or ()
        return TurnContext(context.problem.with_state(context.belief.state), steps, context.knowledge)


def _verdicts(context: Context) -> dict[str, Verdict]:
    """Return what a person has answered in this turn, by question."""
    asked = (seen for seen in context.this_turn() if isinstance(seen, GotAnswers))
    return {
        query.text: answer.verdict
        for seen in asked
        for query, answer in zip(seen.queries, seen.answers, strict=True)
        if query.topic is QueryTopic.SITUATION
    }


def _reported_situations(context: Context) -> tuple[SituationReport, ...]:
    """Return this turn's situations, without those after which a person let it go on all the same."""
    told: list[SituationReport] = []
    for seen in context.this_turn():
        match seen:
            case GotSituation(situation):
                told.append(situation)
            case ProceedRequested():
                told = []
    return tuple(told)


def doubtful_thing(context: Context) -> str:
    """Return a thing that was used although the model said that it does not do for the goal; "" for none, and
    where a person lets it go on all the same.
    """
    if isinstance(context.latest, ProceedRequested):
        return ""
    used = {arg for seen in context.history if isinstance(seen, StepDone) for arg in seen.step.args}
    unfit = {
        learnt.change.substitute
        for learnt in context.knowledge.changes
        if isinstance(learnt.change, AllowSubstitute) and any(map(is_doubt, learnt.evidence))
    }
    return next((o.name for o in context.problem.all_objects if o.type in unfit and o.name in used), "")


def is_doubt(said: Evidence) -> bool:
    """Return True if a thing was said not to do for the goal, or nothing that can be read."""
    asked = recognise(said.prompt)
    return asked is not None and asked[0] is PromptKind.PURPOSE and said.interpretation != Verdict.YES.value


def task_in_words(domain_spec: DomainSpec, problem: Problem) -> str:
    """Return the task in words, "serve a cup of water at the dining table"."""
    task = next((t for t in domain_spec.tasks.values() if t.problem.name == problem.name), None)
    words = task.description.rstrip(".") if task else "reach the goal"
    return words[:1].lower() + words[1:]
