"""How often answers are wrong, and how far a second one is evidence of its own.

An answerer that states its rates (a profile) is taken at its word; of others a model of middling quality is
assumed. Errors persist: with some probability an answer only repeats the earlier one, right or wrong, more
often from the same viewpoint than from another one. So another viewpoint is worth more than another wording.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from core.belief import Atom, BeliefSource, Verdict
from core.methods.careful.options import CarefulOptions
from core.methods.careful.world_model import WorldModel
from core.policy import Context, GotAnswers, GotPicture, StepDone, StepHalted
from core.ports import StatesErrorRates

UNSTATED = (0.7, 0.25)  # P(yes | it holds), P(yes | it does not), of an answerer that states no rates
UNSTATED_PERSISTENCE = 0.7  # measured on GPT-4.1: wrong again from the same viewpoint
MOST_ERRORS = 0.9  # P(no | it holds) + P(yes | it does not); at 1 an answer says nothing
LEAST_ERROR = 0.02  # nobody is right always

Earlier = Mapping[Atom, Mapping[str, bool]]  # what was answered, by the viewpoint of the picture


@dataclass(frozen=True)
class Rates:
    """P(the answer says yes) of an atom that holds and is shown, and of one that is not."""

    if_true: float
    if_false: float

    @property
    def informativeness(self) -> float:
        return abs(self.if_true - self.if_false)


class ErrorModel:
    """The error rates of one episode's answerer. Pure."""

    def __init__(self, world: WorldModel, answerer: object, options: CarefulOptions) -> None:
        self._world = world
        self._stated = answerer if isinstance(answerer, StatesErrorRates) else None
        self._scale, self._shared = options.error_scale, options.shared_errors
        self._same_view = self._stated.persistence if self._stated else UNSTATED_PERSISTENCE
        self._rates: dict[str, Rates] = {}

    def rates(self, predicate: str) -> Rates:
        if predicate not in self._rates:
            yes, no = self._stated.error_rates(predicate) if self._stated else UNSTATED
            scale = self._scale
            if scale > 1:  # however little they tell, answers do not come to mean their opposite
                scale = min(scale, max(1.0, MOST_ERRORS / max(1e-9, 1 - yes + no)))
            miss, alarm = scale * (1 - yes), scale * no
            ends = LEAST_ERROR, 1 - LEAST_ERROR
            self._rates[predicate] = Rates(_within(1 - miss, *ends), _within(alarm, *ends))
        return self._rates[predicate]

    def says_yes(self, state: int, atom: Atom) -> float:
        """Return the probability that a first answer affirms the atom in this state."""
        rates = self.rates(atom.predicate)
        if atom not in self._world.states[state]:
            return rates.if_false
        shown = self._world.visibility(state, atom)
        return shown * rates.if_true + (1 - shown) * rates.if_false

    def likelihood(self, state: int, atom: Atom, yes: bool, earlier: Mapping[str, bool], view: str) -> float:
        """Return the probability of this answer in this state, given the earlier ones about the atom."""
        first = self.says_yes(state, atom)
        first = first if yes else 1 - first
        repeats, said = self.repeats(earlier, view)
        return repeats * (said is yes) + (1 - repeats) * first

    def repeats(self, earlier: Mapping[str, bool], view: str) -> tuple[float, bool | None]:
        """Return how likely an answer only repeats an earlier one, and which."""
        if view in earlier:
            return 1 - (1 - self._same_view) * (1 - self._shared), earlier[view]
        if earlier:
            return self._shared, list(earlier.values())[-1]
        return 0.0, None


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
                for atom in world.touched(step):
                    found.pop(atom, None)
    return found


def _within(value: float, low: float, high: float) -> float:
    return min(high, max(low, value))
