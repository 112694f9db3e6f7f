"""The gate between the loop's thread and a person's."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from concurrent.futures import TimeoutError as Late
from dataclasses import replace

import pytest

from core.belief import Answer, Atom, Belief, BeliefSource, Contradiction, Purpose, Query, Verdict
from core.errors import AnswererError, RobotNotReady
from core.knowledge.suggestion import SituationReport, Suggestion
from core.loop.gate import AutoOperator, Gate, stop_motion
from core.loop.supervision_rules import needs_review, passes
from core.operator import (
    Addressee,
    AnswerReview,
    Approve,
    Choose,
    Correct,
    End,
    PlanChange,
    Proceed,
    Proposal,
    ProposalKind,
    Replan,
    StopRaised,
)
from core.planning_model import Literal, Plan, PlanStatus, Step
from core.ports import Embodiment, Frame
from core.reason import Cause, Reason
from core.stop_token import StopToken
from core.supervision import SUPERVISION_PRESETS, SupervisionLevel, SupervisionLevels
from robots.stop_latch import Latch

OPEN = Step("open", ("door",))
DOOR = Atom("closed", ("door",))
APPROVE, WATCH = SUPERVISION_PRESETS["Approve"], SUPERVISION_PRESETS["Watch"]


def proposal(number: int = 1, need: ProposalKind = ProposalKind.STEP, stop: int = 0) -> Proposal:
    return Proposal(number, number, need, OPEN if need is ProposalKind.STEP else None, stop_number=stop)


def review(
    verdict: Verdict, purpose: Purpose = Purpose.PRECONDITION, *clashes: Contradiction
) -> AnswerReview:
    query = Query(DOOR, "Is the door open?", True, purpose)
    answer = Answer(DOOR, verdict, BeliefSource.MODEL)
    return AnswerReview(1, Frame("f"), (query,), (answer,), Belief(), clashes)


@pytest.fixture
def loop() -> Callable[..., Future]:
    """Runs something in the loop's place, in another thread."""
    with ThreadPoolExecutor(2) as pool:
        yield pool.submit


def waits(future: Future) -> bool:
    try:
        future.result(0.05)
    except Late:
        return True
    return False


def test_that_a_step_waits_for_approval(loop) -> None:
    gate = Gate(APPROVE)
    decided = loop(gate.decide, proposal())
    assert waits(decided)
    gate.submit_decision(1, Approve("me"))
    assert decided.result(5) == Approve("me")


def test_that_a_reply_before_the_loop_waits_is_not_lost() -> None:
    gate = Gate(APPROVE)
    gate.submit_decision(1, Approve("me"))
    assert gate.decide(proposal()) == Approve("me")


def test_that_a_double_click_does_not_approve_the_step_after(loop) -> None:
    gate = Gate(APPROVE)
    assert gate.submit_decision(1, Approve("me"))
    assert not gate.submit_decision(1, Approve("me again"))
    gate.decide(proposal(1))
    second = loop(gate.decide, proposal(2))
    assert waits(second)
    gate.end("over")
    assert second.result(5) == End("over")


def test_that_the_first_review_of_answers_counts_and_a_second_is_refused() -> None:
    gate, shown = Gate(APPROVE), review(Verdict.YES)
    assert gate.submit_review(1, shown.answers)
    assert not gate.submit_review(1, ())
    assert gate.review(shown) == shown.answers


def test_that_stop_wins_over_an_approval_already_given() -> None:
    gate = Gate(APPROVE)
    gate.submit_decision(1, Approve("me"))
    gate.stop(1, "Esc")
    assert gate.decide(proposal()) == StopRaised(1, "Esc")


def test_that_stop_wakes_a_waiting_loop_and_stays(loop) -> None:
    gate = Gate(APPROVE)
    decided = loop(gate.decide, proposal())
    gate.stop(1, "Esc")
    assert decided.result(5) == StopRaised(1, "Esc")
    assert gate.decide(proposal(2)) == StopRaised(1, "Esc")


def test_that_only_the_stop_that_was_seen_is_released() -> None:
    gate = Gate(WATCH)
    gate.stop(1, "first")
    gate.submit_decision(1, Proceed(1, "me"))
    assert gate.decide(proposal(1, ProposalKind.STOP_RELEASE, stop=1)) == Proceed(1, "me")
    assert gate.decide(proposal(2)) == Approve()
    gate.stop(2, "second")
    gate.stop(3, "third")
    gate.submit_decision(3, Proceed(2, "me"))
    assert gate.decide(proposal(3, ProposalKind.STOP_RELEASE, stop=2)) == StopRaised(3, "third")


def test_that_an_earlier_stop_that_is_told_late_does_not_stand_in_for_a_later_one() -> None:
    gate = Gate(WATCH)
    gate.stop(2, "second")
    gate.stop(1, "first, told late")
    assert gate.decide(proposal()) == StopRaised(2, "second")


def test_that_a_release_of_an_earlier_stop_does_not_undo_that_of_a_later_one() -> None:
    gate = Gate(WATCH)
    gate.stop(2, "second")
    for number, up_to in ((1, 2), (2, 1)):
        gate.submit_decision(number, Proceed(up_to, "me"))
        gate.decide(proposal(number, ProposalKind.STOP_RELEASE, stop=2))
    assert gate.decide(proposal(3)) == Approve()


def test_that_the_first_reason_to_end_stays() -> None:
    gate = Gate(APPROVE)
    gate.end("first", "me")
    gate.end("second")
    assert gate.decide(proposal()) == End("first", "me")


def test_that_an_approval_does_not_release_a_stop(loop) -> None:
    gate = Gate(WATCH)
    gate.stop(1, "Esc")
    gate.submit_decision(1, Approve("me"))
    released = loop(gate.decide, proposal(1, ProposalKind.STOP_RELEASE, stop=1))
    assert waits(released)
    gate.end("over")
    assert released.result(5) == End("over")


def test_that_watching_lets_steps_pass_and_a_breakpoint_holds_them(loop) -> None:
    gate = Gate(WATCH)
    assert gate.decide(proposal(1)) == Approve()
    for breakpoint in ("open", "(open door)"):
        gate.set_breakpoints(frozenset({breakpoint}))
        held = loop(gate.decide, proposal(2))
        assert waits(held)
        gate.set_breakpoints(frozenset())
        assert held.result(5) == Approve()


def test_that_pause_holds_and_single_lets_one_step_pass(loop) -> None:
    gate = Gate(WATCH)
    gate.pause()
    first = loop(gate.decide, proposal(1))
    assert waits(first)
    gate.step_once()
    assert first.result(5) == Approve()
    second = loop(gate.decide, proposal(2))
    assert waits(second)
    gate.resume()
    assert second.result(5) == Approve()


def test_that_a_dial_turned_while_waiting_counts_at_once(loop) -> None:
    gate = Gate(APPROVE)
    decided = loop(gate.decide, proposal())
    assert waits(decided)
    gate.set_supervision(WATCH)
    assert decided.result(5) == Approve()


def test_that_nothing_is_free_on_a_real_robot() -> None:
    gate = Gate(WATCH, Embodiment.REAL)
    assert gate.supervision == SupervisionLevels(
        SupervisionLevel.ASSIST, SupervisionLevel.ASSIST, SupervisionLevel.ASSIST, SupervisionLevel.APPROVE
    )
    assert gate.set_supervision(WATCH).move is SupervisionLevel.APPROVE
    with pytest.raises(RobotNotReady):
        AutoOperator(Embodiment.REAL)


def test_that_help_waits_for_a_person_whatever_the_dials_say(loop) -> None:
    gate = Gate(WATCH)
    decided = loop(gate.decide, proposal(1, ProposalKind.HELP_NEEDED))
    assert waits(decided)
    gate.submit_decision(1, Choose(OPEN, "me"))
    assert decided.result(5) == Choose(OPEN, "me")


def test_that_a_correction_given_early_counts_at_the_next_gate_even_when_free() -> None:
    gate = Gate(WATCH)
    correct = Correct((Answer(DOOR, Verdict.YES, BeliefSource.OPERATOR),), "me")
    gate.submit_correction(correct)
    assert gate.decide(proposal(1)) == correct
    assert gate.decide(proposal(2)) == Approve()


@pytest.mark.parametrize("verdict", list(Verdict))
def test_that_assist_shows_contradictions_and_what_is_needed_but_unknown(loop, verdict: Verdict) -> None:
    gate = Gate(SUPERVISION_PRESETS["Assist"])
    shown = loop(gate.review, review(verdict))
    assert waits(shown) == (verdict is Verdict.UNKNOWN)
    gate.submit_review(1, review(Verdict.YES).answers)
    clash = loop(gate.review, review(verdict, Purpose.EFFECT, Contradiction((DOOR,), "seen open")))
    assert waits(clash)
    gate.submit_review(2, ())
    assert clash.result(5) == ()


def test_that_answers_nobody_looked_at_do_not_count_after_a_stop(loop) -> None:
    gate = Gate(APPROVE)
    shown = loop(gate.review, review(Verdict.YES))
    assert waits(shown)
    gate.stop(1, "Esc")
    assert [a.verdict for a in shown.result(5)] == [Verdict.UNKNOWN]


def test_that_a_new_plan_waits_for_a_look_but_not_when_watching(loop) -> None:
    revision = PlanChange(1, (OPEN,), Plan(PlanStatus.FOUND, (OPEN,)))
    assert Gate(WATCH).accept_plan(revision)
    assert not Gate(SUPERVISION_PRESETS["Manual"]).accept_plan(revision)
    gate = Gate(SUPERVISION_PRESETS["Assist"])
    consent = loop(gate.accept_plan, revision)
    assert waits(consent)
    gate.submit_plan_acceptance(1, False)
    assert consent.result(5) is False


def test_that_manual_asks_no_model() -> None:
    assert not Gate(SUPERVISION_PRESETS["Manual"]).asks_model()
    assert Gate(SUPERVISION_PRESETS["Watch"]).asks_model()


def test_that_what_a_person_answers_by_hand_is_theirs_to_look_at_even_when_watching() -> None:
    asked = review(Verdict.YES)
    assert needs_review(replace(WATCH, ask=SupervisionLevel.MANUAL), asked)
    assert not needs_review(WATCH, asked)


def test_that_the_automatic_operator_ends_where_help_is_needed() -> None:
    operator = AutoOperator()
    assert operator.decide(proposal()) == Approve()
    assert isinstance(operator.decide(proposal(1, ProposalKind.HELP_NEEDED)), End)
    assert isinstance(operator.decide(proposal(1, ProposalKind.STOP_RELEASE, 1)), End)
    away = replace(review(Verdict.UNKNOWN), unavailable_reason="It is away.", model_reached=False)
    with pytest.raises(AnswererError, match="It is away"):
        operator.review(away)


def test_that_silence_ends_a_question_to_the_operator_and_is_no_answer(loop) -> None:
    gate = Gate(WATCH)
    asked = replace(review(Verdict.UNKNOWN), addressee=Addressee.OPERATOR, wait_seconds=0.05)
    assert loop(gate.review, asked).result(10) is asked.answers


def test_that_an_answer_of_the_operator_in_time_counts(loop) -> None:
    gate = Gate(WATCH)
    asked = replace(review(Verdict.UNKNOWN), addressee=Addressee.OPERATOR, wait_seconds=30.0)
    said = (Answer(DOOR, Verdict.YES, BeliefSource.OPERATOR),)
    waiting = loop(gate.review, asked)
    gate.submit_review(1, said)
    assert waiting.result(10) == said


def test_that_what_no_model_could_answer_is_shown_whatever_the_dials_say(loop) -> None:
    gate = Gate(WATCH)
    away = replace(review(Verdict.UNKNOWN), unavailable_reason="The model does not answer.")
    waiting = loop(gate.review, away)
    assert waits(waiting)
    gate.submit_review(1, ())
    assert waiting.result(5) == ()


def test_that_a_suggested_change_passes_only_where_believing_is_free() -> None:
    change = replace(
        proposal(need=ProposalKind.DOMAIN_CHANGE), suggestion=Suggestion(SituationReport("odd"), ())
    )
    passing = [believe for believe in SupervisionLevel if passes(replace(WATCH, believe=believe), change)]
    assert passing == [SupervisionLevel.WATCH]


def test_that_a_step_of_a_kept_plan_that_is_believed_impossible_waits_at_every_level() -> None:
    """You rejected the plan that would have done without it: that is no approval of the step."""
    kept = replace(proposal(), reason=Reason(Cause.KEPT, (Literal("open", ("door",)),)))
    assert not any(passes(levels, kept) for levels in SUPERVISION_PRESETS.values())
    assert passes(WATCH, replace(kept, reason=Reason(Cause.KEPT)))


def test_that_levels_know_which_preset_they_are() -> None:
    assert [levels.preset_name for levels in SUPERVISION_PRESETS.values()] == list(SUPERVISION_PRESETS)
    assert replace(WATCH, believe=SupervisionLevel.MANUAL).preset_name == ""


# --- stopping -----------------------------------------------------------------------------------------


def test_that_a_stop_halts_the_robot_interrupts_the_turn_and_closes_the_gate() -> None:
    latch, cancel, gate = Latch(), StopToken(), Gate(WATCH)
    number = stop_motion(latch, cancel, gate, "Esc")
    assert (number, latch.last_halt(), cancel.active_stop) == (1, 1, 1)
    assert gate.decide(proposal()) == StopRaised(1, "Esc")


def test_that_an_episode_ends_whose_robot_does_not_even_halt() -> None:
    class Deaf(Latch):
        def halt(self) -> int:
            raise OSError("no link")

    cancel, gate = StopToken(), Gate(WATCH)
    with pytest.raises(OSError, match="no link"):
        stop_motion(Deaf(), cancel, gate, "Esc")
    assert cancel.ended and "emergency stop" in cancel.reason
    assert gate.decide(proposal()) == End(cancel.reason)


@pytest.mark.parametrize(
    "takes_back",
    [lambda gate: gate.stop(1, "Esc"), lambda gate: gate.submit_correction(Replan("me"))],
    ids=["stop", "correction"],
)
def test_that_a_stop_or_a_correction_takes_back_a_plan_on_offer(
    loop, takes_back: Callable[[Gate], None]
) -> None:
    gate = Gate(APPROVE)
    offered = loop(gate.accept_plan, PlanChange(1, (), Plan(PlanStatus.FOUND, (OPEN,)), Reason(Cause.OTHER)))
    assert waits(offered)
    takes_back(gate)
    assert offered.result(5) is None
