"""What is still to be paid from a state, and what following a wrong plan costs."""

from __future__ import annotations

from dataclasses import replace
from math import exp
from unittest.mock import patch

import pytest

from core.domains import DomainSpec, Perception, Situation, Skill
from core.methods.careful.cost_to_go import Regret
from core.methods.careful.horizon import Takes
from core.methods.careful.policy import Careful
from core.methods.careful.world_model import NOTHING_HAPPENS
from core.planning.planner import make_planner
from core.planning_model import Literal, Plan, PlanStatus
from tests.core import tiny
from tests.core.methods.careful.conftest import Stated
from tests.core.tiny import CLOSED, EMPTY, HOLDING, INSIDE, OPEN, TAKE

SHUT = tiny.PROBLEM.state


def unfeeling() -> DomainSpec:
    """The folder, with a robot that senses nothing."""
    folder = tiny.folder(0.25, 0.1)
    specs = dict(folder.predicate_specs)
    for name in ("holding", "handempty"):
        specs[name] = replace(specs[name], perception=Perception.NONE)
    return replace(folder, predicate_specs=specs)


AJAR = SHUT - {CLOSED}


def test_that_a_step_counts_as_often_as_it_has_to_be_tried(careful) -> None:
    method = careful()
    expected = 1 / (0.75 - NOTHING_HAPPENS) + 1 / (0.9 - NOTHING_HAPPENS)
    assert method.costs.cost(method.world.number(SHUT)) == pytest.approx(expected)
    assert method.costs.plan(method.world.number(SHUT)) == (OPEN, TAKE)


def test_that_what_the_end_hides_is_looked_at_as_often_as_it_pays(careful) -> None:
    costs = careful(look_cost=0.05, call_cost=0.0, false_claim_cost=1000).costs
    shown, never = (Regret(Takes(1.0, 1), to_see=6.0, unseen=left) for left in (exp(-2), 1.0))
    assert costs._before_hidden([(0.1, shown)]) == pytest.approx(4 * 0.05 + 100 * exp(-8))
    assert costs._before_hidden([(0.1, never._replace(to_see=1.6))]) == pytest.approx(
        1.6
    )  # a step shows it then
    both = costs._before_hidden([(0.1, shown), (0.001, never)])  # looks that show the one leave the other
    assert both == pytest.approx(4 * 0.05 + 100 * exp(-8) + 1)


def test_that_what_looks_tell_well_is_dear_to_hide_however_little_it_is(careful) -> None:
    costs = careful(false_claim_cost=1000).costs
    often, told, untold = (
        (p, Regret(Takes(1.0, 1), to_see=steps, unseen=left))
        for p, steps, left in ((0.09, 1.0, 0.1), (0.01, 6.0, 0.1), (0.01, 6.0, 0.9))
    )
    assert costs._seen_later([often, untold]) == pytest.approx(1.5)  # on average
    assert costs._seen_later([often, told]) == 6


def test_that_one_search_answers_for_all_states_on_the_way(careful) -> None:
    method = careful()
    planner = method.costs._planner
    with patch.object(planner, "plan_within", wraps=planner.plan_within) as asked:
        for state in (SHUT, AJAR, SHUT - {INSIDE, EMPTY} | {HOLDING}):
            method.costs.plan(method.world.number(state))
    assert asked.call_count == 1


def test_that_an_older_plan_which_leads_from_here_too_is_used_until_a_step_is_done(careful) -> None:
    method = careful()
    number, costs = method.world.number, method.costs
    costs.plan(number(SHUT))
    assert costs.plan(number(AJAR)) == costs.best_plan(number(AJAR)) == (TAKE,)


def test_that_the_planner_is_asked_once_a_turn_at_most_and_never_twice_about_a_state(careful) -> None:
    method = careful()
    planner = method.costs._planner
    lost = [method.world.number(s) for s in (frozenset({EMPTY}), frozenset({CLOSED}), frozenset({INSIDE}))]
    with patch.object(planner, "plan_within", wraps=planner.plan_within) as asked:
        for turn in range(1, 6):
            method.costs.new_turn()
            assert all(method.costs.plan(state) == () for state in lost)
            assert asked.call_count == min(turn, 3)
    assert all(map(method.costs.is_lost, lost))


def test_that_a_state_is_not_lost_before_anything_was_searched(careful) -> None:
    method = careful()
    method.costs._searches_left = 0
    lost = method.world.number(frozenset({EMPTY}))
    assert method.costs.plan(lost) == () and not method.costs.is_lost(lost)


def test_that_a_search_which_was_broken_off_proves_nothing(careful) -> None:
    method = careful()
    costs, shut, lost = method.costs, method.world.number(SHUT), method.world.number(frozenset({EMPTY}))
    with patch.object(costs._planner, "plan_within", return_value=Plan(PlanStatus.TIMEOUT)):
        assert costs.plan(shut) == () and not costs.is_lost(shut)
        costs.new_turn()
        assert costs.best_plan(shut) == () and not costs.is_lost(shut)
    costs._searched.clear()
    costs.begin(shut)
    assert costs.plan(shut) == (OPEN, TAKE)
    costs.begin(lost)
    assert costs.is_lost(lost)


def test_that_the_planner_is_asked_about_the_state_whose_plan_is_followed(careful) -> None:
    method = careful()
    costs, shut = method.costs, method.world.number(SHUT)
    costs._enter(shut, (OPEN, tiny.SHUT, OPEN, TAKE), 9.0)
    costs._own.add(shut)
    assert costs.best_plan(shut) == (OPEN, TAKE)


def test_that_a_plan_which_leaves_much_unnoticed_costs_the_looks_that_find_it(careful) -> None:
    costs = careful().costs
    assert costs._looks(0.01, 0.1) == costs._looks(0.1, 0.1) < costs._looks(0.3, 0.1) < costs._looks(0.4, 0.1)


def test_that_a_state_without_a_plan_costs_more_than_any_plan(careful) -> None:
    method = careful()
    lost = method.world.number(frozenset({EMPTY}))
    assert method.costs.plan(lost) == ()
    shut = method.world.number(SHUT)
    assert method.costs.wrong_plan(lost, shut).takes.steps > 0  # following it is doing nothing
    assert method.costs.cost(lost) > method.costs.cost(shut)
    method.costs.until(50)
    assert method.costs.price(lost) == 50 + 100 > method.costs.price(shut) + 100


def test_that_following_a_wrong_plan_costs_more_than_the_right_one(careful) -> None:
    method = careful()
    shut, ajar = method.world.number(SHUT), method.world.number(AJAR)
    assert method.costs.wrong_plan(ajar, shut).takes.steps > method.costs.cost(shut)
    assert method.costs.wrong_plan(shut, shut).takes.steps == method.costs.cost(shut)


def test_that_what_fails_mostly_is_not_tried_again_where_the_goal_is_reached() -> None:
    shut = replace(tiny.DOMAIN.actions[1], precondition=())  # once more does no harm
    domain, goal = replace(tiny.DOMAIN, actions=(shut,)), (Literal("closed", ("door",)),)
    folder = replace(tiny.folder(), skills={"shut": Skill("shut", "close", (Situation("stays open", 0.8),))})
    method = Careful(folder, replace(tiny.PROBLEM, domain=domain, state=AJAR, goal=goal), make_planner())
    ajar, reached = method.world.number(AJAR), method.world.number(SHUT)
    assert method.costs.cost(ajar) > 5 and method.costs.wrong_plan(ajar, reached).takes.steps == 1


def test_that_what_a_picture_shows_on_the_way_is_missed_less(careful) -> None:
    lost = frozenset({EMPTY, CLOSED})  # whoever opens and takes, takes nothing; the hand is not felt
    sharp, dull = (careful(unfeeling(), Stated(yes, 1 - yes)) for yes in (0.9, 0.55))
    missed = [m.costs.wrong_plan(m.world.number(SHUT), m.world.number(lost)).missed for m in (sharp, dull)]
    assert 0 < missed[0] < 0.3 < missed[1] < 1


def test_that_a_plan_which_comes_too_late_costs_what_giving_up_does(careful) -> None:
    method = careful(giving_up_cost=100)
    weights = ((method.world.number(SHUT), 1.0),)
    prices = []
    for left in (None, 50, 1):
        method.costs.until(left)
        prices.append(method.costs.expected(weights))
    assert prices[1] == pytest.approx(prices[0], abs=0.1) and prices[2] > prices[0] + 80


@pytest.mark.parametrize(("sure", "price"), [(1.0, 3), (0.5, 3 + 75), (0.0, 3 + 100)])
def test_that_what_is_reached_comes_too_late_as_far_as_it_is_not_known(careful, sure, price) -> None:
    method = careful(unfeeling(), giving_up_cost=100)
    ajar, reached = (method.world.number(s) for s in (AJAR, frozenset({HOLDING})))
    method.costs.until(0)
    assert method.costs.wrong_plan(ajar, reached).reached
    weights = ((reached, sure), (ajar, 1 - sure))
    assert method.costs.following(ajar, weights) == pytest.approx(price, abs=1)


def test_that_expected_costs_do_not_take_for_known_what_is_only_noticed(careful) -> None:
    method = careful()
    shut, ajar, lost = (method.world.number(s) for s in (SHUT, AJAR, frozenset({EMPTY})))
    method.costs.begin(shut)
    weights = ((ajar, 0.5), (shut, 0.25), (lost, 0.25))
    follow = [method.costs.following(s, weights) + method.costs.noticing(s, weights) for s in (ajar, shut)]
    assert method.costs.expected(weights) == pytest.approx(min(follow))


def test_that_to_notice_that_a_plan_does_not_work_is_not_to_know_why(careful) -> None:
    method = careful()
    shut, ajar, lost = (method.world.number(s) for s in (SHUT, AJAR, frozenset({EMPTY})))
    method.costs.begin(shut)
    assert method.costs.wrong_plan(ajar, shut).noticed == (1, shut)
    one_way_to_be_wrong, two_ways = ((ajar, 0.5), (shut, 0.5)), ((ajar, 0.5), (shut, 0.25), (lost, 0.25))
    assert method.costs.noticing(ajar, one_way_to_be_wrong) == pytest.approx(0)
    assert method.costs.noticing(ajar, two_ways) > 0.1


def test_that_a_cheaper_plan_is_what_counts_from_then_on(careful) -> None:
    method, fresh = careful(), careful()
    shut, ajar = [(method.world.number(state), fresh.world.number(state))[0] for state in (SHUT, AJAR)]
    costs, weights = method.costs, ((shut, 0.6), (ajar, 0.4))
    costs._enter(shut, (tiny.SHUT, OPEN, TAKE), 20.0)
    dear = costs.following(shut, weights)
    costs._enter(shut, (OPEN, TAKE), fresh.costs.cost(shut))
    assert costs.following(shut, weights) == fresh.costs.following(shut, weights) < dear
