"""The forecast of an episode with the method `careful`, before anything moves or answers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass

from core.belief import Atom
from core.config import Settings
from core.domains import DomainSpec, Task
from core.errors import BadValue
from core.intervals import wilson_interval
from core.knowledge.changes import NO_KNOWLEDGE, Knowledge
from core.methods.careful.claim_line import claim_line
from core.methods.careful.error_model import UNSTATED_PERSISTENCE, ErrorModel
from core.methods.careful.forecast import Forecast, forecast
from core.methods.careful.known_rates import STATED, KnownRates, known_rates
from core.methods.careful.options import CarefulOptions
from core.methods.careful.policy import Careful
from core.planners import Planner
from core.planning.planner import make_planner
from core.planning.runnable import check_runnable
from core.stop_token import StopToken
from core.vqa.answerers.profiles import load_profile
from core.vqa.eye.coverage import default_answerer
from core.vqa.registry import make_answerer, uses_network

EPISODES = 40  # of a forecast
PRICED = 15  # of each other price of a question
OTHERS = ((0.75, 0.75), (0.95, 0.05))  # where rates are assumed: one that says yes to anything, a good one
PRICES = (1.0, 3.0, 10.0)  # steps that a question to the operator may cost
CLAIM_PRICES = (100.0, 300.0, 1000.0, 3000.0, 10000.0)  # steps that a false claim may cost


@dataclass(frozen=True)
class ForecastReport:
    """The forecast at the chosen prices, and what others of a question and of a false claim would do."""

    forecast: Forecast
    answerer: str  # whose error rates count
    price: float  # of a question to the operator, in steps
    claimed_from: float  # probability of the goal
    rates: tuple[tuple[float, float], ...] = ()  # (price, questions in an episode), cheapest first
    known: KnownRates = STATED  # how the error rates are known
    claims: tuple[tuple[float, Forecast], ...] = ()  # by the price of a false claim, cheapest first
    others: tuple[Forecast, ...] = ()  # then: of answerers that err in other ways than assumed

    def interval(self, share: Callable[[Forecast], float]) -> tuple[float, float]:
        """Return a share's 95 % interval, over every answerer that it may be if the rates are assumed."""
        every = (self.forecast, *self.others)
        ends = [wilson_interval(round(share(f) * f.episodes), f.episodes) for f in every]
        return min(low for low, _ in ends), max(high for _, high in ends)


@dataclass(frozen=True)
class FixedRates:
    """Implements `core.ports.StatesErrorRates` with the same rates for every predicate."""

    yes: float
    no: float
    persistence: float = UNSTATED_PERSISTENCE

    def error_rates(self, predicate: str) -> tuple[float, float]:
        return self.yes, self.no


def ignore(done: int, of: int) -> None:
    """Discard a report."""


class UnusedGroundTruth:
    """The truth in a forecast: an answerer is made for the error rates that it states, and never asked."""

    situation = ""

    def truth(self) -> frozenset[Atom]:
        raise AssertionError("a forecast asks nobody")

    def is_observable(self, atom: Atom) -> bool:
        raise AssertionError("a forecast asks nobody")


def careful_options(settings: Settings) -> CarefulOptions:
    """Return the method's options. Raises BadValue, also for another method."""
    from core.methods.registry import METHODS

    if settings.method != Careful.name:
        raise BadValue(f"The method {settings.method!r} makes no forecast: choose {Careful.name!r}.")
    options = METHODS[Careful.name].read_options(settings.options_for("method"))
    assert isinstance(options, CarefulOptions)
    return options


def make_forecast(
    settings: Settings,
    domain_spec: DomainSpec,
    task: Task,
    *,
    viewpoints: Sequence[str] = (),
    operator: bool = True,
    episodes: int = EPISODES,
    prices: Sequence[float] = (),
    claim_prices: Sequence[float] = (),
    known_before: Knowledge = NO_KNOWLEDGE,
    cancel: StopToken | None = None,
    report: Callable[[int, int], None] = ignore,
) -> ForecastReport:
    """Play episodes in the method's own model, some 50 ms each. No robot is made, and no model is asked.

    `viewpoints` are those that the robot can look from besides its own; `operator`: somebody answers;
    `known_before`: what the episode begins with;
    `report` receives how many episodes of how many are played. Where nobody knows an answerer's error rates,
    the method's assumption counts. Raises Cancelled, BadValue for another method or a bad option, and what
    the planner and the answerer raise.
    """
    options = careful_options(settings)
    check_runnable(task.problem)
    name = settings.answerer or default_answerer(
        domain_spec,
        task.problem,
        settings.robot or domain_spec.default_robot,
        pictures=settings.pictures,
        real=False,
        method=settings.method,
    )
    answerer = stated_answerer(name, settings)
    others = [price for price in prices if price != options.operator_cost]
    known = known_rates(load_profile(options.error_rates) if options.error_rates else None, answerer)
    lower = [price for price in claim_prices if price < options.false_claim_cost][-1:]  # the next ones only
    other_claims = [*lower, *[price for price in claim_prices if price > options.false_claim_cost][:1]]
    of, done = episodes + PRICED * (len(others) + len(other_claims) + known.assumed * len(OTHERS)), 0

    def played(count: int, planner: Planner, errs: FixedRates | None = None, **prices: float) -> Forecast:
        nonlocal done
        priced = options.model_copy(update=prices)
        method = Careful(domain_spec, task.problem, planner, answerer, priced, known_before)
        found = forecast(
            method,
            count,
            answers=ErrorModel(method.world, errs, priced) if errs else None,
            viewpoints=viewpoints,
            max_steps=settings.max_steps,
            operator=operator,
            seed=settings.seed,
            cancel=cancel,
            report=lambda number: report(done + number, of),
        )
        done += count
        return found

    with closing(make_planner(settings.engine, options=settings.options_for("engine"))) as planner:
        chosen = played(episodes, planner)
        rates = {price: played(PRICED, planner, operator_cost=price).questions for price in others}
        claims = {price: played(PRICED, planner, false_claim_cost=price) for price in other_claims}
        if known.assumed:
            unlike = [played(PRICED, planner, FixedRates(*errs)) for errs in OTHERS]
    rates[options.operator_cost] = chosen.questions
    return ForecastReport(
        chosen,
        name,
        options.operator_cost,
        claim_line(options),
        tuple(sorted(rates.items())),
        known,
        tuple(sorted({**claims, options.false_claim_cost: chosen}.items())) if claims else (),
        tuple(unlike) if known.assumed else (),
    )


def stated_answerer(name: str, settings: Settings) -> object:
    """Return an answerer for the error rates that it states, None where nobody knows them."""
    if uses_network(name) or "+" in name:
        return None
    return make_answerer(name, truth=UnusedGroundTruth(), options=settings.options_for("answerer"))
