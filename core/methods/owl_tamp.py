"""OWL-TAMP (Kumar et al. 2024): a wish becomes a partial plan and tests, and a search finds the motions.

A model writes the wish, in replies to several prompts; without one, each of the paper's ten tasks has one
written by hand. The steps are rehearsed before any is done. After each place the scene is seen again; test
and description are two witnesses (`core.wishes.watching`). What is not so, and a step that failed, are
planned again from what is seen. At the end the scene has to pass the tests of the goal. The paper's loop
looks no more, and ends with a step that fails.

What is unusual is handled as COWP does; a wish goes on with what stands in for a thing of it.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from pydantic import Field

from core.belief import Atom, Belief, BeliefEntry, BeliefSource, Purpose, Query, QueryTopic, Verdict
from core.domains import DomainSpec
from core.errors import ConsoleError
from core.knowledge.suggestion import SituationReport
from core.methods.baselines import OpenLoop
from core.methods.step_questions import step_question
from core.motion.search import named
from core.planners import Planner
from core.planning_model import PlanStatus, Problem
from core.policy import (
    Action,
    AskModel,
    AskQuestions,
    ClaimGoal,
    Context,
    DomainChangeDecided,
    GiveUp,
    GotAnswers,
    GotPlan,
    GotReply,
    GotScene,
    GotSenses,
    MakePlan,
    Observation,
    StepDone,
)
from core.ports import StepStatus
from core.reason import Cause, Reason
from core.registry import Options
from core.scene import Scene
from core.stock import StockItem
from core.wish import Wish, WishOptions
from core.wishes.authoring import TESTED, Brief, after, reading_of, write_wish
from core.wishes.hand_written import hand_written
from core.wishes.substitutes import WishCowp, with_substitutes
from core.wishes.watching import Progress, follow, question, rest_of, share_of_likely

_PLANS, _WATCHED_PLANS = 3, 8  # of one episode
_PAPER = WishOptions(samples=500, skeletons=5, back=False, rehearsal=False)
_ONCE = replace(_PAPER, samples=1, skeletons=1)  # a second skeleton would sample steps again
# A program that a model wrote: a whole plan out of the first scene alone, without tests.
_PROGRAM = replace(_ONCE, planner=False, tests=False, blind=True)
LOOPS = {
    "ours": WishOptions(),
    "paper": _PAPER,
    "no-rehearsal": WishOptions(rehearsal=False),
    "no-back": replace(_PAPER, skeletons=1),
    "no-cont": replace(_PAPER, tests=False),
    "no-disc": replace(_PAPER, partial_plan=False),
    "no-vlm": replace(_PAPER, partial_plan=False, tests=False),
    "no-sample": _ONCE,
    "cap": _PROGRAM,
    "cap-sample": replace(_PROGRAM, skeletons=2500, most_samples=2500),  # until the arm can do one
}


class OwlTampOptions(Options):
    loop: str = Field(
        "ours", title="Loop", description=f"One of {', '.join(LOOPS)}.", pattern=f"^({'|'.join(LOOPS)})$"
    )
    watch: bool = Field(True, title="Watch", description="look after each place (only the loop ours)")
    worlds: int = Field(
        0, title="Worlds", description="in which a plan is tried, by how sure the poses are", ge=0, le=20
    )
    words: str = Field("", title="Words", description="the wish, in place of the task's description")


class OwlTamp(OpenLoop):
    """Plans a wish with its motions, and does its steps; a task without a wish as the classical planner."""

    name = "owl-tamp"

    def __init__(
        self,
        domain_spec: DomainSpec,
        problem: Problem,
        options: OwlTampOptions,
        planner: Planner,
        stock: tuple[StockItem, ...] = (),
        asks: bool = False,
    ) -> None:
        """With `asks` a model writes the wish, else it is written by hand."""
        super().__init__(domain_spec, problem)
        self._cowp = WishCowp(domain_spec, problem, planner, stock)
        task = domain_spec.tasks.get(problem.name)
        self.words = options.words or (task.description if task else "")
        self.has_own_goal = options.words not in ("", task.description if task else "")
        self.asks = asks and {"pick", *TESTED} <= {action.name for action in problem.domain.actions}
        self.written = None if self.asks else hand_written(problem.name, self.words)
        self.options = replace(LOOPS[options.loop], worlds=options.worlds)
        self.watches = options.watch and options.loop == "ours"
        self.uses_scene = asks or (self.watches and self.written is not None)

    def act(self, context: Context) -> Action:
        try:
            wish = self._wish(context)
        except ConsoleError as unwritten:
            return _give_up(context, str(unwritten))
        if wish is None and "achieved" in {literal.predicate for literal in context.problem.goal}:
            return _give_up(context, "Nobody has written this wish by hand: name a knower, such as recorded.")
        if isinstance(wish, AskModel):
            return wish
        if wish is None:
            return self._cowp.act_on_situations(context) or super().act(context)
        left = rest_of(wish, follow(wish, context.history)) if self.watches else wish
        if (unusual := self._cowp.of(left).act_on_situations(context)) is not None:
            return unusual
        latest, wanted = context.latest, context.replan_reason
        now = follow(wish, context.history) if self.watches else Progress()
        if about := question(wish, now, self._question(context)) if now.open is not None else None:
            return AskQuestions((about[0],), about[1])
        failed = context.last_step
        if failed is not None and failed.result.status is StepStatus.FAILED and not context.replanned:
            sentence = f"{self.domain_spec.describe_step(failed.step)} failed: {failed.result.detail}."
            if not self.watches or Atom("handempty") not in context.belief.state:
                return _give_up(context, sentence)
            return self._plan(context, rest_of(wish, now), sentence)
        if now.moved and context.plan and not now.holds:
            return self._plan(context, rest_of(wish, now), f"Something has moved the {now.moved}.")
        if now.lost and not now.holds:
            return _give_up(context, now.lost)
        if isinstance(latest, GotPlan) and latest.plan.status is not PlanStatus.FOUND:
            if not self.watches or not _may_look_otherwise(context.history):
                return self.continue_plan(context)  # the same scene leads to the same end
            return self._plan(context, rest_of(wish, now), latest.plan.reason)
        if now.undone is not None and not now.holds:
            sentence = f"After {self.domain_spec.describe_step(wish.steps[now.undone])} it is not as wished."
            return self._plan(context, rest_of(wish, now), sentence)
        if context.problem.is_goal(context.belief.state):
            return ClaimGoal(Reason(Cause.NEXT_IN_PLAN), self._probability(wish, context.history))
        if context.plan and not wanted:
            return self.continue_plan(context)
        return self._plan(context, rest_of(wish, now))

    def _plan(self, context: Context, wish: Wish, why: str = "") -> Action:
        most = _WATCHED_PLANS if self.watches else _PLANS
        if context.plan_count >= most:
            return _give_up(
                context, why or f"After {most} plans the scene does not pass the tests of the wish."
            )
        reason = Reason(Cause.UNSUCCESSFUL, note=why) if why else context.replan_reason
        reason = replace(reason or Reason(Cause.REQUESTED), turn=context.turn)
        return MakePlan(context.problem.with_state(context.belief.state), reason, wish, self.options)

    def _wish(self, context: Context) -> Wish | AskModel | None:
        """Return the wish, or what to ask next for it. Raises ConsoleError."""
        if not self.asks:
            return self.written and self._now(self.written, context)
        scene = next((seen.scene for seen in context.history if isinstance(seen, GotScene)), None)
        if scene is None:
            raise ConsoleError("This robot tells no scene, so no wish can be written about it: take another.")
        brief = Brief(self.words, self.domain_spec, self.problem, scene)
        latest = after(write_wish(brief), _answers(context.history))
        if isinstance(latest, Wish):
            return self._now(latest, context)
        reply = context.latest
        if isinstance(reply, GotReply) and reply.error:
            raise ConsoleError(reply.error)
        return AskModel(latest.purpose, latest.messages, True, Reason(Cause.REQUESTED, turn=context.turn))

    def _now(self, wish: Wish, context: Context) -> Wish:
        return with_substitutes(wish, self.problem, context.problem.with_state(context.belief.state))

    def read_situation(self, context: Context, sentence: str, by: str) -> SituationReport:
        return self._cowp.read_situation(context, sentence, by)

    def look_for_situation(self, context: Context) -> AskModel:
        return self._cowp.look_for_situation(context)

    def seen_situation(self, reply: GotReply) -> str:
        return self._cowp.seen_situation(reply)

    def interpret_reply(self, reply: GotReply) -> str:
        if not reply.purpose.startswith("wish "):
            return self._cowp.interpret_reply(reply)
        brief = Brief(self.words, self.domain_spec, self.problem, Scene((), ""))
        return reading_of(reply.purpose, reply.text, brief)

    def _is_as_seen(self, context: Context) -> bool:
        """Return True unless the latest scene shows a step undone, of which no test of the end may speak."""
        wish = self._wish(context) if self.watches else None
        return not isinstance(wish, Wish) or follow(wish, context.history).undone is None

    def _witness(self, context: Context) -> BeliefSource:
        """Return SENSOR if the robot has seen all that the tests of the end speak of, which it has passed."""
        wish = self._wish(context) if self.watches else None
        scene = next((seen.scene for seen in reversed(context.history) if isinstance(seen, GotScene)), None)
        if scene is None or not isinstance(wish, Wish):
            return BeliefSource.PREDICTED
        hidden = {thing.name for thing in scene.things if thing.source == "hidden"}
        names = named(wish.goal_tests)
        seen = not hidden or (names and hidden.isdisjoint(names))
        return BeliefSource.SENSOR if seen else BeliefSource.PREDICTED

    def _probability(self, wish: Wish, history: Iterable[Observation]) -> float | None:
        """Return how likely the end is as wished: the share of likely scenes that pass, times the answers."""
        seen = [one for one in history if isinstance(one, GotScene)]
        if not self.options.worlds or not seen:
            return None
        said = (one.answers for one in history if isinstance(one, GotAnswers))
        sure = math.prod(a.confidence for of in said for a in of if a.confidence and a.verdict is Verdict.YES)
        return share_of_likely(seen[-1].scene, wish.goal_tests) * sure

    def _question(self, context: Context) -> Query:
        assert context.last_step is not None
        return step_question(
            self.domain_spec, QueryTopic.STEP_SUCCEEDED, context.last_step.step, Purpose.EFFECT
        )

    def update(self, context: Context, observation: Observation) -> Belief:
        changed = isinstance(observation, DomainChangeDecided) or (
            isinstance(observation, StepDone) and context.knowledge.changes
        )
        update = self._cowp.update if changed else super().update
        belief = update(context, observation)
        if self.watches and isinstance(observation, GotSenses):
            belief = context.belief.updated_with(observation.answers)
        if self.written is None and not self.asks:
            return belief
        match observation:
            case GotPlan(plan=plan, accepted=True) if plan.status is PlanStatus.FOUND and not plan.steps:
                as_seen = self._is_as_seen(context)
                return _fulfilled(belief, context, self._witness(context)) if as_seen else belief
            case StepDone(result=result) if result.status is StepStatus.DONE and len(context.plan) == 1:
                rehearses = self.options.rehearsal
                return belief if rehearses else _fulfilled(belief, context, BeliefSource.PREDICTED)
        return belief


def _answers(history: Iterable[Observation]) -> Iterator[str]:
    """Yield the replies about the wish, and why no plan was found for it."""
    for seen in history:
        match seen:
            case GotReply(purpose=purpose, text=text, error="") if purpose.startswith("wish "):
                yield text
            case GotPlan(plan=plan) if plan.status is not PlanStatus.FOUND:
                yield plan.reason


def _may_look_otherwise(history: Sequence[Observation]) -> bool:
    """Return True if the poses of the latest scene are unsure, and no plan was found for one scene only."""
    scene = next((seen.scene for seen in reversed(history) if isinstance(seen, GotScene)), None)
    plans = [seen.plan for seen in history if isinstance(seen, GotPlan)][-2:]
    twice = len(plans) == 2 and all(plan.status is not PlanStatus.FOUND for plan in plans)
    return not twice and scene is not None and any(thing.spread for thing in scene.things)


def _fulfilled(belief: Belief, context: Context, source: BeliefSource) -> Belief:
    goals = (literal.atom for literal in context.problem.goal)
    return belief.with_entries(BeliefEntry(goal, Verdict.YES, source, context.turn) for goal in goals)


def _give_up(context: Context, sentence: str) -> GiveUp:
    return GiveUp(Reason(Cause.UNSUCCESSFUL, turn=context.turn, note=sentence))
