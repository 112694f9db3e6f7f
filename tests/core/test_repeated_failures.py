"""A step that keeps failing waits for a person, and says what was tried."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor

import pytest

from core import events as ev
from core.belief import Belief
from core.config import Settings
from core.errors import BadValue
from core.log.codec import read_event, write_event
from core.loop.episode_loop import run_episode
from core.loop.gate import AutoOperator, Gate
from core.loop.repeated_failures import FailureHistory
from core.methods.dkprompt import DKPrompt
from core.operator import Approve, End, Proposal, ProposalKind
from core.planning.planner import make_planner
from core.planning_model import Literal, Step
from core.policy import Context, StepDone
from core.ports import StepResult, StepStatus
from core.reason import RepeatedFailure
from core.stop_token import StopToken
from core.supervision import SUPERVISION_PRESETS
from tests.core import tiny
from tests.core.looping import Scripted, Setting, only, steps
from tests.core.tiny import EMPTY, HOLDING, INSIDE, OPEN, PROBLEM, TAKE

DONE, EMPTY_HAND = StepResult(StepStatus.DONE), StepResult(StepStatus.FAILED, "the gripper was empty")
WORKED = Belief.from_init({HOLDING})
NOT_WORKED = Belief.from_init({INSIDE, EMPTY})


def after(history: FailureHistory, result: StepResult, belief: Belief, step: Step = TAKE) -> FailureHistory:
    return history.after(Context(PROBLEM, belief, last_step=StepDone(step, result)))


def failed(times: int, result: StepResult = EMPTY_HAND) -> FailureHistory:
    history = FailureHistory()
    for _ in range(times):
        history = after(history, result, NOT_WORKED)
    return history


def test_that_the_same_step_with_the_same_reason_is_counted_and_said_in_one_sentence() -> None:
    assert failed(2).repeated(TAKE, 3) is None
    found = failed(3).repeated(TAKE, 3)
    assert found == RepeatedFailure(TAKE, 3, "the gripper was empty")
    assert found.sentence(lambda step: "take the key") == "take the key failed 3 times: the gripper was empty"


def test_that_other_reasons_are_counted_apart_and_figures_make_no_other_reason() -> None:
    apart = after(failed(2), StepResult(StepStatus.FAILED, "the key is not seen"), NOT_WORKED)
    assert apart.repeated(TAKE, 3) is None
    history = FailureHistory()
    for x in ("0.31", "0.42", "7"):
        history = after(history, StepResult(StepStatus.FAILED, f"the arm does not reach x {x} m"), NOT_WORKED)
    assert history.repeated(TAKE, 3) is not None


def test_that_a_step_that_did_not_bring_about_what_it_should_has_failed() -> None:
    found = failed(3, DONE).repeated(TAKE, 3)
    assert found is not None
    assert set(found.missing) == {
        Literal("holding", ("key",)),
        Literal("inside", ("key", "door"), False),
        Literal("handempty", (), False),
    }
    only_held = RepeatedFailure(TAKE, 3, missing=(Literal("holding", ("key",)),))
    words = only_held.sentence(str, lambda a: f"the key is {'' if a.positive else 'not '}held")
    assert words == "(take key door) failed 3 times: the key is not held"


def test_that_a_step_which_the_problem_does_not_know_is_not_judged() -> None:
    assert after(failed(1), EMPTY_HAND, NOT_WORKED, Step("fly", ("key",))) == failed(1)


def test_that_success_begins_the_count_anew() -> None:
    history = after(after(failed(2), DONE, WORKED), EMPTY_HAND, NOT_WORKED)
    assert history.repeated(TAKE, 2) is None


def test_that_0_never_asks() -> None:
    assert failed(40).repeated(TAKE, 0) is None
    with pytest.raises(BadValue, match="out of range"):
        Settings(failure_limit=-1)


def test_that_a_person_who_lets_it_pass_is_asked_again_after_as_many_more() -> None:
    assert failed(3).repeated(TAKE, 3) is not None
    unfailed = FailureHistory().approve(TAKE)
    for _ in range(3):
        unfailed = after(unfailed, EMPTY_HAND, NOT_WORKED)
    assert unfailed.repeated(TAKE, 3) is not None
    passed = failed(3).approve(TAKE)
    assert passed.repeated(TAKE, 3) is None
    for _ in range(3):
        passed = after(passed, EMPTY_HAND, NOT_WORKED)
    found = passed.repeated(TAKE, 3)
    assert found is not None
    assert found.count == 6


# --- in the loop ------------------------------------------------------------------------------------


def test_that_the_fourth_attempt_says_what_was_tried(setting: Callable[..., Setting]) -> None:
    operator = Scripted([Approve("me")] * 3 + [End("enough", "me")])
    events = setting(operator=operator, open_fails=1.0).run()
    assert steps(events) == [OPEN, OPEN, OPEN]
    proposals = [e.proposal for e in only(events, ev.ActionProposed)]
    assert [bool(p.failing) for p in proposals] == [False, False, False, True]
    failing = proposals[-1].failing
    assert failing is not None
    assert (failing.step, failing.count) == (OPEN, 3)


def test_that_unattended_it_goes_on_and_the_end_says_what_kept_failing(
    setting: Callable[..., Setting],
) -> None:
    events = setting(operator=AutoOperator(), open_fails=1.0, max_steps=7).run()
    assert len(steps(events)) == 7
    ended = events[-1]
    assert ended.result is ev.EpisodeResult.STEP_LIMIT
    assert ended.reason.startswith("The limit of 7 steps is reached. (open door) failed ")


@pytest.mark.parametrize("limit", [0, 9])
def test_that_the_end_names_no_failure_that_is_too_rare_to_ask_about(setting, limit: int) -> None:
    events = setting(open_fails=1.0, max_steps=4, failure_limit=limit).run()
    assert events[-1].reason == "The limit of 4 steps is reached."


def test_that_a_free_running_gate_waits_at_the_fourth_attempt_and_only_there(
    setting: Callable[..., Setting],
) -> None:
    gate, made, happened = Gate(SUPERVISION_PRESETS["Watch"]), setting(open_fails=1.0), []

    def run(limit: int) -> None:
        for event in run_episode(
            "get_key", made.problem, made.robot, made.answerer, make_planner(),
            DKPrompt(tiny.folder(), PROBLEM), gate, StopToken(), 5, failure_limit=limit,
        ):  # fmt: skip
            happened.append(event)
            if isinstance(event, ev.ActionProposed) and event.proposal.failing:
                gate.submit_decision(event.proposal.number, End("enough", "me"))

    with ThreadPoolExecutor(1) as pool:
        pool.submit(run, 3).result(20)
        assert steps(happened) == [OPEN] * 3
        happened.clear()
        gate, made = Gate(SUPERVISION_PRESETS["Watch"]), setting(open_fails=1.0)
        pool.submit(run, 0).result(20)
        assert len(steps(happened)) == 5


@pytest.mark.parametrize("preset", SUPERVISION_PRESETS)
def test_that_no_dial_lets_a_failing_step_pass(preset: str) -> None:
    gate = Gate(SUPERVISION_PRESETS[preset])
    proposal = Proposal(1, 1, ProposalKind.STEP, OPEN, failing=RepeatedFailure(OPEN, 3, "it is stuck"))
    with ThreadPoolExecutor(1) as pool:
        decided: Future = pool.submit(gate.decide, proposal)
        with pytest.raises(TimeoutError):
            decided.result(0.05)
        gate.submit_decision(1, Approve("me"))
        assert decided.result(5) == Approve("me")


def test_that_the_log_keeps_what_was_tried() -> None:
    for failing in (RepeatedFailure(OPEN, 3, "it is stuck"), failed(3, DONE).repeated(TAKE, 3), None):
        proposed = ev.ActionProposed(Proposal(1, 1, ProposalKind.STEP, OPEN, failing=failing))
        read = read_event(ev.ActionProposed.__name__, write_event(proposed))
        assert isinstance(read, ev.ActionProposed)
        assert read.proposal.failing == failing
