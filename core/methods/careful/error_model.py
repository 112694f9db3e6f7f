"""Model how often answers are wrong, and how far a second one is evidence of its own.

An answerer that states its rates (a profile) is taken at its word; of others a model of middling quality is
assumed. Errors persist: with some probability an answer only repeats the earlier one, right or wrong, more
often from the same viewpoint than from another one. So another viewpoint is worth more than another wording.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from core.belief import Atom, BeliefSource, Verdict
from core.methods.careful.options import CarefulOptions
from core.methods.careful.rate_doubt import AnswerModel, Habit, ways_of_answering
from core.methods.careful.world_model import WorldModel
from core.operator import Addressee
from core.policy import Context, GotAnswers, GotPicture, StepDone, StepHalted
from core.ports import StatesErrorRates
from core.vqa.answerers.profiles import UNSTATED

UNSTATED_PERSISTENCE = 0.7  # measured on GPT-4.1: wrong again from the same viewpoint
# P(no | it holds) + P(yes | it does not), where rates are scaled up; at 1 an answer says nothing. Close to
# that, looking would take all steps. Rates that are stated to be worse are taken as stated.
MOST_ERRORS = 0.8
LEAST_ERROR = 0.02  # nobody is right always
IMPLIED = 0.7  # how often what only follows from the rest is so: robots differ in what counts as in view
MOST_MEANS = 500  # averages that are kept
MOST_SINGLED_OUT = 5  # things, and predicates, about which the answers may err
SUPPOSED, ANSWERED = 4, 0.95  # before any question: as if so many had been answered at this rate
GIVEN_UP_AFTER = 6  # questions without an answer; then there is no other
HABITUAL = 0.95  # how often a habit decides the answer

Said = Mapping[str, bool]  # what was answered about one atom, by the viewpoint of the picture
Shares = tuple[float, ...]  # how likely each way of answering is
Earlier = Mapping[Atom, Said]


@dataclass(frozen=True)
class AnswerLikelihood:
    """P(the answer says yes) of an atom that holds and is shown, and of one that is not."""

    if_true: float
    if_false: float

    @property
    def informativeness(self) -> float:
        return abs(self.if_true - self.if_false)


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
    each is by now; () stands for the rates as told.
    """

    def __init__(self, world: WorldModel, answerer: object, options: CarefulOptions) -> None:
        self._world = world
        self._stated = answerer if isinstance(answerer, StatesErrorRates) else None
        self._scale, self._shared = options.error_scale, options.shared_errors
        self._same_view = self._stated.persistence if self._stated else UNSTATED_PERSISTENCE
        goal = [literal for literal in world.problem.goal if literal.predicate in world.seen]
        things, kinds = {arg for literal in goal for arg in literal.args}, {q.predicate for q in goal}
        self.ways, self.prior = ways_of_answering(
            options.rate_doubt, sorted(things)[:MOST_SINGLED_OUT], sorted(kinds)[:MOST_SINGLED_OUT]
        )
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
            ends = LEAST_ERROR, 1 - LEAST_ERROR
            self._by_way[key] = AnswerLikelihood(_within(1 - miss, *ends), _within(alarm, *ends))
        return self._by_way[key]

    def says_yes(self, state: int, atom: Atom, shares: Shares = (), believed: bool | None = None) -> float:
        """Return the probability that a first answer affirms the atom in this state."""
        return self._affirmed(state, atom, self.expected(atom, shares, believed))

    def _affirmed(self, state: int, atom: Atom, rates: AnswerLikelihood) -> float:
        if atom not in self._world.states[state]:
            return rates.if_false
        shown = self._world.visibility(state, atom)
        if self._world.is_implied(state, atom):
            shown *= IMPLIED
        return shown * rates.if_true + (1 - shown) * rates.if_false

    def likelihoods(self, state: int, atom: Atom, yes: bool, asked: Asked) -> tuple[float, ...]:
        """Return the probability of this answer in this state for each way of answering."""
        found = []
        for way in self.ways:
            first = self._affirmed(state, atom, self._rates_of(atom, way, asked.expected))
            repeats, said = HABITUAL, asked.before
            if way.habit is not Habit.REPEATS or asked.before is None:
                repeats, said = self._repeats(asked.earlier, asked.view, self._together(way.shared))
            found.append(repeats * (said is yes) + (1 - repeats) * (first if yes else 1 - first))
        return tuple(found)

    def repeats(self, earlier: Said, view: str, shares: Shares = ()) -> tuple[float, bool | None]:
        """Return how likely an answer only repeats an earlier one, and which."""
        shared = self._shared
        if shares:
            shared = sum(
                p * (HABITUAL if w.habit is Habit.REPEATS else self._together(w.shared))
                for p, w in zip(shares, self.ways, strict=True)
            )
        return self._repeats(earlier, view, shared)

    def _repeats(self, earlier: Said, view: str, shared: float) -> tuple[float, bool | None]:
        if view in earlier:
            return 1 - (1 - self._same_view) * (1 - shared), earlier[view]
        if earlier:
            return shared, list(earlier.values())[-1]
        return 0.0, None

    def _together(self, shared: float) -> float:
        return 1 - (1 - self._shared) * (1 - shared)


def earlier_answers(context: Context, world: WorldModel) -> dict[Atom, dict[str, bool]]:
    """Return what a model answered about each atom since a step may last have changed it."""
    found: dict[Atom, dict[str, bool]] = {}
    view = ""
    for seen in context.history:
        match seen:
            case GotPicture():
                view = seen.viewpoint
            case GotAnswers():
                for answer in seen.facts:
                    if answer.source is BeliefSource.MODEL and answer.verdict is not Verdict.UNKNOWN:
                        found.setdefault(answer.atom, {})[view] = answer.verdict is Verdict.YES
            case StepDone(step) | StepHalted(step):
                for atom in found.keys() & world.touched(step) if found else ():
                    del found[atom]
    return found


@dataclass(frozen=True)
class AnswerRates:
    """How many questions of an episode were answered with yes or no, of how many."""

    by_predicate: Mapping[str, tuple[int, int]] = field(default_factory=dict)
    answered: int = 0
    asked: int = 0

    @property
    def silent(self) -> bool:
        """Return True if nothing was ever answered, although enough was asked."""
        return self.asked >= GIVEN_UP_AFTER and not self.answered

    def expected(self, predicate: str) -> float:
        """Return how likely the next question about this predicate is answered."""
        answered, asked = self.by_predicate.get(predicate, (0, 0))
        if self.silent or (asked >= GIVEN_UP_AFTER and not answered):
            return 0.0
        overall = (self.answered + ANSWERED * SUPPOSED) / (self.asked + SUPPOSED)
        return (answered + overall * SUPPOSED) / (asked + SUPPOSED)


def answer_rates(context: Context) -> AnswerRates:
    """Return how often a model answered in this episode."""
    found: dict[str, tuple[int, int]] = {}
    for seen in context.history:
        if isinstance(seen, GotAnswers) and seen.addressee is Addressee.MODEL:
            for answer in (a for a in seen.answers if not a.is_unasked):
                k, n = found.get(answer.atom.predicate, (0, 0))
                found[answer.atom.predicate] = k + (answer.verdict is not Verdict.UNKNOWN), n + 1
    return AnswerRates(found, sum(k for k, _ in found.values()), sum(n for _, n in found.values()))


def last_answers(context: Context) -> dict[Atom, bool]:
    """Return what a model answered last about each atom, whatever has changed since."""
    found: dict[Atom, bool] = {}
    for seen in context.history:
        if isinstance(seen, GotAnswers):
            for answer in seen.facts:
                if answer.source is BeliefSource.MODEL and answer.verdict is not Verdict.UNKNOWN:
                    found[answer.atom] = answer.verdict is Verdict.YES
    return found


def _within(value: float, low: float, high: float) -> float:
    return min(high, max(low, value))
