"""What a policy may want, and what the loop makes of it; all on the domain of `tiny`."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace

import pytest

from core import events as ev
from core.belief import Answer, Atom, Belief, BeliefSource, Hypothesis, Purpose, Query, QueryTopic, Verdict
from core.errors import PlanningError
from core.loop.gate import AutoOperator, Gate
from core.methods.dkprompt import DKPrompt
from core.methods.step_questions import step_question
from core.operator import (
    Addressee,
    AnswerReview,
    Correct,
    End,
    Proceed,
    ProposalKind,
)
from core.planning_model import Plan, PlanStatus, Problem, Step
from core.policy import (
    Action,
    AskModel,
    AskQuestions,
    ChangeDomain,
    Context,
    DoSteps,
    GiveUp,
    GotAnswers,
    GotReply,
    MakePlan,
    Observation,
    StepDone,
)
from core.ports import ChatMessage, Reply, StepStatus
from core.reason import Cause, Reason
from core.stop_token import StopToken
from tests.core import tiny
from tests.core.looping import Acting, Scripted, beliefs_after, only, saw, steps
from tests.core.tiny import CLOSED, HOLDING, OPEN, PROBLEM, TAKE

AGAIN = Reason(Cause.OTHER, note="again")


# --- acting -----------------------------------------------------------------------------------------


def test_that_a_policy_may_propose_and_repeat_steps_of_its_own(setting) -> None:
    policy = Acting((DoSteps((OPEN,), AGAIN), DoSteps((OPEN,), AGAIN)))
    events = setting(policy=policy).run()
    assert steps(events) == [OPEN, OPEN]
    assert [e.plan.engine for e in only(events, ev.PlanMade)] == ["acting", "acting"]


def test_that_a_policy_sees_what_the_robot_reported(setting) -> None:
    policy = Acting((DoSteps((TAKE,), AGAIN),))
    setting(policy=policy).run()
    assert [(s.step, s.result.status) for s in saw(policy, StepDone)] == [(TAKE, StepStatus.FAILED)]
    done = policy.contexts[-1].last_step
    assert done is not None and done.result.status is StepStatus.FAILED


def test_that_the_probability_of_a_claim_stands_in_the_log(setting) -> None:
    events = setting(policy=Acting(())).run()
    assert (events[-1].result, events[-1].probability) == (ev.EpisodeResult.SUCCEEDED, 0.75)
    assert (events[-1].believed_goal, events[-1].true_goal) == (False, False)


def test_that_no_simulator_judges_another_goal_than_the_tasks(setting) -> None:
    policy = Acting(())
    policy.has_own_goal = True
    assert setting(policy=policy).run()[-1].true_goal is None


def test_that_giving_up_stands_at_the_gate(setting) -> None:
    policy = Acting((GiveUp(Reason(Cause.NO_PLAN, note="The key is lost.")),))
    operator = Scripted([Proceed(0, "me")])
    events = setting(policy=policy, operator=operator).run()
    assert (operator.seen[0].kind, operator.seen[0].explanation) == (
        ProposalKind.HELP_NEEDED,
        "The key is lost.",
    )
    assert events[-1].result is ev.EpisodeResult.SUCCEEDED  # it went on


def test_that_a_step_of_no_domain_never_reaches_the_robot(setting) -> None:
    policy = Acting((DoSteps((Step("fly", ("key",)),), AGAIN),))
    events = setting(policy=policy).run()
    assert not steps(events)
    assert events[-1].result is ev.EpisodeResult.CRASHED and "no action named 'fly'" in events[-1].reason


def test_that_a_plan_with_other_values_is_another_plan(setting) -> None:
    low, high = replace(OPEN, values={"height": 0.1}), replace(OPEN, values={"height": 0.2})
    policy = Acting((DoSteps((low, TAKE), AGAIN), DoSteps((high, TAKE), AGAIN), DoSteps((TAKE,), AGAIN)))
    operator = Scripted([Correct((), "me")])
    events = setting(policy=policy, operator=operator).run()
    offers = only(events, ev.PlanOffered)
    assert [dict(e.change.new_plan.steps[0].values) for e in offers] == [{"height": 0.2}]
    assert [dict(e.step.values) for e in only(events, ev.StepFinished)] == [{"height": 0.2}, {}]


def test_that_the_steps_left_are_known(setting) -> None:
    policy = Acting((DoSteps((OPEN,), AGAIN),))
    setting(policy=policy, max_steps=5).run()
    assert [c.remaining.steps for c in policy.contexts] == [5, 4]
    assert [c.plan_count for c in policy.contexts] == [0, 1]


# --- asking -----------------------------------------------------------------------------------------


def query(atom: Atom, text: str) -> Query:
    return Query(atom, text, purpose=Purpose.CHECK)


def test_that_a_policy_may_follow_up_on_the_same_picture(setting) -> None:
    first, second = query(CLOSED, "Is it closed?"), query(CLOSED, "Really?")
    policy = Acting((AskQuestions((first,)), AskQuestions((second,))))
    events = setting(policy=policy).run()
    assert [(e.turn, e.queries) for e in only(events, ev.QuestionsAsked)] == [(1, (first,)), (1, (second,))]
    assert len(only(events, ev.FrameCaptured)) == 1


def test_that_a_policy_may_ask_about_steps(setting) -> None:
    asked = step_question(tiny.folder(), QueryTopic.STEP_POSSIBLE, OPEN, Purpose.CHECK)
    policy = Acting((AskQuestions((asked,)),))
    setting(policy=policy).run()
    answers = saw(policy, GotAnswers)[0]
    assert answers.on_topic(QueryTopic.STEP_POSSIBLE)[0].atom == Atom("possible", ("open", "door"))
    assert answers.facts == ()  # it is no fact that a belief could hold


def test_that_a_person_is_asked_what_no_picture_shows_even_when_all_is_watched_only(setting) -> None:
    asked = query(HOLDING, "Is the key in your hand?")
    policy = Acting((AskQuestions((asked,), Addressee.OPERATOR),))
    gate = Gate(AutoOperator().supervision)
    reviews: list[AnswerReview] = []
    said = Answer(HOLDING, Verdict.YES, BeliefSource.OPERATOR, turn=1, by="me")

    class Asked(Gate):
        def review(self, review: AnswerReview) -> tuple[Answer, ...]:
            reviews.append(review)
            gate.submit_review(1, (said,))
            return gate.review(review)

    events = setting(policy=policy, operator=Asked(AutoOperator().supervision)).run()
    assert reviews[0].addressee is Addressee.OPERATOR
    assert [a.by for e in only(events, ev.AnswersReceived) for a in e.call.answers] == [
        ""
    ]  # no model was asked
    assert events[-1].believed_goal


@dataclass
class Wordy:
    text: str = "four"
    name: str = "wordy"
    pictures: list = field(default_factory=list)

    def ask(self, messages, pictures, cancel: StopToken) -> Reply:
        self.pictures += pictures
        return Reply(self.text, self.name, tokens_in=3, tokens_out=1, cost=0.5, seconds=0.25)


class Reading(Acting):
    def interpret_reply(self, reply: GotReply) -> str:
        return {"four": "4"}.get(reply.text, "")


def test_that_a_language_model_can_be_asked_anything_and_that_is_logged(setting) -> None:
    question = AskModel("count", (ChatMessage("user", "How many keys?"),))
    policy = Reading((question,))
    events = setting(policy=policy, model=Wordy()).run()
    assert only(events, ev.ModelConsulted) == [
        ev.ModelConsulted(1, "count", question.messages, "", "four", "4", "wordy", 0.25, 4, 0.5)
    ]
    assert saw(policy, GotReply) == [GotReply("count", "four", prompt="How many keys?")]


def test_that_without_a_language_model_the_policy_is_told_so(setting) -> None:
    policy = Acting((AskModel("count", (ChatMessage("user", "How many keys?"),)),))
    setting(policy=policy).run()
    assert "none is chosen" in saw(policy, GotReply)[0].error


# --- planning and domains ---------------------------------------------------------------------------


class Broken:
    def plan(self, problem: Problem, cancel: StopToken) -> Plan:
        raise PlanningError("The engine is gone: install it.")


def test_that_a_planner_that_breaks_comes_to_the_gate(setting) -> None:
    operator = Scripted([End("enough", "me")])
    events = setting(planner=Broken(), operator=operator).run()
    assert (operator.seen[0].kind, operator.seen[0].explanation) == (
        ProposalKind.HELP_NEEDED,
        "The engine is gone: install it.",
    )
    assert events[-1].result is ev.EpisodeResult.ENDED
    assert setting(planner=Broken()).run()[-1].result is ev.EpisodeResult.CRASHED  # nobody was there


class Improving:
    def plans(self, problem: Problem, cancel: StopToken) -> Iterator[tuple[Plan, bool]]:
        detour = Plan(PlanStatus.FOUND, (OPEN, TAKE, OPEN, TAKE))
        yield from ((detour, True), (replace(detour, steps=(OPEN, TAKE)), False))


def test_that_a_plan_is_told_while_a_better_one_is_looked_for_and_the_better_one_is_taken(setting) -> None:
    events = setting(planner=Improving()).run()
    assert [e.length for e in only(events, ev.PlanImproving)] == [4]
    assert [len(e.plan.steps) for e in only(events, ev.PlanMade)] == [2]
    assert steps(events) == [OPEN, TAKE]


def test_that_a_new_plan_is_made_when_the_domain_changes(setting) -> None:
    other = replace(PROBLEM, domain=replace(PROBLEM.domain, name="other"))
    change = ChangeDomain(other, "nothing but its name", "(define ...)", AGAIN)

    class Changing(DKPrompt):
        def act(self, context: Context) -> Action:
            if context.problem.domain.name != "other" and context.plan_count:
                return change
            return super().act(context)

    events = setting(policy=Changing(tiny.folder(), PROBLEM)).run()
    assert [e.accepted for e in only(events, ev.DomainChanged)] == [True]
    assert steps(events) == [OPEN, TAKE]


# --- faults -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("where", ["act", "update"])
def test_that_a_policy_that_raises_is_a_fault_at_the_gate(setting, where: str) -> None:
    class Raising(DKPrompt):
        failing = True

        def act(self, context: Context) -> Action:
            if where == "act" and Raising.failing:
                Raising.failing = False
                raise ValueError("no idea")
            return super().act(context)

        def update(self, context: Context, seen: Observation) -> Belief:
            if where == "update" and Raising.failing:
                Raising.failing = False
                raise ValueError("no idea")
            return super().update(context, seen)

    operator = Scripted([Proceed(0, "me")])
    events = setting(policy=Raising(tiny.folder(), PROBLEM), operator=operator).run()
    assert operator.seen[0].kind is ProposalKind.HELP_NEEDED and "no idea" in operator.seen[0].explanation
    assert events[-1].true_goal is True  # a person let it go on


def test_that_a_policy_that_never_moves_is_stopped_by_a_person(setting) -> None:
    class Asking(Acting):
        def act(self, context: Context) -> Action:
            return MakePlan(context.problem, AGAIN)

    events = setting(policy=Asking(())).run()
    assert events[-1].result is ev.EpisodeResult.CRASHED and "100 actions" in events[-1].reason


# --- purity -----------------------------------------------------------------------------------------


def test_that_the_same_observations_give_the_same_beliefs(setting) -> None:
    """What replay, fork and preview are made of."""

    class Recording(DKPrompt):
        seen: tuple = ()
        held: tuple = ()

        def update(self, context: Context, seen: Observation) -> Belief:
            belief = super().update(context, seen)
            Recording.seen, Recording.held = (*Recording.seen, seen), (*Recording.held, belief)
            return belief

    for seed in range(5):
        Recording.seen, Recording.held = (), ()
        setting(policy=Recording(tiny.folder(), PROBLEM), open_fails=0.5, take_fails=0.5, seed=seed).run()
        again = beliefs_after(DKPrompt(tiny.folder(), PROBLEM), PROBLEM, Recording.seen)
        assert again[1:] == Recording.held


def test_that_hypotheses_are_events_of_their_own(setting) -> None:
    state = (Hypothesis(0.6), Hypothesis(0.4, (CLOSED,), {"persists": 0.5}))

    class Guessing(DKPrompt):
        def update(self, context: Context, seen: Observation) -> Belief:
            return replace(super().update(context, seen), hypotheses=state)

    events = setting(policy=Guessing(tiny.folder(), PROBLEM)).run()
    told = [e.hypotheses for e in only(events, ev.BeliefChanged) if e.hypotheses is not None]
    assert told == [state]  # once: they did not change after


def test_that_an_answers_confidence_is_no_probability_of_the_atom() -> None:
    sure = Answer(CLOSED, Verdict.NO, BeliefSource.MODEL, turn=1, confidence=0.9)
    entry = Belief.from_init({CLOSED}).updated_with([sure]).entry(CLOSED)
    assert entry.probability is None and entry.evidence == sure


def test_that_a_plan_may_be_impossible_and_that_is_no_fault(setting) -> None:
    events = setting(problem=PROBLEM.with_state({CLOSED})).run()
    assert only(events, ev.PlanMade)[0].plan.status is PlanStatus.IMPOSSIBLE
    assert events[-1].result is ev.EpisodeResult.NO_PLAN
