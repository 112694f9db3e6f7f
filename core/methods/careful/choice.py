"""Choose the next step, look or claim, or nothing more. Pure functions of the hypotheses.

The first steps of the likeliest plans are weighed against claiming the goal, by expected cost. Before one is
done, three cheaper things may be better: the step just done once more, where that can do no harm, a look from
elsewhere, and a step that only moves the camera.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from math import log

from core.methods.careful.bayes_filter import BayesFilter
from core.methods.careful.before_claim import (
    cheapest_plan,
    first_steps,
    price_of_check,
    price_of_claiming,
)
from core.methods.careful.cost_to_go import MAKING_SURE, CostToGo
from core.methods.careful.expected_views import ExpectedViews
from core.methods.careful.hypotheses import Weights, doubtful, goal_probability, normalized
from core.methods.careful.information import LEAST_SHOWN, Information, Picture, Worth
from core.methods.careful.options import CarefulOptions
from core.methods.careful.plan_repair import Steps
from core.planning_model import Step

HOPELESS = 0.95  # give up once so much of the belief has no plan
CLEAR = 0.995  # a hypothesis this likely needs no look of its own
QUESTION_COST = 0.1  # steps; less than this is not asked
LEAST_GAIN = 0.03  # log-odds of the goal that a step must bring, each
FEWEST_NATS = 0.03  # about the goal, for a call to be made, and for each step of a look
MOST_NATS = 0.2  # the same: with more, the answer is worth its price in any case
LOOK_MARGIN = 0.3  # steps that a step which only looks must bring beyond its cost
TRIES = 2  # of a step whose success or failure tells, in a row
REPEAT_MARGIN = 0.3  # the same of repeating a step
IN_VAIN = 0.05  # probability that a step fails so often in a row
LEADERS = 6  # plans that are weighed
LOOKS = 8  # steps that look, weighed at a time
SURE, SURE_OF_GOAL = 0.01, 0.002  # doubt of which no look is taken; the same near the goal
FEW = 6  # most doubtful atoms with which a look is judged


@dataclass(frozen=True)
class Claim:
    """The goal is likely enough to be claimed."""


@dataclass(frozen=True)
class NoPlan:
    """Nothing leads to the goal from what is believed."""


@dataclass(frozen=True)
class Act:
    """Do the first of these steps."""

    steps: Steps
    purpose: str = "plan"  # or "again", "look": why it is not simply the likeliest plan


@dataclass(frozen=True)
class Look:
    """Look from the next viewpoint."""


@dataclass(frozen=True)
class Unsure:
    """The goal is likely, but too doubtful to be claimed, and no step is left."""


Choice = Claim | NoPlan | Act | Look | Unsure


@dataclass(frozen=True)
class ChoiceContext:
    """What the choice depends on, besides the hypotheses."""

    last: Step | None = None  # the step just done
    in_a_row: int = 0  # how often, without another one in between
    learned: bool = True  # something was learned since then
    picture: Picture = field(default_factory=Picture)
    fresh_view: bool = False  # the robot can look from a viewpoint that was not used in this turn
    views: ExpectedViews = field(default_factory=ExpectedViews)
    steps_left: int | None = None  # until the episode ends; None: no limit
    barren: frozenset[Step] = frozenset()  # looks that have just brought no answer


class ActionSelector:
    """Pure."""

    def __init__(
        self, filter_: BayesFilter, costs: CostToGo, information: Information, options: CarefulOptions
    ) -> None:
        self.filter, self.costs, self.information, self.options = filter_, costs, information, options
        self.world = filter_.world

    # --- questions ---------------------------------------------------------------------------------------

    def questions(self, weights: Weights, picture: Picture) -> tuple[list[Worth], str]:
        """Return what to ask the model about this picture, best first, and "steps" or "nats" as the unit."""
        sure = goal_probability(self.world, weights)
        if sure > 0.5 and self.costs.doubt_price * (1 - sure) > 1:
            found, unit = [] if picture.asked else self._about_goal(weights, picture), "nats"
        else:
            worth = self.information.of_model(weights, self.costs.at_once(weights), picture)
            found, unit = self._worth_a_call(worth), "steps"
        if found:  # in a call that is made anyway, it costs nothing to ask if what seems sure is so
            for more in (self.information.of_sure, self.information.of_goal):
                found = [*found, *more(weights, picture, {worth.atom for worth in found})]
            found = found[: self.options.questions]
        return found, unit

    def _about_goal(self, weights: Weights, picture: Picture) -> list[Worth]:
        """Return the questions of a call about the goal."""
        found = self.information.about_goal(weights, picture)[: self.options.questions]
        found = [w for w in found if w.value > 0.2 * found[0].value]
        least = self.options.call_cost * self._price_of_a_nat(weights)
        return found if sum(w.value for w in found) >= least else []

    def _price_of_a_nat(self, weights: Weights) -> float:
        """Return the nats about the goal that are worth a step: one divides the doubt by e."""
        doubt = 1 - goal_probability(self.world, weights)
        worth = 0.3 * self.costs.doubt_price * doubt  # half of it: a second answer is less news
        return max(FEWEST_NATS, min(MOST_NATS, 1 / max(worth, 1e-9)))

    def _worth_a_call(self, found: list[Worth]) -> list[Worth]:
        found = [w for w in found if w.value > QUESTION_COST][: self.options.questions]
        return found if _together(found) > self.options.call_cost else []

    # --- the choice --------------------------------------------------------------------------------------

    def choose(self, weights: Weights, now: ChoiceContext) -> Choice:
        world, costs = self.world, self.costs
        unfinished = [(s, p) for s, p in weights if not world.is_goal(s)]
        if sum(p for s, p in unfinished if costs.is_lost(s)) > HOPELESS:
            return NoPlan()
        if now.steps_left == 0:
            return self._at_the_end(weights, now)
        price = self.costs.doubt_price
        leaders = costs.leaders(weights, LEADERS)
        claiming = price_of_claiming(self.filter, weights, price)
        if not leaders and claiming > self.options.giving_up_cost:  # no plan within the bounds: search on
            costs.begin(unfinished[0][0])
            leaders = costs.leaders(weights, LEADERS)
            if not leaders:
                return NoPlan() if goal_probability(world, weights) < 0.5 else Unsure()
        cost, leader = cheapest_plan(self.filter, costs, weights, leaders, price)
        if leader < 0:
            look: Act | Look | None = None
            if claiming > MAKING_SURE:
                look = self._telling_look(weights, now, self._price_of_a_nat(weights))
                look = look or self._tried(weights, now, leaders, claiming)
            if look or claiming <= self.options.giving_up_cost:
                return look or Claim()
            leader = leaders[0]  # too doubtful to be claimed, whatever else it costs
        steps = costs.best_plan(leader)
        if steps[0] == now.last and self._in_vain(now, steps[0]):  # try the next hypothesis
            others = (costs.plan(s) for s in leaders if costs.plan(s)[0] != steps[0])
            steps = next(others, steps)
        if again := self._repeated(weights, now, steps[0], cost):
            return again
        if weights[0][1] >= CLEAR:
            return Act(steps)
        if goal_probability(world, weights) > 0.5:
            return self._make_sure(weights, now) or Act(steps)
        cost += costs.looking_later(leader, weights)
        return self._look_first(weights, now, steps[0], cost) or Act(steps)

    def _in_vain(self, now: ChoiceContext, step: Step) -> bool:
        """Return True if a step that taught nothing was done more often than it can well have failed."""
        fails = 1 - 1 / self.world.attempts(step)
        return not now.learned and fails**now.in_a_row < IN_VAIN

    def _at_the_end(self, weights: Weights, now: ChoiceContext) -> Choice:
        """Return the last choice of an episode: looking costs no step, and giving up has a price too."""
        doubt = 1 - goal_probability(self.world, weights)
        if doubt < 0.5 and self.costs.doubt_price * doubt > 1 and now.fresh_view:
            return Look()
        if self.costs.doubt_price * doubt <= self.options.giving_up_cost:
            return Claim()
        if doubt < 0.5:
            return Unsure()
        leaders = self.costs.leaders(weights, 1)
        return Act(self.costs.plan(leaders[0])) if leaders else NoPlan()

    def _repeated(self, weights: Weights, now: ChoiceContext, instead: Step, best: float) -> Act | None:
        """Return the step just done, where doing it again changes nothing if it worked and helps if not."""
        top, step = weights[0][0], now.last
        if step is None or step == instead or weights[0][1] >= 0.995 or self.world.is_goal(top):
            return None
        if not now.learned:  # the last time it changed nothing, nor will it the next time
            return None
        if any(after != top for after, *_ in self.filter.outcomes(step)[top]):
            return None
        before = best + self.costs.making_sure(weights)
        gain = -self.costs.price_of_a_step(weights) + sum(
            p * (before - self.costs.making_sure(after) - self.costs.expected(after))
            for p, after in self._after(weights, step)
        )
        return Act((step,), "again") if gain > REPEAT_MARGIN else None

    def _tried(self, weights: Weights, now: ChoiceContext, leaders: list[int], claiming: float) -> Act | None:
        """Return the first step of a plan whose success or failure tells enough about the goal."""
        top, best = REPEAT_MARGIN, None
        for step in first_steps(self.costs, leaders):
            if step == now.last and now.in_a_row >= TRIES:
                continue
            cost = price_of_check(self.filter, self.costs, weights, step, self.costs.doubt_price)
            if claiming - cost > top:
                top, best = claiming - cost, Act((step,), "again")
        return best

    def _make_sure(self, weights: Weights, now: ChoiceContext) -> Act | Look | None:
        """Return what brings the most certainty about the goal for its price: a look, or doing it again."""
        again, steps = self._again(weights)
        look = self._telling_look(weights, now, again)
        return look or (Act(steps, "again") if steps else None)

    def _telling_look(self, weights: Weights, now: ChoiceContext, least: float) -> Act | Look | None:
        """Return the look that brings most nats about the goal for each step it costs; more than `least`."""
        discount = self.costs.horizon.discount(self.costs.price_of_a_step(weights))  # questions take none
        top, choice, call = least, None, self.options.call_cost * discount
        looks: list[tuple[Act | Look, float, str, list[tuple[float, Weights]]]] = []
        if now.fresh_view:
            price = self.options.look_cost * discount
            looks.append((Look(), price, now.views.from_side, [(1.0, weights)]))
        for step in self._looking_steps(weights, now):
            price = 1.0 + self._undone(weights[0][0], step)
            looks.append((Act((step,), "look"), price, now.views.after(step), self._after(weights, step)))
        for look, cost, view, beliefs in looks:
            picture = _picture_from(now, view)
            told = ((p, self._about_goal(after, picture)) for p, after in beliefs)
            gain = sum(p * sum(w.value for w in found) for p, found in told) / (cost + call)
            if gain > top:
                top, choice = gain, look
        return choice

    def _undone(self, state: int, step: Step) -> float:
        """Return the steps that it takes on average to make good what a look may undo."""
        price, ways = self.costs.price, self.filter.outcomes(step)[state]
        return sum((done + failed) * max(0.0, price(s) - price(state)) for s, _, done, failed in ways)

    def _again(self, weights: Weights) -> tuple[float, Steps]:
        """Return the log-odds of the goal that a step of the best plan brings, and that plan; not of one
        that may end where nothing leads on.
        """
        top, best = LEAST_GAIN, tuple[Step, ...]()
        done = _log_odds(goal_probability(self.world, weights))
        plans = dict[Steps, int]()
        for state, _ in weights[:12]:
            plans.setdefault(self.costs.plan(state), state)
        for steps, leader in plans.items():
            if steps and self.costs.stranded(leader, weights) < SURE:
                gain = self._log_odds_after(weights, steps) - done
                gain /= sum(map(self.world.attempts, steps))
                if gain > top:
                    top, best = gain, steps
        return top, best

    def _look_first(
        self, weights: Weights, now: ChoiceContext, instead: Step, best: float
    ) -> Act | Look | None:
        """Return a look that saves more steps than it costs."""
        top: float = 0.0
        choice: Act | Look | None = None
        if now.fresh_view:
            from_side = _picture_from(now, now.views.from_side)
            gain = self._asked_well(weights, best, from_side) - self.options.look_cost
            if gain > top:
                top, choice = gain, Look()
        price = self.costs.price_of_a_step(weights)
        for step in self._looking_steps(weights, now):
            if step == instead:
                continue
            gain, anew = -LOOK_MARGIN, _picture_from(now, now.views.after(step))
            for p, after in self._after(weights, step):
                cost = self.costs.expected(after)
                gain += p * (self._asked_well(after, cost, anew) + best - cost - price)
            if gain > top:
                top, choice = gain, Act((step,), "look")
        return choice

    # --- what would follow -------------------------------------------------------------------------------

    def _asked_well(self, weights: Weights, cost: float, picture: Picture) -> float:
        """Return the steps that a call about a picture would save."""
        found = self._worth_a_call(self.information.of_model(weights, cost, picture, FEW))
        return _together(found) - QUESTION_COST if found else 0.0

    def _after(self, weights: Weights, step: Step) -> list[tuple[float, Weights]]:
        """Return the beliefs after a step, by what the sensors would read, with their probabilities."""
        by_reading, outcomes = dict[int, dict[int, float]](), self.filter.outcomes(step)
        for state, p in weights:
            for after, reading, done, failed in outcomes[state]:
                found = by_reading.setdefault(reading, {})
                found[after] = found.get(after, 0.0) + p * (done + failed)
        return [(sum(f.values()), normalized(f, 20)) for f in by_reading.values() if sum(f.values()) > 0.02]

    def _log_odds_after(self, weights: Weights, steps: Steps) -> float:
        """Return the log-odds of the goal after doing these steps whatever happens."""
        for step in steps:
            weights = self.filter.predict(weights, step)
        return _log_odds(goal_probability(self.world, weights))

    def _looking_steps(self, weights: Weights, now: ChoiceContext) -> list[Step]:
        """Return steps that move the camera and then show what is in doubt, the most doubtful first; not
        those that have just brought nothing.
        """
        world, top, found = self.world, weights[0][0], dict[Step, None]()
        least = SURE_OF_GOAL if goal_probability(world, weights) > 0.5 else SURE
        looks = [step for step in world.looking_steps(top) if step not in now.barren]
        shown_by = [(step, {*world.domain_spec.relevant_args(step)}) for step in looks]
        for atom, p in doubtful(world, weights) if looks else ():
            if atom.predicate in world.seen and least < p < 1 - least:
                holds = next(s for s, _ in weights if atom in world.states[s])
                at_it = [step for step, things in shown_by if not things.isdisjoint(atom.args)]
                shown = (
                    step
                    for step in at_it or looks[:LOOKS]
                    if world.visible[atom][world.after(holds, step)] > LEAST_SHOWN
                )
                found.update(dict.fromkeys(shown))
                if len(found) >= LOOKS:
                    break
        return list(found)[:LOOKS]


def _picture_from(now: ChoiceContext, view: str) -> Picture:
    return replace(now.picture, view=view, asked=())


def _together(found: list[Worth]) -> float:
    """Return what these questions save in one call: mostly they are about the same doubt, so several good
    ones bring only a little more than the best.
    """
    if not found:
        return 0.0
    return found[0].value * (1 + 0.25 * sum(w.value > 0.7 * found[0].value for w in found[1:3]))


def _log_odds(p: float) -> float:
    p = min(1 - 1e-6, max(1e-6, p))
    return log(p / (1 - p))
