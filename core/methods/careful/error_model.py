"""Model how often answers are wrong, and how far a second one is evidence of its own.

An answerer that states its rates (a profile) is taken at its word; of others a model of middling quality is
assumed. Errors persist: with some probability an answer only repeats the earlier one, right or wrong, more
often from the same viewpoint than from another one. So another viewpoint is worth more than another wording.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

from core.belief import Atom
from core.methods.careful.answered import Said
from core.methods.careful.hypotheses import Weights
from core.methods.careful.options import CarefulOptions
from core.methods.careful.rate_doubt import AnswerModel, Habit, ways_of_answering
from core.methods.careful.world_model import WorldModel
from core.planning.remembered import Table
from core.ports import StatesErrorRates
from core.vqa.answerers.profiles import UNSTATED

UNSTATED_PERSISTENCE = 0.7  # measured on GPT-4.1: wrong again from the same viewpoint
# P(no | it holds) + P(yes | it does not), where rates are scaled up; at 1 an answer says nothing. Close to
# that, looking would take all steps. Rates that are stated to be worse are taken as stated.
MOST_ERRORS = 0.8
LEAST_ERROR = 0.02  # nobody is right always
LEAST = 1e-3  # likelihood: no single answer rules a hypothesis out
IMPLIED = 0.7  # how often what only follows from the rest is so: robots differ in what counts as in view
MOST_MEANS = 500  # averages that are kept
MOST_SINGLED_OUT = 5  # things, and predicates, about which the answers may err
HIDDEN = 1e-9  # how likely a picture shows what is so and hidden: nothing shows what is not so
HABITUAL = 0.95  # how often a habit decides the answer

Shares = tuple[float, ...]  # how likely each way of answering is


class AnswerLikelihood(NamedTuple):
    """P(the answer says yes) of an atom that holds and is shown, and of one that is not."""

    if_true: float
    if_false: float

    @property
    def informativeness(self) -> float:
        return abs(self.if_true - self.if_false)

    def affirm(self, shown: float) -> float:
        """Return the probability of a yes where the atom is so and shown with this probability."""
        return shown * self.if_true + (1 - shown) * self.if_false


TELLS_NOTHING, REVERSED = AnswerLikelihood(0.5, 0.5), AnswerLikelihood(0.15, 0.85)
AGREED = {so: AnswerLikelihood(p, p) for so, p in ((True, HABITUAL), (False, 1 - HABITUAL))}


@dataclass(frozen=True)
class Asked:
    """What an answer may depend on besides the state: the view, what was said, what is expected."""

    view: str = ""
    earlier: Said = field(default_factory=dict)  # about the atom, since a step may have changed it
    before: bool | None = None  # what was said last, whatever has changed since
    expected: bool | None = None


class ErrorModel:
    """The error rates of one episode's answerer. Pure.

    `ways` are the ways of answering that are considered, `prior` how likely each is. `shares` is how likely
    each is by now; () stands for the rates as told. `shown` is how likely it is that an atom is so and that a
    picture shows it, by atom and state.
    """

    def __init__(self, world: WorldModel, answerer: object, options: CarefulOptions) -> None:
        self._world = world
        self._stated = answerer if isinstance(answerer, StatesErrorRates) else None
        self._scale, self._shared = options.error_scale, options.shared_errors
        self._same_view = self._stated.persistence if self._stated else UNSTATED_PERSISTENCE
        goal = [literal for literal in world.problem.goal if literal.predicate in world.seen]
        things, kinds = {arg for literal in goal for arg in literal.args}, {q.predicate for q in goal}
        most = MOST_SINGLED_OUT
        self.ways, self.prior = ways_of_answering(
            options.rate_doubt, sorted(things)[:most], sorted(kinds)[:most], world.hides
        )
        self.shown: Table[Atom, Table[int, float]] = Table(
            lambda atom: Table(lambda state: self._shown(state, atom))
        )
        self._shared_by_way = [
            HABITUAL if way.habit is Habit.REPEATS else self._together(way.shared) for way in self.ways
        ]
        self._by_way: dict[tuple[str, float], AnswerLikelihood] = {}
        self._means: dict[tuple[Atom, Shares, bool | None], AnswerLikelihood] = {}

    def rates(self, predicate: str) -> AnswerLikelihood:
        """Return the rates as told."""
        return self._scaled(predicate, 1.0)

    def expected(self, atom: Atom, shares: Shares = (), believed: bool | None = None) -> AnswerLikelihood:
        """Return the rates that are expected of an answer about this atom, where it is `believed`."""
        if not shares:
            return self.rates(atom.predicate)
        key = atom, shares, believed
        if key not in self._means:
            if len(self._means) > MOST_MEANS:
                self._means.clear()
            parts = [
                (p, self._rates_of(atom, way, believed)) for p, way in zip(shares, self.ways, strict=True)
            ]
            if_true, if_false = sum(p * r.if_true for p, r in parts), sum(p * r.if_false for p, r in parts)
            self._means[key] = AnswerLikelihood(if_true, if_false)
        return self._means[key]

    def _rates_of(self, atom: Atom, way: AnswerModel, expected: bool | None = None) -> AnswerLikelihood:
        match way.habit:
            case Habit.NOTHING:
                return TELLS_NOTHING
            case Habit.AGREES:
                return TELLS_NOTHING if expected is None else AGREED[expected]
            case Habit.REVERSES if way.about in atom.args:
                return REVERSED
            case Habit.AFFIRMS if way.about == atom.predicate:
                return AGREED[True]
        return self._scaled(atom.predicate, way.scale)

    def _scaled(self, predicate: str, times: float) -> AnswerLikelihood:
        key = predicate, times
        if key not in self._by_way:
            yes, no = self._stated.error_rates(predicate) if self._stated else UNSTATED
            scale = self._scale * times
            if scale > 1:  # however little they tell, answers do not come to mean their opposite
                scale = min(scale, max(1.0, MOST_ERRORS / max(1e-9, 1 - yes + no)))
            miss, alarm = scale * (1 - yes), scale * no
            if_true, if_false = (min(1 - LEAST_ERROR, max(LEAST_ERROR, p)) for p in (1 - miss, alarm))
            self._by_way[key] = AnswerLikelihood(if_true, if_false)
        return self._by_way[key]

    def says_yes(
        self, weights: Weights, atom: Atom, shares: Shares = (), believed: bool | None = None
    ) -> float:
        """Return the probability that a first answer affirms the atom, if one of these states is so."""
        rates, shown, sees = self.expected(atom, shares, believed), self.shown[atom], self.sees(shares)
        total = sum([p for _, p in weights])
        seen = sum([p * max(shown[state], sees * (shown[state] > 0)) for state, p in weights])
        return rates.affirm(seen / total)

    def sees(self, shares: Shares) -> float:
        """Return how likely the answers also know what the folder says is hidden."""
        return sum([p for p, way in zip(shares, self.ways, strict=False) if way.habit is Habit.SEES])

    def _shown(self, state: int, atom: Atom) -> float:
        if atom not in self._world.states[state]:
            return 0.0
        shown = max(HIDDEN, self._world.visible[atom][state])
        return shown * IMPLIED if self._world.is_implied(state, atom) else shown

    def likelihoods(self, atom: Atom, yes: bool, asked: Asked) -> Table[float, list[float]]:
        """Return the probability of this answer for each way of answering, by how likely the atom is so and
        shown.
        """
        ways = []
        for way in self.ways:
            repeats, said = HABITUAL, asked.before
            if way.habit is not Habit.REPEATS or asked.before is None:
                repeats, said = self._repeats(asked.earlier, asked.view, self._together(way.shared))
            rates = self._rates_of(atom, way, asked.expected)
            if_true, if_false = rates if yes else (1 - rates.if_true, 1 - rates.if_false)
            again, so, no = repeats * (said is yes), (1 - repeats) * if_true, (1 - repeats) * if_false
            ways.append((again + no, so - no, way.habit is Habit.SEES))
        return Table(
            lambda shown: [
                max(LEAST, by_no + ((shown > 0) if sees else shown) * more) for by_no, more, sees in ways
            ]
        )

    def repeats(self, earlier: Said, view: str, shares: Shares = ()) -> tuple[float, bool | None]:
        """Return how likely an answer only repeats an earlier one, and which."""
        shared = self._shared
        if shares and earlier:
            shared = sum([p * always for p, always in zip(shares, self._shared_by_way, strict=True)])
        return self._repeats(earlier, view, shared)

    def _repeats(self, earlier: Said, view: str, shared: float) -> tuple[float, bool | None]:
        if view in earlier:
            return 1 - (1 - self._same_view) * (1 - shared), earlier[view]
        if earlier:
            return shared, list(earlier.values())[-1]
        return 0.0, None

    def _together(self, shared: float) -> float:
        return 1 - (1 - self._shared) * (1 - shared)
