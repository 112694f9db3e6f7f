"""Estimate the cost from a belief to the goal: plans from its states, and the price of a wrong one.

The value of a state is the cost of the planner's plan (as in QMDP: Littman, Cassandra and Kaelbling, 1995).
QMDP takes for granted that all doubt is gone after one step, so it never asks; here a plan made for one state
is followed in another until the free sensors tell them apart, and what that costs is the worth of knowing.
"""

from __future__ import annotations

from bisect import insort
from math import exp, log
from operator import itemgetter
from threading import Lock
from typing import NamedTuple

from core.errors import PlanningError
from core.methods.careful.error_model import ErrorModel
from core.methods.careful.horizon import Horizon, Takes
from core.methods.careful.hypotheses import Weights, goal_probability, normalized
from core.methods.careful.options import CarefulOptions
from core.methods.careful.plan_repair import PlanRepair, Steps
from core.methods.careful.rate_doubt import Habit
from core.methods.careful.world_model import WorldModel
from core.planners import BoundsSearches, Planner
from core.planning.remembered import Table, remembered
from core.planning_model import Plan, PlanStatus, Step
from core.stop_token import StopToken

NO_PLAN_COST = 40.0  # steps; about what a long episode costs
NEVER = 10**6  # steps that it takes at least where there is no plan
NOTICED_LATE = 3.0  # steps lost when a plan turns out to have come to nothing at its end
MAKING_SURE = 3.0  # steps that it takes to be sure of the goal once a plan has ended
SEARCHES = 1  # of the planner in a turn, at most
EXPANSIONS = 10  # of the planner in one of them
EXPANSIONS_TO_FOLLOW = 100  # of a state whose plan is to be followed; it takes some 50 ms
UNSEARCHED: tuple[float, Steps] = (NO_PLAN_COST / 2, ())  # of a state that nothing is known about yet
LOST: tuple[float, Steps] = (NO_PLAN_COST, ())  # of one from which nothing leads on
UNAVOIDABLE = 0.02  # doubt that a plan leaves in any case: its own steps go wrong unnoticed, too
UNDONE_TO_SEE, MOST_BEFORE = 6.0, 4  # steps to see what no look shows at the end; looks before it
TOLD = 0.5  # a look tells well of a doubt of which it leaves less
EVERYTHING = -1  # as facts' bits
FOLLOWED = 4  # plans of the likeliest hypotheses that are weighed against each other


class Regret(NamedTuple):
    """What following one state's plan costs while another is so."""

    takes: Takes
    reached: bool = False  # the goal, by then or at once: nothing can come too late
    missed: float = 0.0  # how likely it ends short of the goal without anybody having noticed
    to_see: float = 0.0  # steps to see it then: a look, or something has to be undone
    unseen: float = 1.0  # the share of such doubt that one look before it is hidden leaves
    last: bool = False  # only the picture now shows it: the plan's first step hides it
    noticed: tuple[int, int] | None = None  # the sensors notice: after how many steps, and in which state


class CostToGo:
    """Plans and costs by state. Calls of the planner are serialized: it may be used from one thread only.

    The first plan is the planner's. Later ones are ends of known plans, or made of the steps of known plans;
    where that fails, and for the plan that is followed, the planner is asked again, `SEARCHES` times a turn
    at most and within a bound.
    """

    def __init__(
        self, world: WorldModel, errors: ErrorModel, planner: Planner, options: CarefulOptions
    ) -> None:
        self.world, self._planner, self._options = world, planner, options
        self._repair = PlanRepair(world)
        self._lock = Lock()
        self._plans: dict[int, tuple[float, Steps]] = {}
        self._own: set[int] = set()  # states whose plan was made for them
        self._searched: set[int] = set()  # those that the planner was asked about for long enough
        self._searches_left = SEARCHES
        self.horizon, self.doubt_price = Horizon(), options.false_claim_cost
        self._prices = Table(self.horizon.price)  # of so many steps
        self._expected: dict[Weights, tuple[float, int | None]] = {}  # in this turn
        self._guesses = 0  # costs given of states without a plan, which may be found yet
        self._tails: list[tuple[float, Steps]] = []  # all plans and their ends, cheapest first
        self._known_tails: set[Steps] = set()
        self._regret: dict[int, dict[int, Regret]] = {}  # by the state of the plan, and the true one
        self._goal_information = _goal_information(world, errors)
        ways = zip(errors.ways, errors.prior, strict=True)
        self._misleading = sum([p for way, p in ways if way.habit not in (Habit.NONE, Habit.SEES)])
        self._look_information = {q: _look_information(errors, q) for q in world.seen}

    # --- one state ---------------------------------------------------------------------------------------

    def cost(self, state: int) -> float:
        """Return the expected number of step attempts from this state to the goal."""
        return self._planned(state)[0]

    def plan(self, state: int) -> Steps:
        """Return a plan from this state; () at the goal, and where there is none or none is known yet."""
        return self._planned(state)[1]

    def is_lost(self, state: int) -> bool:
        """Return True if no plan leads from this state to the goal, as far as was searched."""
        return self._planned(state) == LOST

    def best_plan(self, state: int) -> Steps:
        """Return a plan made for this very state, for a step that shall be done."""
        if not self.world.is_goal(state):
            with self._lock:
                if state not in self._own:
                    self._repaired(state)
                if state not in self._searched and self._searches_left > 0:
                    self._searches_left -= 1
                    self._search(state, EXPANSIONS_TO_FOLLOW)
        return self.plan(state)

    def begin(self, state: int) -> None:
        """Make the first plan, the longest search, before the first turn."""
        if not self.world.is_goal(state) and state not in self._searched:
            with self._lock:
                self._search(state)

    def new_turn(self) -> None:
        self._searches_left = SEARCHES
        self._expected.clear()

    def until(self, steps_left: int | None, doubt_price: float | None = None) -> None:
        """Weigh from now on what comes too late, None: no limit, and a doubt at the goal at this price, by
        default that of a false claim.
        """
        price = self._options.false_claim_cost if doubt_price is None else doubt_price
        if (steps_left, price) != (self.horizon.left, self.doubt_price):
            self.horizon, self.doubt_price = Horizon(steps_left, self._options.giving_up_cost), price
            self._prices = Table(self.horizon.price)
            self._expected.clear()

    def _planned(self, state: int) -> tuple[float, Steps]:
        if state in self._plans:
            return self._plans[state]
        if self.world.is_goal(state):
            return 0.0, ()
        with self._lock:
            if not self._reuse_plan(state) and not self._repaired(state) and self._searches_left > 0:
                self._searches_left -= 1
                self._search(state, EXPANSIONS)
        if state not in self._plans:
            self._guesses += 1
        return self._plans.get(state, UNSEARCHED)

    def _reuse_plan(self, state: int) -> bool:
        """Take over the cheapest known plan, or end of one, that also leads from here."""
        found = self._repair.first_leading(state, self._tails)
        if found is not None:
            self._plans[state] = found
        return found is not None

    def _repaired(self, state: int) -> bool:
        """Enter a plan of known steps. Return False if there is none within the bound."""
        self._own.add(state)
        steps = self._repair.plan(state)
        if steps:
            self._enter_all(state, steps)
        return bool(steps)

    def _search(self, state: int, expansions: int | None = None) -> None:
        """Enter the planner's plan of this state, or that there is none, unless the bound was too narrow."""
        self._own.add(state)
        if expansions != EXPANSIONS:
            self._searched.add(state)
        problem = self.world.problem.with_state(self.world.states[state])
        try:
            if expansions and isinstance(self._planner, BoundsSearches):
                plan = self._planner.plan_within(problem, expansions, StopToken())
            else:
                plan = self._planner.plan(problem, StopToken())
        except PlanningError:  # a hypothesis that the problem cannot express: nothing leads on from it
            plan = Plan(PlanStatus.FAILED)
        if plan.status is PlanStatus.FOUND:
            self._repair.learn(plan.steps)
            self._searched.update(self._enter_all(state, plan.steps))
        else:
            tried_hard = expansions is None or plan.status is not PlanStatus.TIMEOUT
            known = self._plans.get(state, UNSEARCHED)
            self._plans[state] = known if known[1] else LOST if tried_hard else UNSEARCHED

    def _enter_all(self, state: int, steps: Steps) -> list[int]:
        """Enter the plan of this state and of all states on its way, which it returns."""
        world, way = self.world, [state]
        for step in steps:
            way.append(world.after(way[-1], step))
        cost = 0.0
        for place in range(len(steps) - 1, -1, -1):
            cost += world.step_cost(way[place], steps[place])
            self._enter(way[place], steps[place:], cost)
            self._own.add(way[place])
        return way

    def _enter(self, state: int, steps: Steps, cost: float) -> None:
        """Keep the plan of a state if it is the cheapest so far: the planner counts steps, not attempts."""
        known = self._plans.get(state)
        if known is None or not known[1] or cost < known[0] - 1e-9:
            self._plans[state] = cost, steps
            if known is not None:  # what was computed from the dearer one
                self._regret.setdefault(state, {}).clear()
                for regrets in self._regret.values():
                    regrets.pop(state, None)
                self._expected.clear()
        if steps not in self._known_tails:
            self._known_tails.add(steps)
            insort(self._tails, (cost, steps), key=itemgetter(0))

    # --- a belief ----------------------------------------------------------------------------------------

    def price(self, state: int) -> float:
        """Return the price of the steps from this state to the goal."""
        return self._prices[self._takes(state)]

    def _takes(self, state: int, spent: float = 0.0, done: int = 0) -> Takes:
        """Return what it takes from this state to the goal, after so many steps that are `done`."""
        cost, steps = self._planned(state)
        return Takes(spent + cost, done + len(steps) + NEVER * self.is_lost(state))

    def price_of_a_step(self, weights: Weights) -> float:
        """Return what a step more costs on average: something else may then come too late."""
        return sum(p * self.horizon.of_a_step(self._takes(state)) for state, p in weights)

    def expected(self, weights: Weights) -> float:
        """Return the expected cost: of claiming now, or of following one of the likeliest plans."""
        return self._cheapest(weights)[0]

    def at_once(self, weights: Weights) -> float:
        """Return the same where nothing more is asked before the next step: `expected` counts on looks at
        what that step hides.
        """
        cost, leader = self._cheapest(weights)
        return cost + (self.looking_later(leader, weights) if leader is not None else 0.0)

    def _cheapest(self, weights: Weights) -> tuple[float, int | None]:
        if weights in self._expected:
            return self._expected[weights]
        goals, guesses = self.world.goals, self._guesses
        doubt = sum([p for s, p in weights if s not in goals])
        best, best_leader = self.doubt_price * doubt, None
        for leader in self.leaders(weights, FOLLOWED):
            following = self.following(leader, weights)
            if following < best:
                following += self.noticing(leader, weights)
                if following < best:
                    best, best_leader = following, leader
        if guesses == self._guesses:
            self._expected[weights] = best, best_leader
        return best, best_leader

    def leaders(self, weights: Weights, most: int) -> list[int]:
        """Return the likeliest states from which there is something to do."""
        found = []
        for state, _ in weights:
            known = self._plans.get(state)
            if known[1] if known else self.plan(state):
                found.append(state)
                if len(found) == most:
                    break
        return found

    def following(self, leader: int, weights: Weights) -> float:
        """Return the expected cost of one hypothesis's plan, and of making sure of the goal after it.

        What may have gone wrong unnoticed by then has to be found out: where that is hard to see, a plan that
        leaves less of it is worth more steps.
        """
        cost = doubt = unknown = 0.0
        hidden: list[tuple[float, Regret]] = []
        known, prices = self._regret.setdefault(leader, {}), self._prices
        for state, p in weights:
            regret = known.get(state) or self.wrong_plan(leader, state)
            cost += p * prices[regret.takes]
            if regret.reached:
                unknown += p * self.horizon.late(regret.takes)
            doubt += p * regret.missed
            if regret.to_see:
                hidden.append((p, regret))
        if hidden:
            cost += self._before_hidden(hidden)
        if unknown:  # what is reached already is claimed in the end as far as it is known now
            cost -= goal_probability(self.world, weights) * unknown * self._options.giving_up_cost
        return cost + self._looks(doubt, UNAVOIDABLE)

    def looking_later(self, leader: int, weights: Weights) -> float:
        """Return what `following` leaves out where nobody looks at what its first step hides."""
        regrets = [(p, self.wrong_plan(leader, state)) for state, p in weights]
        hidden = [(p, regret) for p, regret in regrets if regret.last]
        return self._before_hidden(hidden, 0) - self._before_hidden(hidden) if hidden else 0.0

    def _before_hidden(self, hidden: list[tuple[float, Regret]], most: int = MOST_BEFORE) -> float:
        """Return what doubts cost that the end of a plan hides: looks before it, which may not show them all,
        and then steps to see what is left.
        """
        look, best = self._options.look_cost + self._options.call_cost, NO_PLAN_COST
        for looks in range(most + 1):
            price = self.doubt_price * sum([p for p, _ in hidden])
            best = min(best, looks * look + min(price, self._seen_later(hidden)))
            if price <= look:  # another look costs more than all that it could bring
                break
            hidden = [(p * regret.unseen, regret) for p, regret in hidden]
        return best

    def _seen_later(self, hidden: list[tuple[float, Regret]]) -> float:
        """Return the steps that it takes to see what is hidden by then: on average, and as much of what a
        look before tells well as pays.
        """
        average = sum([p * regret.to_see for p, regret in hidden]) / sum([p for p, _ in hidden])
        told = [(p, regret.to_see) for p, regret in hidden if regret.unseen < TOLD]
        depths = {0.0, *(depth for _, depth in told)}
        left = ((n, sum([p for p, depth in told if depth > n])) for n in depths)
        return max(average, min(n + self.doubt_price * doubt for n, doubt in left))

    def noticing(self, leader: int, weights: Weights) -> float:
        """Return what `following` leaves out: to notice that a plan does not work is not to know why."""
        groups: dict[object, dict[int, float]] = {}
        for state, p in weights:
            noticed = self.wrong_plan(leader, state).noticed
            if noticed is not None:
                when, true = noticed
                group = groups.setdefault((when, self.world.readings(true)), {})
                group[true] = group.get(true, 0.0) + p
        more = 0.0
        for group in groups.values():
            share, left = sum(group.values()), normalized(group, len(group))
            known = sum(p * self.price(state) for state, p in left) + MAKING_SURE
            best = min((self.following(other, left) for other in self.leaders(left, FOLLOWED)), default=known)
            more += share * max(0.0, best - known)
        return more

    def stranded(self, leader: int, weights: Weights) -> float:
        """Return how likely following one hypothesis's plan leads to where no plan leads on."""
        return sum([p for state, p in weights if self.wrong_plan(leader, state).takes.least >= NEVER])

    def wrong_plan(self, leader: int, true: int) -> Regret:
        """Return the cost of the plan of `leader` while `true` is so."""
        regrets = self._regret.setdefault(leader, {})
        known = regrets.get(true)
        if known is None:
            known = Regret(self._takes(true)) if leader == true else self._followed(leader, true)
            regrets[true] = known
        return known

    def _followed(self, leader: int, true: int) -> Regret:
        world, reading, spent = self.world, self.world.reading, 0.0
        if reading(leader) != reading(true):
            return Regret(self._takes(true))
        way, plan, telling, reached = [(leader, true)], self.plan(leader), 0, world.is_goal(true)
        for number, step in enumerate(plan, 1):
            possible, done = world.is_possible(true, step), world.after(true, step)
            once = not possible or (reached and done == true)  # nothing has to work: it is not tried again
            spent += 1.0 if once else world.step_cost(true, step)
            leader, true = world.after(leader, step), done
            if not possible and (world.masks[leader] ^ world.masks[true]) & world.gains(step):
                telling |= world.needs(step)
            way.append((leader, true))
            reached = reached and world.is_goal(true)
            if reading(leader) != reading(true):
                late = NOTICED_LATE * min(1.0, world.attempts(step) - 1)
                return Regret(self._takes(true, spent + late, number), noticed=(number, true))
            if leader == true:
                return Regret(self._takes(true, spent, number), reached and world.is_goal(true))
        if world.is_goal(true):
            return Regret(Takes(spent, len(plan)), reached)
        telling |= world.masks[leader] ^ world.masks[true]  # nothing else that differs on the way tells of it
        shown = [self._visible_difference(*pair, telling) for pair in way]
        seen, here = 0.0, shown[0]  # nats that looks on the way bring, and one from here
        for step, nats in zip(plan, shown[1:], strict=True):
            if world.moves_camera(step):
                seen, here = seen + here, 0.0
            here = max(here, nats)
        takes = self._takes(true, spent + NOTICED_LATE, len(plan))
        to_see = 0.0 if shown[-1] else self._steps_to_see(leader, true, telling)
        last = to_see > 0 and shown[0] > 0 and not any(shown[1:])
        return Regret(takes, False, exp(-seen - here), to_see, exp(-max(shown)), last)

    def looked_at(self, weights: Weights, as_if: int, before: Step | None = None) -> Weights:
        """Return the belief after a look that shows what would be so in a state, as far as answers can be
        trusted; only at what a step would hide, if one is given.
        """
        after, left = self.world.after, dict[int, float]()
        for state, p in weights:
            nats = 0.0 if state == as_if else self._visible_difference(as_if, state, EVERYTHING)
            if nats and before is not None:
                later = self._visible_difference(after(as_if, before), after(state, before), EVERYTHING)
                nats *= later < nats
            left[state] = p * max(exp(-nats), self._misleading)
        return normalized(left, len(left))

    def _steps_to_see(self, one: int, true: int, among: int) -> float:
        """Return the steps until a picture tells by these facts that another state is true."""
        after, look = self.world.after, 1.0 + self._options.call_cost
        looks = self.world.looking_steps(one)
        told = (self._visible_difference(after(one, step), after(true, step), among) for step in looks)
        return look if any(told) else UNDONE_TO_SEE

    @remembered
    def _visible_difference(self, one: int, true: int, among: int) -> float:
        """Return the nats that a look at the true state brings about where, by these facts, it differs."""
        world, found = self.world, 0.0
        differing = frozenset(world.bits.atoms((world.masks[one] ^ world.masks[true]) & among))
        other = world.number(world.states[true] ^ differing)
        for atom in sorted(atom for atom in differing if atom.predicate in world.seen):
            state = true if atom in world.states[true] else other
            found = max(found, world.visible[atom][state] * self._look_information[atom.predicate])
        return found

    def making_sure(self, weights: Weights) -> float:
        """Return the looks that it takes until the goal can be claimed, once the likeliest plan has ended."""
        near = goal_probability(self.world, weights) > 0.5
        leader = weights[0][0]
        doubt = sum(p for state, p in weights if self.wrong_plan(leader, state).missed)
        return self._looks(doubt, 2 / self.doubt_price if near else UNAVOIDABLE)

    def _looks(self, doubt: float, least: float) -> float:
        """Return the looks at the goal that bring this doubt down to `least`."""
        if doubt <= least:
            return MAKING_SURE
        return MAKING_SURE + min(20.0, (_log_odds(doubt) - _log_odds(least)) / self._goal_information)


def _log_odds(p: float) -> float:
    p = min(0.5, p)
    return log(p / (1 - p))


def _goal_information(world: WorldModel, errors: ErrorModel) -> float:
    """Return the nats about the goal that one look at its least visible fact brings."""
    found = []
    for literal in world.problem.goal:
        if literal.predicate in world.seen:
            found.append(_look_information(errors, literal.predicate))
        elif literal.predicate not in world.sensed:
            found.append(0.03)
    return max(0.03, min(found, default=3.0))


def _look_information(errors: ErrorModel, predicate: str) -> float:
    """Return the nats about a fact that one look at it brings, with a second side of it now and then."""
    rates = errors.rates(predicate)
    yes, no = rates.if_true, rates.if_false
    return 1.5 * abs(yes * log(yes / no) + (1 - yes) * log((1 - yes) / (1 - no)))
