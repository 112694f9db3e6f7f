from __future__ import annotations

import pytest

from core.belief import Atom
from core.errors import BadValue
from core.planning.domain_library import load_domain_spec
from core.planning.planner import make_planner
from core.planning_model import Literal, PlanStatus, Problem, Step
from core.stop_token import StopToken
from core.wish import Wish
from core.wishes.hand_written import hand_written
from core.wishes.wish_planner import compile_wish, label_of

SPEC = load_domain_spec("tabletop-wishes")
WRITTEN = {task: wish for task in SPEC.tasks if (wish := hand_written(task, ""))}
BERRY = SPEC.tasks["berry_cook"].problem


def planned(problem: Problem, wish: Wish, *learnt: Atom) -> list[str]:
    plan = make_planner().plan(compile_wish(problem, wish, learnt), StopToken())
    assert plan.status is PlanStatus.FOUND
    return [" ".join((step.name.partition("__")[0], *step.args)) for step in plan.steps]


@pytest.mark.parametrize("task", WRITTEN)
def test_that_every_shipped_wish_has_a_plan_with_its_steps_in_their_order(task: str) -> None:
    wish = WRITTEN[task]
    plan = make_planner().plan(compile_wish(SPEC.tasks[task].problem, wish), StopToken())
    labelled = [step for step in plan.steps if label_of(step) is not None]
    assert [label_of(step) for step in labelled] == list(range(len(wish.steps)))
    assert [step.args for step in labelled] == [step.args for step in wish.steps]
    assert all(0 <= number < len(wish.steps) for number in wish.tests)


def test_that_the_paper_s_wishes_are_written_and_no_other() -> None:
    assert len(WRITTEN) == 11
    assert hand_written("unknown", "") is None


def test_that_the_originals_clear_away_what_was_found_to_block_a_place() -> None:
    problem = SPEC.tasks["berry_2"].problem
    steps = planned(problem, WRITTEN["berry_2"], Atom("blocks", ("potted_meat_can", "light_grey_region")))
    assert (
        steps[:2] == ["pick potted_meat_can", "place_ontop potted_meat_can table_surface"] and len(steps) == 4
    )


def test_that_what_lies_is_stood_up_before_something_is_put_into_it() -> None:
    problem, wish = SPEC.tasks["mug_2"].problem, WRITTEN["mug_2"]
    first, second, *rest = planned(problem, wish, Atom("lies", ("mug",)))
    assert (first, second) == ("pick mug", "place_ontop mug table_surface")
    assert rest == planned(problem, wish)


def test_that_a_step_that_is_none_of_the_problems_is_refused_in_a_sentence() -> None:
    for step, why in (
        (Step("fly", ("strawberry",)), "there is no action named 'fly'"),
        (Step("pick", ("unicorn",)), "there is no object named 'unicorn'"),
        (Step("place_inside", ("bowl", "bowl")), "never possible"),
    ):
        with pytest.raises(BadValue, match=why):
            compile_wish(BERRY, Wish("", (step,), (Literal("handempty"),)))
