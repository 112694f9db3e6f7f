"""The method `careful`: a Bayes filter over whole states, and whatever is worth its price next."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Collection, Iterable
from dataclasses import replace
from itertools import takewhile

from core.belief import (
    Answer,
    Belief,
    BeliefSource,
    Verdict,
)
from core.domains import DomainSpec, Perception
from core.knowledge.changes import NO_KNOWLEDGE, Knowledge, LearntChange
from core.knowledge.suggestion import SituationReport, Suggestion
from core.methods.careful.answered import Answered, answered, still_told
from core.methods.careful.asking import Asker, uncertain
from core.methods.careful.bayes_filter import MENDED, BayesFilter
from core.methods.careful.choice import Act, ActionSelector, ChoiceContext, Claim, Look, NoPlan, Unsure
from core.methods.careful.claim_line import answers_note, claim_note, unseen_note, unsure_note
from core.methods.careful.cost_to_go import CostToGo
from core.methods.careful.error_model import Asked, ErrorModel
from core.methods.careful.expected_views import expected_views
from core.methods.careful.hypotheses import (
    Joint,
    Part,
    Weights,
    as_belief,
    by_goal,
    goal_probability,
    joint_of,
    shares_of,
    summed,
    untold_of,
)
from core.methods.careful.information import Information, Picture
from core.methods.careful.known_rates import known_rates
from core.methods.careful.learnt_rates import to_keep
from core.methods.careful.options import CarefulOptions
from core.methods.careful.untold import NO_COUNTS, Counts, kept_in, to_propose
from core.methods.careful.world_model import WorldModel
from core.methods.sensor_precedence import news
from core.methods.skeleton import with_perception
from core.operator import Addressee
from core.planners import Planner
from core.planning.pddl.writer import write_domain
from core.planning_model import Problem, Step
from core.policy import (
    Action,
    BeliefCorrected,
    ChangeDomain,
    ClaimGoal,
    Context,
    DoSteps,
    GiveUp,
    GotAnswers,
    GotPicture,
    GotPlan,
    GotSenses,
    LookFrom,
    Observation,
    StepDone,
    StepHalted,
)
from core.ports import StepStatus
from core.reason import Cause, Reason
from core.text.plural import plural
from core.vqa.answerers.profiles import load_profile

LOOKS_AGAIN = 2  # times that the same look is taken without a step of another kind in between
BELIEFS = 8  # those of a turn or two
TOLD = 4  # likeliest hypotheses whose cost people are told


class Careful:
    """A policy. Its tables grow with the states it meets; what it returns depends on its arguments only.

    Raises UnknownName and BadFile for the profile that `options.error_rates` names.
    """

    name = "careful"

    def __init__(
        self,
        domain_spec: DomainSpec,
        problem: Problem,
        planner: Planner,
        answerer: object = None,
        options: CarefulOptions | None = None,
        knowledge: Knowledge = NO_KNOWLEDGE,
        counting: bool = False,
    ) -> None:
        self.options = options = options or CarefulOptions()
        self.learns_rates = options.learn_rates
        self._made_of = domain_spec, problem, planner, answerer, options
        self.domain_spec = with_perception(domain_spec, self.options)
        kept, self.knowledge = kept_in(knowledge, self.learns_rates), knowledge
        self.world = WorldModel(
            self.domain_spec, problem, options.situation_scale, kept, getattr(answerer, "sees_all", False)
        )
        profile = load_profile(self.options.error_rates) if self.options.error_rates else None
        self.known_rates = known_rates(profile, answerer)
        self.errors = ErrorModel(self.world, profile or answerer, self.options)
        self.filter = BayesFilter(self.world, self.errors, options.hypotheses, options.reports, counting)
        self.costs = CostToGo(self.world, self.errors, planner, self.options)
        self.information = Information(self.world, self.errors, self.costs)
        self.chooser = ActionSelector(self.filter, self.costs, self.information, self.options)
        self.asker = Asker(self.chooser)
        self._names = [way.name for way in self.errors.ways]
        self._read = deque[tuple[Belief, Joint]](maxlen=BELIEFS)  # made last: they need not be read
        self._answered = Answered()  # in the context seen last
        self._counts = NO_COUNTS  # until the last action, where it counts

    @property
    def assumption(self) -> str:
        """Return what it reckons with though nobody has measured it (`core.ports.TellsAssumption`)."""
        return self.known_rates.sentence if self.known_rates.assumed else ""

    def knowing(self, knowledge: Knowledge) -> Careful:
        """Return the method for an episode that begins with this; it counts what happens if it may learn."""
        return Careful(*self._made_of, knowledge, self.learns_rates)

    def counted(self, robot: str) -> tuple[LearntChange, ...]:
        """Return what it counted until its last action, for the next episodes with this robot."""
        counts = self._counts if self.filter.counting else NO_COUNTS
        return tuple(to_keep(counts, self.world.expected, robot))

    # --- Policy: belief ----------------------------------------------------------------------------------

    def begin(self, problem: Problem) -> Belief:
        start = self.world.number(problem.state)
        self.costs.begin(start)
        return self._as_belief(Belief.from_init(problem.state), {start: Part(self.errors.prior)}, 0)

    def update(self, context: Context, observation: Observation) -> Belief:
        belief, joint = context.belief, self.joint(context.belief)
        self._recall(context.knowledge)
        match observation:
            case GotPicture(begins_turn=True):
                self.costs.new_turn()
            case GotSenses(answers):
                perception = self.domain_spec.perception
                new = news(context, answers)
                readings = [a for a in new if perception(a.atom.predicate) is Perception.SENSE]
                after = self.filter.updated_with(joint, readings)
                return self._as_belief(belief, after, context.turn, BeliefSource.SENSOR, readings)
            case GotAnswers():
                return self._interpret(context, observation)
            case BeliefCorrected(answers):
                after = self.filter.updated_with(joint, answers, MENDED)
                return self._as_belief(belief, after, context.turn, BeliefSource.OPERATOR, answers)
            case StepDone(step, result):
                after = self.filter.done(joint, step, result, _reported_before(context, step))
                return self._as_belief(belief, after, context.turn, BeliefSource.PREDICTED)
            case StepHalted(step):
                return self._as_belief(belief, self.filter.blur(joint, step), context.turn)
        return belief

    def _interpret(self, context: Context, observation: GotAnswers) -> Belief:
        """Return the belief after answers: a person's, and those that a person let count, are exact."""
        exact = [a for a in observation.facts if observation.reviewed or a.source is BeliefSource.OPERATOR]
        models = [a for a in observation.facts if a not in exact]
        joint = self.joint(context.belief)
        if models:
            joint = self.filter.answered(joint, self._as_asked(context, observation, models, joint))
        if exact:
            joint = self.filter.updated_with(joint, exact, MENDED)
        return self._as_belief(context.belief, joint, context.turn, BeliefSource.MODEL, observation.facts)

    def _as_asked(
        self, context: Context, observation: GotAnswers, answers: Iterable[Answer], joint: Joint
    ) -> list[tuple[Answer, Asked]]:
        """Return a model's answers with what each may depend on."""
        known = self._answered_in(context)
        earlier = still_told(known.earlier, self.world, joint)
        expected = {
            query.atom: query.expected is Verdict.YES
            for query in observation.queries
            if query.expected is not Verdict.UNKNOWN
        }
        view = context.viewpoint
        return [
            (a, Asked(view, earlier.get(a.atom, {}), known.last.get(a.atom), expected.get(a.atom)))
            for a in answers
        ]

    def _answered_in(self, context: Context) -> Answered:
        self._answered = known = answered(context.history, self.world, self._answered)
        return known

    def _recall(self, knowledge: Knowledge) -> None:
        if knowledge != self.knowledge:  # a person let something count by now, or no longer
            self.knowledge, self.world.counted_before = knowledge, kept_in(knowledge, self.learns_rates)

    def weights(self, belief: Belief) -> Weights:
        """Return the hypotheses of a belief."""
        return summed(self.joint(belief))

    def joint(self, belief: Belief) -> Joint:
        """Return the hypotheses of a belief together with the ways of answering."""
        made = next((joint for one, joint in reversed(tuple(self._read)) if one is belief), None)
        return made or joint_of(self.world, belief, self._names, self.errors.prior)

    def _as_belief(
        self,
        old: Belief,
        joint: Joint,
        turn: int,
        source: BeliefSource = BeliefSource.PREDICTED,
        answers: Collection[Answer] = (),
    ) -> Belief:
        acts_next = source in (BeliefSource.SENSOR, BeliefSource.MODEL)  # which needs these costs as well
        likeliest = summed(joint)[: TOLD * acts_next]
        steps = {state: self.costs.cost(state) for state, _ in likeliest}
        belief = as_belief(self.world, old, joint, turn, source, answers, steps, self._names)
        self._read.append((belief, joint))
        return belief

    # --- Policy: action ----------------------------------------------------------------------------------

    def act(self, context: Context) -> Action:
        latest = context.latest
        if isinstance(latest, GotPlan) and not latest.accepted and context.plan:
            reason = Reason(Cause.KEPT, step=context.plan[0], turn=context.turn)
            return DoSteps(context.plan, reason)
        joint = self.joint(context.belief)
        self._counts = counts = untold_of(joint)
        self._recall(context.knowledge)
        self.world.learn(counts)
        weights, shares = summed(joint), shares_of(joint)
        known = self._answered_in(context)
        picture = Picture(
            context.viewpoint,
            still_told(known.earlier, self.world, joint),
            context.asked_atoms,
            shares,
            {so: shares_of(part) for so, part in by_goal(self.world, joint).items()},
            known.rates,
        )
        price = self.options.false_claim_cost
        if known.rates.silent:  # the loop lets nobody claim then
            price = min(price, self.options.giving_up_cost)
        self.costs.until(context.remaining.steps, price)
        asked = self.asker.questions(context, weights, picture)
        action = asked or self._move(context, weights, picture)
        ends = isinstance(action, ClaimGoal | GiveUp)
        return (ends and self._side_effects(context, counts)) or action

    def _side_effects(self, context: Context, counts: Counts) -> ChangeDomain | None:
        """Return what the folder seems to leave out, before the episode ends: a person may let it count."""
        found = to_propose(counts, context.knowledge)
        if not found:
            return None
        said = "; ".join(learnt.change.describe() for learnt in found)
        reason = Reason(Cause.OTHER, turn=context.turn, note=said)
        suggestion = Suggestion(SituationReport("what was answered contradicts the folder"), found)
        pddl = write_domain(context.problem.domain)
        return ChangeDomain(context.problem, said, pddl, reason, suggestion)

    def _move(self, context: Context, weights: Weights, picture: Picture) -> Action:
        last = context.last_step.step if context.last_step else None
        views = self._views_left(context)
        now = ChoiceContext(
            last,
            _in_a_row(context),
            self._learned(context, weights),
            picture,
            bool(views),
            expected_views(context, self.world.moves_camera),
            context.remaining.steps,
            _barren_looks(context, self.world),
        )
        sure = goal_probability(self.world, weights)
        match self.chooser.choose(weights, now):
            case Claim():
                note = claim_note(sure, self.options, now.steps_left)
                note += answers_note(self.errors.ways, picture.shares)
                note += unseen_note(self.world, context.belief)
                return ClaimGoal(Reason(Cause.OTHER, turn=context.turn, note=note), sure)
            case NoPlan():
                note = "Nothing leads to the goal from what is believed"
                return GiveUp(Reason(Cause.NO_PLAN, turn=context.turn, note=note))
            case Unsure():
                note = unsure_note(sure, self.options)
                return GiveUp(Reason(Cause.UNCERTAIN, turn=context.turn, note=note))
            case Look():
                return LookFrom(views[0], uncertain(context, "Another view may settle the doubt"))
            case Act(steps, purpose):
                return DoSteps(steps, self._reason(context, weights, steps, purpose))

    def _reason(self, context: Context, weights: Weights, steps: tuple[Step, ...], purpose: str) -> Reason:
        sure = goal_probability(self.world, weights)
        if steps == context.plan:
            return Reason(Cause.NEXT_IN_PLAN, step=context.plan[0], turn=context.turn)
        if not context.plan_count:
            return Reason(Cause.FIRST_PLAN, turn=context.turn)
        if purpose in ("look", "again"):
            what = "looking again" if purpose == "look" else "doing it again"
            costs = f"costs {plural(len(steps), 'step')}, a false claim {self.options.false_claim_cost:,.0f}"
            return uncertain(
                context, f"The goal is reached with {100 * sure:.0f} % probability: {what} {costs}"
            )
        hoped = self.asker.hope(weights, steps, context.plan)
        if wanted := context.replan_reason:
            hoped = hoped[:1].lower() + hoped[1:].replace(": ", ", ")
            return replace(wanted, note=f"{wanted.sentence}: {hoped}") if hoped else wanted
        away = f"The goal is {plural(len(steps), 'step')} away in the likeliest state of the world"
        return uncertain(context, hoped or away)

    def _learned(self, context: Context, weights: Weights) -> bool:
        """Return True if the belief differs from the one before the last step, or if the robot said what went
        wrong: that may go well the next time.
        """
        last = context.last_step
        if context.belief_before is None or (last and self.filter.heard(last.step, last.result).situation):
            return True
        before = dict(self.weights(context.belief_before))
        return sum(abs(p - before.get(state, 0.0)) for state, p in weights) > 0.25

    def _views_left(self, context: Context) -> tuple[str, ...]:
        """Return the viewpoints that were not used in this turn."""
        used = sum(isinstance(s, GotPicture) and not s.begins_turn for s in context.this_turn())
        return context.viewpoints[used:]


def _barren_looks(context: Context, world: WorldModel) -> frozenset[Step]:
    """Return the steps since the last other one that moved the camera and after which no model answered, or
    that were done `LOOKS_AGAIN` times: what they show, they have shown.
    """
    found, times, answered = set[Step](), Counter[Step](), False
    for seen in reversed(context.history):
        match seen:
            case GotAnswers(addressee=Addressee.MODEL):
                answered = True
            case StepDone(step):
                if not world.moves_camera(step):
                    break
                times[step] += 1
                found |= {step} if not answered or times[step] >= LOOKS_AGAIN else set()
                answered = False
    return frozenset(found)


def _in_a_row(context: Context) -> int:
    """Return how often the last step was done without another one in between."""
    done = (seen.step for seen in reversed(context.history) if isinstance(seen, StepDone))
    last = next(done, None)
    return sum(1 for _ in takewhile(lambda step: step == last, done)) + (last is not None)


def _reported_before(context: Context, step: Step) -> StepStatus | None:
    """Return what the robot last reported of this very step."""
    for seen in reversed(context.history):
        if isinstance(seen, StepDone) and seen.step == step:
            return seen.result.status
    return None
