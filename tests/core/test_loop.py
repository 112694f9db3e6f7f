"""One turn after the other, with real parts on the domain of `tiny`."""

from __future__ import annotations

from dataclasses import dataclass, replace
from types import MappingProxyType

from core import events as ev
from core.arm.step_candidates import StepCandidate
from core.belief import Answer, Belief, BeliefSource, Purpose, Verdict
from core.loop.gate import AutoOperator
from core.operator import (
    AnswerReview,
    Approve,
    Choose,
    Correct,
    End,
    Replan,
    Undo,
)
from core.planning_model import Step
from core.ports import StepStatus
from core.reason import Cause
from robots.symbolic.robot import SymbolicRobot
from tests.core import tiny
from tests.core.looping import Scripted, only, steps
from tests.core.tiny import CLOSED, HOLDING, INSIDE, OPEN, SHUT, TAKE


def test_that_with_nothing_going_wrong_the_plan_is_done_and_true(setting) -> None:
    events = setting().run()
    assert steps(events) == [OPEN, TAKE]
    assert events[-1] == ev.EpisodeEnded(
        ev.EpisodeResult.SUCCEEDED, "The goal is believed to be reached.", True, True
    )
    assert len(only(events, ev.PlanMade)) == 1


def test_that_effects_and_next_preconditions_are_asked_in_one_call(setting) -> None:
    events = setting().run()
    second = only(events, ev.QuestionsAsked)[1]
    assert second.turn == 2
    assert {(q.atom, q.purpose) for q in second.queries} == {
        (CLOSED, Purpose.EFFECT),  # of open; also needed next, but asked once
        (INSIDE, Purpose.PRECONDITION),
    }


def test_that_nothing_is_asked_twice_of_one_picture(setting) -> None:
    made = setting(open_fails=0.6, take_fails=0.4, seed=3)
    made.run()
    assert len(made.answerer.asked) == len(set(made.answerer.asked))


def test_that_senses_are_read_and_never_asked(setting) -> None:
    events = setting().run()
    sensed = {a.atom.predicate for e in only(events, ev.SensorsRead) for a in e.answers}
    asked = {q.atom.predicate for e in only(events, ev.QuestionsAsked) for q in e.queries}
    assert sensed == {"holding", "handempty"}
    assert asked == {"closed", "inside"}


def test_that_the_answer_that_caused_a_new_plan_is_named(setting) -> None:
    for seed in range(99):
        events = setting(open_fails=0.5, seed=seed).run()
        replans = only(events, ev.PlanMade)[1:]
        if replans:
            break
    revision = replans[0].change
    assert revision.trigger is not None and revision.trigger.atom == CLOSED
    assert revision.old_steps == (TAKE,) and revision.new_plan.steps == (OPEN, TAKE)
    assert events[-1].true_goal is True


def test_that_an_unknown_answer_keeps_what_was_believed(setting) -> None:
    events = setting(blind=frozenset({"closed", "inside"})).run()
    assert steps(events) == [OPEN, TAKE]
    skipped = [c for e in only(events, ev.BeliefChanged) for c in e.changes if c.last_unknown_turn]
    assert {c.source for c in skipped} <= {BeliefSource.INITIAL, BeliefSource.PREDICTED}


def test_that_what_the_robot_reports_is_not_read(setting) -> None:
    made = setting(open_fails=1.0, blind=frozenset({"closed"}), max_steps=3)
    events = made.run()
    reports = [e.result.status for e in only(events, ev.StepFinished)]
    assert StepStatus.FAILED in reports
    assert steps(events)[:2] == [OPEN, TAKE]  # nobody saw that it stayed closed


def test_that_the_step_limit_ends_the_episode(setting) -> None:
    events = setting(open_fails=1.0, max_steps=4).run()
    assert events[-1].result is ev.EpisodeResult.STEP_LIMIT
    assert len(steps(events)) == 4


def test_that_without_a_plan_the_automatic_operator_ends_it(setting) -> None:
    hopeless = tiny.PROBLEM.with_state({CLOSED})
    events = setting(problem=hopeless, operator=AutoOperator()).run()
    assert events[-1].result in (ev.EpisodeResult.NO_PLAN, ev.EpisodeResult.SUCCEEDED)
    assert steps(events) == []


def test_that_a_person_may_choose_another_step_and_the_loop_plans_from_there(setting) -> None:
    operator = Scripted([Approve("me"), Choose(SHUT, "me")])
    events = setting(operator=operator).run()
    assert steps(events) == [OPEN, SHUT, OPEN, TAKE]


def test_that_what_cannot_be_done_is_refused_though_a_person_chose_it(setting) -> None:
    operator = Scripted([Choose(Step("open", ("key",)), "me")])
    events = setting(operator=operator).run()
    assert steps(events) == [OPEN, TAKE]
    (notice,) = only(events, ev.Notice)
    assert notice.text.startswith("(open key) cannot be done: ")


@dataclass
class Offering:
    """A robot that offers two ways to do each step, of which the first is barred."""

    robot: SymbolicRobot

    def __getattr__(self, name: str) -> object:
        return getattr(self.robot, name)

    def candidates(self, step: Step) -> tuple[StepCandidate, ...]:
        ways = (replace(step, values=MappingProxyType({"grasp": way})) for way in (1, 2))
        return tuple(StepCandidate("way", one, 1, "" if i else "blocked") for i, one in enumerate(ways))

    def candidate_at(self, step: Step, column: float, row: float) -> None:
        return None


def test_that_an_approved_step_is_done_in_the_best_way_that_can_be_done(setting) -> None:
    made = setting(operator=Scripted([Approve("me"), Approve("me")]))
    events = replace(made, robot=Offering(made.robot)).run()
    done = only(events, ev.StepFinished)
    assert [(e.step, e.step.values["grasp"], e.result.status) for e in done] == [
        (OPEN, 2, StepStatus.DONE),
        (TAKE, 2, StepStatus.DONE),
    ]


def test_that_after_a_motion_nothing_before_it_is_undone(setting) -> None:
    so = Answer(CLOSED, Verdict.YES, BeliefSource.OPERATOR, turn=1, by="me")
    events = setting(operator=Scripted([Correct((so,), "me"), Approve("me"), Undo("me")])).run()
    assert steps(events) == [OPEN, TAKE]
    assert Cause.UNDONE not in {p.change.reason.cause for p in only(events, ev.PlanMade)}


def test_that_a_correction_changes_the_plan_and_can_be_undone(setting) -> None:
    is_open = Answer(CLOSED, Verdict.NO, BeliefSource.OPERATOR, turn=1, by="me")
    operator = Scripted([Correct((is_open,), "me"), Undo("me")])
    events = setting(operator=operator).run()
    proposed = [p.step for p in operator.seen]
    assert proposed[:3] == [OPEN, TAKE, OPEN]
    assert steps(events) == [OPEN, TAKE]


def test_that_a_person_may_keep_the_old_plan(setting) -> None:
    is_open = Answer(CLOSED, Verdict.NO, BeliefSource.OPERATOR, turn=1, by="me")
    operator = Scripted([Correct((is_open,), "me")], consents=[False])
    events = setting(operator=operator).run()
    assert [p.accepted for p in only(events, ev.PlanMade)] == [True, False]
    assert [p.step for p in operator.seen][:2] == [OPEN, OPEN]


def test_that_a_plan_whose_offer_is_withdrawn_is_neither_adopted_nor_rejected(setting) -> None:
    is_open = Answer(CLOSED, Verdict.NO, BeliefSource.OPERATOR, turn=1, by="me")
    events = setting(operator=Scripted([Correct((is_open,), "me")], consents=[None])).run()
    assert len(only(events, ev.PlanOffered)) == len(only(events, ev.OfferWithdrawn)) == 1
    assert [p.accepted for p in only(events, ev.PlanMade)] == [True]


class Overruling(Scripted):
    """Says in its first review that nothing is so, whatever the model says."""

    reviews = 0

    def review(self, review: AnswerReview) -> tuple[Answer, ...]:
        self.reviews += 1
        if self.reviews > 1:
            return review.answers
        mine = {"verdict": Verdict.NO, "source": BeliefSource.OPERATOR, "by": "me"}
        return tuple(replace(answer, **mine) for answer in review.answers)


def test_that_an_answer_overruled_can_be_undone_and_the_models_counts(setting) -> None:
    operator = Overruling([Undo("me")])
    events = setting(operator=operator).run()
    assert [p.step for p in operator.seen] == [TAKE, OPEN, TAKE]
    assert steps(events) == [OPEN, TAKE]


def test_that_a_replan_asked_for_is_offered_even_when_it_is_the_same(setting) -> None:
    events = setting(operator=Scripted([Replan("me")])).run()
    assert only(events, ev.PlanOffered)[0].change.reason.cause is Cause.REQUESTED
    assert steps(events) == [OPEN, TAKE]


def test_that_a_person_may_end_it(setting) -> None:
    events = setting(operator=Scripted([Approve("me"), End("enough", "me")])).run()
    assert (events[-1].result, events[-1].reason) == (ev.EpisodeResult.ENDED, "enough")
    assert steps(events) == [OPEN]


def test_that_the_goal_believed_and_the_goal_in_truth_are_kept_apart(setting) -> None:
    made = setting()
    lie = Answer(HOLDING, Verdict.YES, BeliefSource.OPERATOR, turn=1, by="me")
    events = replace(made, operator=Scripted([Correct((lie,), "me")])).run()
    ended = events[-1]
    assert (ended.believed_goal, ended.true_goal, ended.missing) == (True, False, (HOLDING,))


def test_that_an_operators_word_outranks_the_models_about_the_same_turn() -> None:
    mine = Answer(CLOSED, Verdict.NO, BeliefSource.OPERATOR, turn=2)
    model = Answer(CLOSED, Verdict.YES, BeliefSource.MODEL, turn=2)
    belief = Belief.from_init({CLOSED}).updated_with([mine]).updated_with([model])
    assert belief.verdict(CLOSED) is Verdict.NO
    assert belief.updated_with([replace(model, turn=3)]).verdict(CLOSED) is Verdict.YES
