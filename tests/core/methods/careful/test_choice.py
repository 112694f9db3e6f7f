"""What is asked and done next."""

from __future__ import annotations

from dataclasses import replace
from types import MappingProxyType

import pytest

from core.belief import Belief
from core.domains import Skill
from core.methods.careful.choice import Act, ChoiceContext, Claim
from core.methods.careful.expected_views import ExpectedViews
from core.methods.careful.information import Picture
from core.methods.careful.options import CarefulOptions
from core.methods.careful.policy import Careful, _barren_looks
from core.planning.planner import make_planner
from core.planning_model import Action, Literal, Step, Typed
from core.policy import Context, GotAnswers, StepDone
from core.ports import StepResult, StepStatus
from tests.core import tiny
from tests.core.methods.careful.conftest import Stated
from tests.core.tiny import CLOSED, EMPTY, HOLDING, INSIDE, OPEN, TAKE

LOOK = Step("look", ("door",))


NOT_INSIDE = Literal("inside", ("key", "door"), False)


def looking(
    answerer: Stated, goal: Literal = NOT_INSIDE, stays_closed: float = 0.25, **options: object
) -> Careful:
    """The method with a step that only moves the camera, for a goal that no sensor reads."""
    action = Action("look", (Typed("?d", "door"),), (), ())
    domain = replace(tiny.DOMAIN, actions=(*tiny.DOMAIN.actions, action))
    folder = tiny.folder(stays_closed, 0.1)
    skills = {**folder.skills, "look": Skill("look", "look", moves_camera=True)}
    folder = replace(folder, domain=domain, skills=MappingProxyType(skills))
    problem = replace(tiny.PROBLEM, domain=domain, goal=(goal,))
    return Careful(folder, problem, make_planner(), answerer, CarefulOptions(rate_doubt=0, **options))


@pytest.mark.parametrize(
    ("price", "asked"),
    [(1000, True), (20, False)],
)
def test_that_answers_which_tell_little_are_asked_for_where_the_doubt_is_dear(careful, price, asked) -> None:
    method = careful(answerer=Stated(0.57, 0.43), false_claim_cost=price)
    number = method.world.number
    weights = ((number(frozenset({HOLDING})), 0.85), (number(frozenset({EMPTY, CLOSED})), 0.15))
    questions, unit = method.chooser.questions(weights, Picture())
    assert unit == "nats" and bool(questions) is asked


def test_that_what_a_call_would_save_is_less_by_its_cost(careful) -> None:
    method = careful(answerer=Stated(0.95, 0.05))
    number = method.world.number
    ajar = tiny.PROBLEM.state - {CLOSED}
    weights = ((number(frozenset({HOLDING})), 0.7), (number(ajar), 0.3))
    cost = method.costs.expected(weights)
    (only,) = method.information.of_model(weights, cost, Picture(), 3)
    assert 0 < method.chooser._asked_well(weights, cost, Picture()) < only.value


@pytest.mark.parametrize(("answered", "looks"), [(False, True), (True, False)])
def test_that_no_step_only_looks_where_the_answers_would_be_the_same_from_every_side(answered, looks) -> None:
    method = looking(Stated(0.95, 0.05), shared_errors=0.99)
    number = method.world.number
    weights = ((number(frozenset({EMPTY, CLOSED})), 0.85), (number(tiny.PROBLEM.state), 0.15))
    earlier = {INSIDE: {"front": False}} if answered else {}
    choice = method.chooser.choose(weights, ChoiceContext(picture=Picture("front", earlier)))
    assert (LOOK in choice.steps) is looks


@pytest.mark.parametrize(("view", "looks"), [("side", True), ("front", False)])
def test_that_no_step_only_looks_where_the_view_is_expected_to_be_one_that_was_answered(view, looks) -> None:
    method = looking(Stated(0.95, 0.05, persistence=0.99))
    number = method.world.number
    weights = ((number(frozenset({EMPTY, CLOSED})), 0.85), (number(tiny.PROBLEM.state), 0.15))
    picture, views = Picture("front", {INSIDE: {"front": False}}), ExpectedViews({LOOK: view})
    choice = method.chooser.choose(weights, ChoiceContext(picture=picture, views=views))
    assert (LOOK in choice.steps) is looks


def test_that_the_same_look_is_not_taken_a_third_time_before_anything_else_is_done() -> None:
    world = looking(Stated()).world
    looked = (StepDone(LOOK, StepResult(StepStatus.DONE)), GotAnswers((), ()))
    opened = StepDone(OPEN, StepResult(StepStatus.DONE))
    for history, barren in (
        (looked, set()),
        ((*looked, *looked), {LOOK}),
        ((*looked, opened, *looked), set()),
        (looked[:1], {LOOK}),  # nothing was answered about it
    ):
        context = Context(tiny.PROBLEM, Belief.from_init(tiny.PROBLEM.state), history=history)
        assert _barren_looks(context, world) == barren


@pytest.mark.parametrize(("learned", "purpose"), [(True, "again"), (False, "plan")])
def test_that_a_step_which_taught_nothing_when_it_was_done_again_is_not_done_once_more(
    careful, learned, purpose
) -> None:
    method = careful()
    number, closed = method.world.number, tiny.PROBLEM.state
    weights = ((number(frozenset(closed) - {CLOSED}), 0.75), (number(closed), 0.25))
    choice = method.chooser.choose(weights, ChoiceContext(last=OPEN, learned=learned))
    assert choice.purpose == purpose


@pytest.mark.parametrize(("times", "tried"), [(1, OPEN), (2, OPEN), (3, TAKE)])
def test_that_a_step_is_given_up_for_another_once_it_can_hardly_have_failed_so_often(
    careful, times, tried
) -> None:
    method = careful()
    number, closed = method.world.number, tiny.PROBLEM.state
    weights = ((number(closed), 0.85), (number(frozenset(closed) - {CLOSED}), 0.15))
    choice = method.chooser.choose(weights, ChoiceContext(last=OPEN, in_a_row=times, learned=False))
    assert choice.steps[0] == tried


@pytest.mark.parametrize(("doubt", "purpose"), [(0.1, "again"), (0.08, "plan"), (0.05, "plan")])
def test_that_a_step_is_repeated_only_where_that_brings_clearly_more_than_it_costs(
    careful, doubt, purpose
) -> None:
    method = careful()
    number, closed = method.world.number, tiny.PROBLEM.state
    weights = ((number(frozenset(closed) - {CLOSED}), 1 - doubt), (number(closed), doubt))
    choice = method.chooser.choose(
        weights, ChoiceContext(last=OPEN, learned=True)
    )  # it brings 0.5; 0.2; -0.25
    assert choice.purpose == purpose


@pytest.mark.parametrize(("answerer", "looks"), [(Stated(0.65, 0.35), False), (Stated(0.95, 0.05), True)])
def test_that_a_look_comes_before_a_claim_only_where_it_tells_enough(answerer, looks) -> None:
    opened = Literal("closed", ("door",), False)
    method = looking(answerer, opened, 0.9)  # opening it once more leaves as much doubt
    number = method.world.number
    weights = (number(frozenset({EMPTY, INSIDE})), 0.995), (number(tiny.PROBLEM.state), 0.005)
    choice = method.chooser.choose(weights, ChoiceContext(picture=Picture("front")))
    assert choice == (Act((LOOK,), "look") if looks else Claim())


@pytest.mark.parametrize(("left", "price"), [(None, 1.0), (2, 60.0)])
def test_that_a_step_costs_more_where_steps_are_scarce(careful, left, price) -> None:
    method = careful()
    method.costs.until(left)
    number, closed = method.world.number, frozenset(tiny.PROBLEM.state)
    weights = (number(closed), 0.7), (number(closed - {CLOSED}), 0.3)
    assert method.costs.price_of_a_step(weights) == pytest.approx(price, rel=0.2)


@pytest.mark.parametrize(("giving_up", "claims"), [(400.0, True), (200.0, False)])
def test_that_what_is_too_doubtful_is_not_claimed_although_nothing_would_help(giving_up, claims) -> None:
    opened = Literal("closed", ("door",), False)
    method = looking(Stated(0.51, 0.49), opened, 1.0, giving_up_cost=giving_up)  # the door never opens
    number = method.world.number
    weights = (number(frozenset({EMPTY, INSIDE})), 0.85), (number(tiny.PROBLEM.state), 0.15)
    choice = method.chooser.choose(weights, ChoiceContext(picture=Picture("front")))
    assert isinstance(choice, Claim) is claims
