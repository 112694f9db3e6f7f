"""The model's own plan: what reaches the robot, what is said where it cannot be read, and what is claimed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

import pytest

from core import events as ev
from core.config import Settings
from core.errors import AnswererError
from core.methods.knowledge import belief_text, domain_text
from core.methods.plan_reader import read_plan
from core.methods.vlm_planner import VlmPlanner, VlmPlannerOptions
from core.planning_model import Step
from core.ports import ChatMessage, Reply
from core.reason import Cause
from core.stop_token import StopToken
from core.vqa.answerers.simulated_planner import PlannerErrors, load_planner_errors
from core.vqa.data_files import available_names
from main import make_components
from robots.stochastic import sample
from tests.core import tiny
from tests.core.looping import Setting, only, planning, steps
from tests.core.tiny import OPEN, PROBLEM, TAKE
from tests.episodes import events_of

Make = Callable[..., Setting]
NAMES = {"door": "the red door", "key": "key"}


@dataclass
class Replies:
    """A model that says one thing after the other, and keeps what it was asked."""

    said: list[str]
    name: str = "replies"
    asked: list[str] = field(default_factory=list)

    def ask(self, messages: Sequence[ChatMessage], pictures: Sequence[bytes], cancel: StopToken) -> Reply:
        self.asked.append("\n".join(m.text for m in messages))
        if not self.said:
            raise AnswererError("The model is away.")
        return Reply(self.said.pop(0), self.name)


def played(setting: Make, *said: str, asks: str = "plan", **world: object) -> tuple[list[ev.Event], Replies]:
    model = Replies(list(said))
    policy = VlmPlanner(tiny.folder(), PROBLEM, VlmPlannerOptions(asks=asks))  # type: ignore[arg-type]
    return setting(policy=policy, model=model, **world).run(), model


# --- reading ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        "open(door)\ntake(key, door)",
        "(open door)\n(take key door)",
        "Here is the plan:\n\n1. open(door)\n2. take(key, door)",
        "```pddl\n(open door)\n(take key door)\n```",
        "- `open(the red door)` - the door is opened\n- `take(key, The Red Door)`.",
        "Step 1: OPEN(Door)\nStep 2: take(key, door)\n\nThen the robot has the key.",
        "<think>take(key, door) first?</think>open(door)\ntake(key, door)\ndone",
    ],
)
def test_that_a_plan_is_read_in_the_shapes_that_models_give_it(text: str) -> None:
    reading = read_plan(text, PROBLEM, NAMES)
    assert reading.steps == (OPEN, TAKE) and not reading.fault and not reading.done


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("open(door)\nfetch(key)", "no action named 'fetch'"),
        ("open(window)", "no object named 'window'"),
        ("take(key)", "takes 2 objects"),
        ("take(door, key)", "is of type"),
        ("open(door)\nOr else:\ntake(key, door)", "between the steps"),
        ("open(door)\ndone\ntake(key, door)", "between the steps"),
        ("I would not open(door) at all.", "no step"),
        ("First look around, and then we shall see.", "no step"),
        ("", "empty"),
        ("<think>open(door)", "empty"),
        ("open(door)\n" * 201, "more than 200"),
    ],
)
def test_that_a_reply_is_understood_whole_or_not_at_all(text: str, fault: str) -> None:
    reading = read_plan(text, PROBLEM, NAMES)
    assert reading.steps == () and not reading.done and fault in reading.fault


@pytest.mark.parametrize("text", ["done", "Done.", "`done`", "Nothing is left to do."])
def test_that_a_model_may_say_that_nothing_is_left_to_do(text: str) -> None:
    assert read_plan(text, PROBLEM, NAMES).done


# --- episodes ---------------------------------------------------------------------------------------


def test_that_the_models_plan_is_done_and_the_goal_claimed(setting: Make) -> None:
    events, model = played(setting, "open(door)\ntake(key, door)")
    assert steps(events) == [OPEN, TAKE] and events[-1].true_goal is True
    assert len(model.asked) == 1 and only(events, ev.QuestionsAsked) == []
    (asked,) = only(events, ev.ModelConsulted)
    assert (
        asked.purpose == "plan" and asked.interpretation == "open door; take key door" and asked.frame == ""
    )


@pytest.mark.parametrize("reply", ["fly(door)", "take(key, window)", "well"])
def test_that_no_part_of_an_unreadable_plan_reaches_the_robot_and_that_it_is_said(
    setting: Make, reply: str
) -> None:
    events, model = played(setting, f"open(door)\n{reply}" if "(" in reply else reply, "no idea")
    assert steps(events) == []
    assert events[-1].result is ev.EpisodeResult.NO_PLAN
    assert [e.interpretation for e in only(events, ev.ModelConsulted)] == ["", ""]
    assert "could not be used" in model.asked[1]
    assert "cannot be used. There is no step" in only(events, ev.ActionProposed)[-1].proposal.explanation


def test_that_it_is_asked_once_more_in_a_stricter_form(setting: Make) -> None:
    events, model = played(setting, "Well...", "open(door)\ntake(key, door)")
    assert steps(events) == [OPEN, TAKE]
    assert "There is no step in the reply." in model.asked[1] and "could not be used" not in model.asked[0]


def test_that_a_model_that_stays_away_is_said(setting: Make) -> None:
    events, _ = played(setting)
    assert steps(events) == [] and events[-1].result is ev.EpisodeResult.NO_PLAN
    assert only(events, ev.ActionProposed)[-1].proposal.explanation == "The model is away."


def test_that_a_plan_that_does_not_reach_the_goal_is_no_claim(setting: Make) -> None:
    events, _ = played(setting, "take(key, door)\nopen(door)")
    assert steps(events) == [TAKE, OPEN]
    assert events[-1].result is ev.EpisodeResult.NO_PLAN and events[-1].believed_goal is False
    assert (
        "at its end" in events[-1].reason
        or "at its end" in only(events, ev.ActionProposed)[-1].proposal.explanation
    )


def test_that_a_step_without_its_preconditions_is_expected_to_change_nothing() -> None:
    policy = VlmPlanner(tiny.folder(), PROBLEM)
    belief = policy.begin(PROBLEM)
    assert policy.predict(belief, TAKE, 1) == belief  # the door is closed
    opened = policy.predict(belief, OPEN, 1)
    assert tiny.HOLDING in policy.predict(opened, TAKE, 2).state


def test_that_done_is_no_claim_while_the_goal_is_not_believed(setting: Make) -> None:
    events, _ = played(setting, "done")
    assert events[-1].result is ev.EpisodeResult.NO_PLAN and events[-1].believed_goal is False


def test_that_the_next_step_is_asked_for_in_each_turn(setting: Make) -> None:
    events, model = played(setting, "open(door)", "take(key, door)\nopen(door)", asks="step")
    assert steps(events) == [OPEN, TAKE] and events[-1].true_goal is True
    assert "Done so far: nothing" in model.asked[0] and "Done so far: open(door)" in model.asked[1]


def test_that_a_failure_is_seen_by_a_model_that_is_asked_in_each_turn_alone(setting: Make) -> None:
    for asks, reached in (("step", True), ("plan", False)):
        policy = VlmPlanner(tiny.folder(), PROBLEM, VlmPlannerOptions(asks=asks))
        events = planning(setting(policy=policy, open_fails=0.5, seed=failing_once())).run()
        assert events[-1].true_goal is reached


# --- what it is told --------------------------------------------------------------------------------


def test_that_it_is_told_actions_objects_state_and_goal() -> None:
    policy = VlmPlanner(tiny.folder(), PROBLEM)
    told = domain_text(policy.domain_spec, PROBLEM) + belief_text(
        policy.domain_spec, PROBLEM, policy.begin(PROBLEM)
    )
    for words in (
        "take(t, d): take t d. t is any thing, d is any door.",
        "Needs: inside t d; not closed d; handempty.",
        "Then: holding t; not inside t d; not handempty.",
        "- door: door",
        "- closed door",
        "shall be so at the end:\n- holding key",
    ):
        assert words in told


def test_that_conditional_effects_and_kinds_of_objects_are_told() -> None:
    parts = make_components(Settings(task="boil_water", robot="symbolic", pictures=False))
    parts.close()
    told = domain_text(parts.domain_spec, parts.task.problem)
    assert "for every movable oo: if the oo is inside the o, then the oo is in the r" in told
    assert "- mug: mug-n-04, movable, physical" in told


# --- the simulated model ----------------------------------------------------------------------------


def spoilt(setting: Make, errors: PlannerErrors, seed: int) -> tuple[Step, ...]:
    model = planning(setting(), errors, seed).model
    assert model is not None
    return read_plan(model.ask((), (), StopToken()).text, PROBLEM, {}).steps


def test_that_the_simulated_planner_errs_at_its_rates(setting: Make) -> None:
    errors = replace(load_planner_errors("perfect"), wrong_step=0.3, unreadable=0.2)
    plans = [spoilt(setting, errors, seed) for seed in range(400)]
    read = [plan for plan in plans if plan]
    assert 1 - len(read) / 400 == pytest.approx(0.2, abs=0.08)  # 4 standard errors
    # at the door only one step can be done, so the first cannot be wrong; afterwards it may be shut instead
    assert {plan[0] for plan in read} == {OPEN}
    assert sum(plan[1] != TAKE for plan in read) / len(read) == pytest.approx(0.3, abs=0.11)


def test_that_the_simulated_planner_depends_on_its_seed_alone(setting: Make) -> None:
    errors = replace(load_planner_errors("perfect"), wrong_step=0.5)
    assert [spoilt(setting, errors, s) for s in range(9)] == [spoilt(setting, errors, s) for s in range(9)]
    assert len({spoilt(setting, errors, seed) for seed in range(9)}) > 1


@pytest.mark.parametrize("name", available_names("planners"))
def test_that_every_shipped_planner_model_loads_under_its_file_name(name: str) -> None:
    errors = load_planner_errors(name)
    assert errors.name == name and errors.about and errors.source


def test_that_a_profile_names_its_planner_and_an_option_another() -> None:
    settings = Settings(
        task="halve_egg", robot="symbolic", method="vlm-planner", openness=0, pictures=False, seed=1
    )
    for options, claims in (({}, True), ({"answerer.planner": "babbling"}, False)):
        parts = make_components(replace(settings, options=options))
        try:
            events = events_of(parts)
        finally:
            parts.close()
        assert (events[-1].result is ev.EpisodeResult.SUCCEEDED) is claims
        assert events[-1].true_goal is claims
        assert not claims or only(events, ev.PlanMade)[0].change.reason.cause is Cause.FIRST_PLAN


def failing_once() -> int:
    return next(n for n in range(100) if sample(n, str(OPEN), 0) < 0.5 <= sample(n, str(OPEN), 1))
