"""The gate between the loop's thread and a person's."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from concurrent.futures import TimeoutError as Late

import pytest

from core.deciding import (
    Approve,
    Choose,
    Continue,
    Correct,
    End,
    Interrupted,
    Need,
    Proposal,
    Review,
    Revision,
)
from core.dials import PRESETS, Dials, Level
from core.errors import RobotNotReady
from core.facts import Answer, Atom, Belief, Contradiction, Purpose, Query, Source, Verdict
from core.gate import Automatic, Gate
from core.ports import Frame, World
from core.problem import Plan, PlanStatus, Step

OPEN = Step("open", ("door",))
DOOR = Atom("closed", ("door",))
APPROVE, WATCH = PRESETS["Approve"], PRESETS["Watch"]


def proposal(number: int = 1, need: Need = Need.STEP, stop: int = 0) -> Proposal:
    return Proposal(number, number, need, OPEN if need is Need.STEP else None, stop=stop)


def review(verdict: Verdict, purpose: Purpose = Purpose.PRECONDITION, *clashes: Contradiction) -> Review:
    query = Query(DOOR, "Is the door open?", True, purpose)
    answer = Answer(DOOR, verdict, Source.MODEL)
    return Review(1, Frame("f"), (query,), (answer,), Belief(), clashes)


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
    gate.reply(1, Approve("me"))
    assert decided.result(5) == Approve("me")


def test_that_a_reply_before_the_loop_waits_is_not_lost() -> None:
    gate = Gate(APPROVE)
    gate.reply(1, Approve("me"))
    assert gate.decide(proposal()) == Approve("me")


def test_that_a_double_click_does_not_approve_the_step_after(loop) -> None:
    gate = Gate(APPROVE)
    assert gate.reply(1, Approve("me"))
    assert not gate.reply(1, Approve("me again"))
    gate.decide(proposal(1))
    second = loop(gate.decide, proposal(2))
    assert waits(second)
    gate.end("over")
    assert second.result(5) == End("over")


def test_that_stop_wins_over_an_approval_already_given() -> None:
    gate = Gate(APPROVE)
    gate.reply(1, Approve("me"))
    gate.stop(1, "Esc")
    assert gate.decide(proposal()) == Interrupted(1, "Esc")


def test_that_stop_wakes_a_waiting_loop_and_stays(loop) -> None:
    gate = Gate(APPROVE)
    decided = loop(gate.decide, proposal())
    gate.stop(1, "Esc")
    assert decided.result(5) == Interrupted(1, "Esc")
    assert gate.decide(proposal(2)) == Interrupted(1, "Esc")


def test_that_only_the_stop_that_was_seen_is_released() -> None:
    gate = Gate(WATCH)
    gate.stop(1, "first")
    gate.reply(1, Continue(1, "me"))
    assert gate.decide(proposal(1, Need.RELEASE, stop=1)) == Continue(1, "me")
    assert gate.decide(proposal(2)) == Approve()
    gate.stop(2, "second")
    gate.stop(3, "third")
    gate.reply(3, Continue(2, "me"))
    assert gate.decide(proposal(3, Need.RELEASE, stop=2)) == Interrupted(3, "third")


def test_that_an_approval_does_not_release_a_stop(loop) -> None:
    gate = Gate(WATCH)
    gate.stop(1, "Esc")
    gate.reply(1, Approve("me"))
    released = loop(gate.decide, proposal(1, Need.RELEASE, stop=1))
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
    gate.single()
    assert first.result(5) == Approve()
    second = loop(gate.decide, proposal(2))
    assert waits(second)
    gate.resume()
    assert second.result(5) == Approve()


def test_that_a_dial_turned_while_waiting_counts_at_once(loop) -> None:
    gate = Gate(APPROVE)
    decided = loop(gate.decide, proposal())
    assert waits(decided)
    gate.set_dials(WATCH)
    assert decided.result(5) == Approve()


def test_that_nothing_is_free_on_a_real_robot() -> None:
    gate = Gate(WATCH, World.REAL)
    assert gate.dials == Dials(Level.ASSIST, Level.ASSIST, Level.ASSIST, Level.APPROVE)
    assert gate.set_dials(WATCH).move is Level.APPROVE
    with pytest.raises(RobotNotReady):
        Automatic(World.REAL)


def test_that_help_waits_for_a_person_whatever_the_dials_say(loop) -> None:
    gate = Gate(WATCH)
    decided = loop(gate.decide, proposal(1, Need.HELP))
    assert waits(decided)
    gate.reply(1, Choose(OPEN, "me"))
    assert decided.result(5) == Choose(OPEN, "me")


def test_that_a_correction_given_early_counts_at_the_next_gate_even_when_free() -> None:
    gate = Gate(WATCH)
    correct = Correct((Answer(DOOR, Verdict.YES, Source.OPERATOR),), "me")
    gate.interject(correct)
    assert gate.decide(proposal(1)) == correct
    assert gate.decide(proposal(2)) == Approve()


@pytest.mark.parametrize("verdict", list(Verdict))
def test_that_assist_shows_contradictions_and_what_is_needed_but_unknown(loop, verdict: Verdict) -> None:
    gate = Gate(PRESETS["Assist"])
    shown = loop(gate.review, review(verdict))
    assert waits(shown) == (verdict is Verdict.UNKNOWN)
    gate.reviewed(1, review(Verdict.YES).answers)
    clash = loop(gate.review, review(verdict, Purpose.EFFECT, Contradiction((DOOR,), "seen open")))
    assert waits(clash)
    gate.reviewed(2, ())
    assert clash.result(5) == ()


def test_that_answers_nobody_looked_at_do_not_count_after_a_stop(loop) -> None:
    gate = Gate(APPROVE)
    shown = loop(gate.review, review(Verdict.YES))
    assert waits(shown)
    gate.stop(1, "Esc")
    assert [a.verdict for a in shown.result(5)] == [Verdict.UNKNOWN]


def test_that_a_new_plan_waits_for_a_look_but_not_when_watching(loop) -> None:
    revision = Revision(1, (OPEN,), Plan(PlanStatus.FOUND, (OPEN,)))
    assert Gate(WATCH).consent(revision)
    assert not Gate(PRESETS["Manual"]).consent(revision)
    gate = Gate(PRESETS["Assist"])
    consent = loop(gate.consent, revision)
    assert waits(consent)
    gate.consented(1, False)
    assert consent.result(5) is False


def test_that_manual_asks_no_model() -> None:
    assert not Gate(PRESETS["Manual"]).asks_model()
    assert Gate(PRESETS["Watch"]).asks_model()


def test_that_the_automatic_operator_ends_where_help_is_needed() -> None:
    operator = Automatic()
    assert operator.decide(proposal()) == Approve()
    assert isinstance(operator.decide(proposal(1, Need.HELP)), End)
    assert isinstance(operator.decide(proposal(1, Need.RELEASE, 1)), End)
