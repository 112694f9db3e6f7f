"""Decide if a plan is worth following before the goal is claimed: optimal stopping, one step ahead (DeGroot,
Optimal Statistical Decisions, 1970, chapter 12).

The goal cannot be made sure of without end: what is done once more may go wrong unnoticed once more.
"""

from __future__ import annotations

from collections.abc import Iterable
from math import inf

from core.methods.careful.bayes_filter import BayesFilter
from core.methods.careful.cost_to_go import CostToGo
from core.methods.careful.hypotheses import Weights, goal_probability
from core.planning_model import Step

CHECKED = 3  # hypotheses whose next step may be such a check


def price_of_claiming(filter_: BayesFilter, weights: Weights, false_claim_cost: float) -> float:
    """Return what claiming now costs on average, in steps."""
    goals = filter_.world.goals
    return false_claim_cost * sum([p for state, p in weights if state not in goals])


def cheapest_plan(
    filter_: BayesFilter, costs: CostToGo, weights: Weights, leaders: Iterable[int], false_claim_cost: float
) -> tuple[float, int]:
    """Return what the cheapest of the plans of these hypotheses costs, doubt included, and whose it is; -1
    where claiming the goal now costs no more.
    """
    near = goal_probability(filter_.world, weights) > 0.5
    least, best = price_of_claiming(filter_, weights, false_claim_cost), -1
    by_cost = sorted(
        (costs.following(s, weights) + costs.noticing(s, weights), n, s) for n, s in enumerate(leaders)
    )
    for cost, _, leader in by_cost:
        if cost >= least - 1e-9:
            break
        if near:
            left = gone_well(filter_, costs, leader, weights)
            cost += price_after_check(filter_, costs, left, false_claim_cost)
        if cost < least - 1e-9:
            least, best = cost, leader
    return least, best


def gone_well(filter_: BayesFilter, costs: CostToGo, leader: int, weights: Weights) -> Weights:
    """Return the belief after a hypothesis's plan if it seems to go well, also in a picture of each thing
    before it is hidden: its own steps may go wrong unnoticed, and what it does not touch stays as doubtful
    as it is.
    """
    world = filter_.world
    for step in costs.plan(leader):
        weights = costs.looked_at(weights, leader, step)
        leader = world.after(leader, step)
        after = filter_.gone_well(weights, step, world.reading(leader))
        if not after:
            break
        weights = after
    return costs.looked_at(weights, leader)


def price_after_check(
    filter_: BayesFilter, costs: CostToGo, weights: Weights, false_claim_cost: float
) -> float:
    """Return what claiming costs now, or after a step whose success or failure tells, if that is cheaper."""
    best = price_of_claiming(filter_, weights, false_claim_cost)
    if best > 1:
        for step in first_steps(costs, costs.leaders(weights, CHECKED)):
            best = min(best, price_of_check(filter_, costs, weights, step, false_claim_cost))
    return best


def price_of_check(
    filter_: BayesFilter, costs: CostToGo, weights: Weights, step: Step, false_claim_cost: float
) -> float:
    """Return what a step and then claiming cost, if its success or failure tells: what cannot be taken from
    the bench is not on it. Where the goal is then out of reach it has to be reached, and checked, again.
    """
    cost, again = 1.0, 0.0
    for p, after in filter_.reported(weights, step):
        if goal_probability(filter_.world, after) > 0.5:
            cost += p * price_of_claiming(filter_, after, false_claim_cost)
        else:
            again += p
            cost += p * costs.expected(after)
    return cost / (1 - again) if again < 0.5 else inf


def first_steps(costs: CostToGo, leaders: Iterable[int]) -> Iterable[Step]:
    """Return the steps with which the plans of these hypotheses begin, each once."""
    return dict.fromkeys(costs.plan(leader)[0] for leader in leaders)
