"""Whole episodes with the method `careful`, on the domain of `tiny`."""

from __future__ import annotations

from dataclasses import replace

import pytest

from core import events as ev
from core.belief import Answer, BeliefSource, Query, Verdict
from core.domains import Perception, VisibilityRule
from core.loop.gate import AutoOperator
from core.methods.careful.choice import Act, ChoiceContext, Claim, Unsure
from core.methods.careful.hypotheses import Part
from core.methods.careful.information import Picture
from core.methods.careful.policy import Careful
from core.methods.careful.untold import Count, Kind
from core.operator import Addressee, AnswerReview
from core.planning.planner import make_planner
from core.planning_model import Literal
from core.policy import BeliefCorrected, Context, GotAnswers, GotPicture, GotSenses, StepDone
from core.ports import StepResult, StepStatus
from tests.core import tiny
from tests.core.looping import beliefs_after, only, steps
from tests.core.methods.careful.conftest import Stated
from tests.core.tiny import CLOSED, EMPTY, HOLDING, INSIDE, OPEN, PROBLEM, TAKE


class Asked(AutoOperator):
    """A person who answers what they are asked, or stays silent."""

    def __init__(self, robot, silent: bool = False) -> None:
        super().__init__()
        self.robot, self.silent, self.asked = robot, silent, []

    def review(self, review: AnswerReview) -> tuple[Answer, ...]:
        if review.addressee is Addressee.MODEL:
            return review.answers
        self.asked += [query.atom for query in review.queries]
        if self.silent:
            return review.answers
        return tuple(
            Answer(q.atom, Verdict.from_bool(q.atom in self.robot.truth()), BeliefSource.OPERATOR)
            for q in review.queries
        )


def test_that_it_reaches_the_goal_whatever_goes_wrong_and_says_how_sure_it_is(setting, careful) -> None:
    for seed in range(5):
        ended = setting(policy=careful(), open_fails=0.25, take_fails=0.1, seed=seed).run()[-1]
        assert ended.result is ev.EpisodeResult.SUCCEEDED and ended.true_goal is True
        assert 0.99 < ended.probability <= 1


def test_that_it_asks_nothing_when_nothing_is_in_doubt(setting, careful) -> None:
    events = setting(policy=careful(tiny.folder(), Stated(1, 0))).run()
    assert steps(events) == [OPEN, TAKE]


def test_that_it_asks_about_what_is_on_demand(setting, careful) -> None:
    folder = tiny.folder(0.25, 0.1)
    on_demand = replace(folder.predicate_specs["closed"], perception=Perception.ON_DEMAND)
    folder = replace(folder, predicate_specs={**folder.predicate_specs, "closed": on_demand})
    events = setting(policy=careful(folder, call_cost=0.01), open_fails=0.25).run()
    assert CLOSED in {q.atom for e in only(events, ev.QuestionsAsked) for q in e.queries}


def test_that_hypotheses_are_in_the_log(setting, careful) -> None:
    events = setting(policy=careful(), open_fails=0.25).run()
    assert any(len(e.hypotheses or ()) > 1 for e in only(events, ev.BeliefChanged))


def test_that_the_probability_of_the_goal_is_in_every_belief(careful) -> None:
    method = careful()
    reached, start = (method.world.number(s) for s in (frozenset({EMPTY, HOLDING}), PROBLEM.state))
    belief = method._as_belief(method.begin(PROBLEM), {reached: Part((0.7,)), start: Part((0.3,))}, 1)
    assert belief.probability_that(PROBLEM.is_goal) == pytest.approx(0.7)


def test_that_it_says_of_a_plan_what_it_gains_beside_the_old_one(careful) -> None:
    folder = tiny.folder(0.25)
    closed = replace(folder.predicate_specs["closed"], statement="the {0} is closed")
    method = careful(replace(folder, predicate_specs={**folder.predicate_specs, "closed": closed}))
    opened, shut = (method.world.number(s) for s in (PROBLEM.state - {CLOSED}, PROBLEM.state))
    hope = method.asker.hope
    doubt = hope(((opened, 0.9), (shut, 0.1)), (OPEN, TAKE), (TAKE,))
    assert doubt.startswith("Perhaps the door is closed, 10 %: a step costs 1, a false claim ")
    likely = "Done as it is, this plan reaches the goal with 72 %: "
    assert hope(((shut, 1.0),), (OPEN, TAKE), (TAKE,)) == likely + "the old one with 0 %"
    assert hope(((shut, 1.0),), (OPEN, TAKE), ()) == likely + "it is reached now with 0 %"
    assert hope(((shut, 1.0),), (TAKE,), (OPEN, TAKE)) == ""


@pytest.mark.parametrize(("price", "asked"), [(0.05, True), (0, False), (100, False)])
def test_that_a_person_is_asked_where_the_answer_is_worth_its_price(setting, careful, price, asked) -> None:
    made = setting(policy=careful(answerer=Stated(0.55, 0.45), operator_cost=price), open_fails=0.25)
    operator = Asked(made.robot)
    replace(made, operator=operator).run()
    assert bool(operator.asked) is asked


def test_that_a_person_is_asked_about_what_no_picture_shows(setting, careful) -> None:
    folder = tiny.folder(0.25, 0.1)
    hidden = replace(
        folder.predicate_specs["closed"], perception=Perception.NONE, statement="the {0} is closed"
    )
    folder = replace(folder, predicate_specs={**folder.predicate_specs, "closed": hidden})
    made = setting(policy=careful(folder, operator_cost=0.05), open_fails=0.25)
    operator = Asked(made.robot)
    events = replace(made, operator=operator).run()
    assert CLOSED in operator.asked
    texts = {q.text for e in only(events, ev.QuestionsAsked) for q in e.queries if q.atom == CLOSED}
    assert texts == {"Is the door closed?"}


@pytest.mark.parametrize(
    ("statement", "text"),
    [("", "Is the door open?"), ("the {0} is shut", "Is the door shut?")],
)
def test_that_a_person_is_asked_in_the_words_for_people_where_there_are_some(
    setting, careful, statement, text
) -> None:
    folder = tiny.folder(0.25, 0.1)
    closed = replace(folder.predicate_specs["closed"], statement=statement)
    folder = replace(folder, predicate_specs={**folder.predicate_specs, "closed": closed})
    made = setting(policy=careful(folder, Stated(0.55, 0.45), operator_cost=0.05), open_fails=0.25)
    events = replace(made, operator=Asked(made.robot)).run()
    asked = [e for e in only(events, ev.QuestionsAsked) if e.addressee is Addressee.OPERATOR]
    assert {q.text for e in asked for q in e.queries if q.atom == CLOSED} == {text}


def test_that_nobody_is_asked_what_has_no_words(setting, careful) -> None:
    folder = tiny.folder(0.25, 0.1)
    hidden = replace(folder.predicate_specs["closed"], perception=Perception.NONE)
    folder = replace(folder, predicate_specs={**folder.predicate_specs, "closed": hidden})
    made = setting(policy=careful(folder, operator_cost=0.05), open_fails=0.25)
    operator = Asked(made.robot)
    replace(made, operator=operator).run()
    assert CLOSED not in operator.asked


def test_that_nobody_is_asked_about_what_comes_and_goes_with_the_view(setting, careful) -> None:
    folder = tiny.folder(0.25, 0.1)
    opening = replace(folder.skills["open"], moves_camera=True)
    seen_when_open = VisibilityRule(
        "", "?t", (Literal("closed", ("?d",), False), Literal("inside", ("?t", "?d")))
    )
    folder = replace(folder, skills={**folder.skills, "open": opening}, visibility_rules=(seen_when_open,))
    made = setting(policy=careful(folder, Stated(0.55, 0.45), operator_cost=0.05), open_fails=0.25)
    operator = Asked(made.robot)
    replace(made, operator=operator).run()
    assert CLOSED not in operator.asked


def test_that_silence_is_no_answer_and_nobody_is_asked_the_same_again(setting, careful) -> None:
    made = setting(policy=careful(answerer=Stated(0.55, 0.45), operator_cost=0.05), open_fails=0.25)
    operator = Asked(made.robot, silent=True)
    ended = replace(made, operator=operator).run()[-1]
    assert len(operator.asked) == len(set(operator.asked)) == 1 and ended.true_goal


def test_that_a_question_says_what_it_is_worth_and_what_it_decides(setting, careful) -> None:
    made = setting(
        policy=careful(tiny.folder(0.5, 0.1), Stated(0.55, 0.45), operator_cost=0.05), open_fails=0.5
    )
    events = replace(made, operator=Asked(made.robot)).run()
    asked = [e for e in only(events, ev.QuestionsAsked) if e.addressee is Addressee.OPERATOR]
    query = asked[0].queries[0]
    assert query.atom == CLOSED and query.worth > 0.05
    assert query.decides == "if yes, open door; if no, take key door"


def test_that_the_operator_is_asked_again_only_once_a_step_has_changed_the_fact(careful) -> None:
    method = careful()
    context = Context(PROBLEM, method.begin(PROBLEM))
    asked = GotAnswers(
        (Query(CLOSED, ""),), (Answer(CLOSED, Verdict.NO, BeliefSource.OPERATOR),), Addressee.OPERATOR
    )
    silence = replace(asked, answers=(Answer(CLOSED, Verdict.UNKNOWN, BeliefSource.OPERATOR),))
    done = StepDone(OPEN, StepResult(StepStatus.DONE))
    for history, left_alone in (((asked,), True), ((asked, done), False), ((silence, done), True)):
        assert (CLOSED in method.asker.asked_before(replace(context, history=history))) is left_alone


def test_that_what_a_person_says_is_so(careful) -> None:
    method = careful()
    context = Context(PROBLEM, method.begin(PROBLEM))
    told = (Answer(CLOSED, Verdict.NO, BeliefSource.OPERATOR),)
    belief = method.update(context, BeliefCorrected(told))
    assert belief.verdict(CLOSED) is Verdict.NO and belief.source(CLOSED) is BeliefSource.OPERATOR


def test_that_what_a_model_said_is_so_once_a_person_has_let_it_count(careful) -> None:
    method = careful()
    context = Context(PROBLEM, method.begin(PROBLEM))
    said = (Answer(CLOSED, Verdict.NO, BeliefSource.MODEL),)
    for reviewed in (True, False):
        belief = method.update(context, GotAnswers((Query(CLOSED, ""),), said, reviewed=reviewed))
        doubt = sum(p for state, p in method.weights(belief) if CLOSED in method.world.states[state])
        assert (doubt < 0.01) is reviewed


def test_that_it_gives_up_in_words_when_nothing_leads_to_the_goal(setting, careful) -> None:
    impossible = replace(PROBLEM, goal=(Literal("inside", ("key", "door")), Literal("holding", ("key",))))
    method = Careful(tiny.folder(), impossible, make_planner(), Stated())
    ended = setting(policy=method, problem=impossible).run()[-1]
    assert "Nothing leads to the goal" in ended.reason


def test_that_a_likely_goal_is_claimed_when_no_steps_are_left_and_an_unlikely_one_is_not(careful) -> None:
    method = careful(giving_up_cost=45, false_claim_cost=400, operator_cost=0)
    reached = method.world.number(frozenset({INSIDE, EMPTY, HOLDING}))
    start = method.world.number(PROBLEM.state)
    for sure, end in ((0.95, Claim), (0.85, Unsure), (0.45, Act)):
        weights = ((reached, sure), (start, 1 - sure))
        assert isinstance(method.chooser.choose(weights, ChoiceContext(steps_left=0)), end)
        assert not isinstance(method.chooser.choose(weights, ChoiceContext(steps_left=9)), Claim)


def test_that_the_same_observations_make_the_same_beliefs(careful) -> None:
    observations = [
        GotPicture(1, "1", "front"),
        GotSenses((Answer(EMPTY, Verdict.YES, BeliefSource.SENSOR),)),
        StepDone(OPEN, StepResult(StepStatus.DONE)),
        GotPicture(2, "2", "front"),
        GotAnswers((), ()),
        StepDone(TAKE, StepResult(StepStatus.DONE)),
        GotSenses((Answer(HOLDING, Verdict.YES, BeliefSource.SENSOR),)),
    ]
    used = careful()
    beliefs_after(used, PROBLEM, observations)
    again, fresh = (beliefs_after(m, PROBLEM, observations) for m in (used, careful()))
    assert [b.hypotheses for b in again] == [b.hypotheses for b in fresh]
    assert again[-1].probability(HOLDING) == 1


def test_that_an_answer_is_news_where_a_side_effect_may_have_outdated_the_last(careful) -> None:
    method, seen = careful(), list[Picture]()
    shut, ajar = (method.world.number(s) for s in (PROBLEM.state, PROBLEM.state - {CLOSED}))
    answers = GotAnswers((Query(CLOSED, ""),), (Answer(CLOSED, Verdict.YES, BeliefSource.MODEL),))
    history, prior = (GotPicture(1, "1", "front"), answers), method.errors.prior
    method.asker.questions = lambda context, weights, picture: seen.append(picture)
    after = []
    for lost in (0.0, 1.0):
        opened = Part(prior, {Kind("open", "closed"): Count(lost, 1.0)}).times(0.3)
        belief = method._as_belief(method.begin(PROBLEM), {shut: Part(prior).times(0.7), ajar: opened}, 1)
        context = Context(PROBLEM, belief, history=history, viewpoint="front", turn=1)
        method.act(context)
        weights = dict(method.weights(method.update(context, answers)))
        after.append(weights[shut])
    assert [CLOSED in picture.earlier for picture in seen] == [True, False]
    assert after[1] > after[0] + 0.05
