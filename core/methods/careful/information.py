"""Value an answer: the value of information (Howard, 1966), in steps of the robot.

While there is work to do, a question is worth what its answer saves. When the goal is likelier than not,
single answers change no decision although several together would; then questions are ranked by what they
tell about the goal, in nats (Lindley, 1956).
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from math import log

from core.belief import Atom
from core.methods.careful.answered import AnswerRates, Earlier
from core.methods.careful.cost_to_go import CostToGo
from core.methods.careful.error_model import ErrorModel, Shares
from core.methods.careful.hypotheses import Weights, doubtful, goal_probability
from core.methods.careful.rate_doubt import Habit
from core.methods.careful.world_model import WorldModel

LEAST_DOUBT = 0.005  # an atom more certain than this is not asked about
HARDLY_SHOWN = 0.05  # the same for an answer about the goal
LEAST_SHOWN = 0.3  # a picture that shows a thing less often than this is not asked about it
SURE, CONTRASTS = 0.03, 2  # doubt of a fact that counts as sure; such questions in a call
LEAST_NEWS = 0.3  # of a question about what seems sure

Splits = dict[tuple[bool, ...], float]  # the worth of knowing which hypotheses are out


@dataclass(frozen=True)
class Picture:
    """What a question would be about: a view, what was answered before, and what was already asked on it.

    `shares` is how likely each way of answering is; () stands for the rates as told. `rates` tell how often
    questions are answered.
    """

    view: str = ""
    earlier: Earlier = field(default_factory=dict)
    asked: Collection[Atom] = ()
    shares: Shares = ()
    shares_if: Mapping[bool, Shares] = field(default_factory=dict)  # where the goal is reached, or is not
    rates: AnswerRates = field(default_factory=AnswerRates)


@dataclass(frozen=True, order=True)
class Worth:
    """`value` is in steps, or in nats about the goal; `against`: asked as if the opposite were expected."""

    value: float
    atom: Atom
    against: bool = False


class Information:
    """The worth of answers. Pure."""

    def __init__(self, world: WorldModel, errors: ErrorModel, costs: CostToGo) -> None:
        self.world, self.errors, self.costs = world, errors, costs

    def exact(self, weights: Weights, atom: Atom, cost: float, known: Splits) -> float:
        """Return the steps that the exact answer saves, where `cost` is expected now.

        `known` holds the results for these weights: atoms that split them alike are worth the same.
        """
        masks, bit = self.world.masks, self.world.bits.bit(atom)
        key = tuple([masks[s] & bit > 0 for s, _ in weights])
        if key not in known:
            expected = self.costs.expected
            known[key] = cost - sum(
                share * expected(part) for share, part in split(self.world, weights, atom)
            )
        return known[key]

    def of_model(self, weights: Weights, cost: float, picture: Picture, most: int = 10**9) -> list[Worth]:
        """Return what a model's answers about this picture save, best first; of the `most` doubtful atoms."""
        found, known = [], Splits()
        doubts = doubtful(self.world, weights)
        for atom, shown in self._shown(doubts, weights, picture, LEAST_DOUBT, LEAST_SHOWN):
            value = (
                self.exact(weights, atom, cost, known)
                * shown
                * self.errors.expected(atom, picture.shares).informativeness
            )
            found.append(Worth(value * self._fresh(picture, atom), atom))
            if len(found) == most:
                break
        return sorted(found, key=_best)

    def of_operator(self, weights: Weights, cost: float, asked: Collection[Atom]) -> list[Worth]:
        """Return what the operator's answers save, best first; also about what no picture shows."""
        world, known = self.world, Splits()
        found = [
            Worth(self.exact(weights, atom, cost, known), atom)
            for atom, p in doubtful(world, weights)
            if LEAST_DOUBT < p < 1 - LEAST_DOUBT and atom not in asked and atom.predicate in world.askable
        ]
        return sorted(found, key=_best)

    def about_goal(self, weights: Weights, picture: Picture) -> list[Worth]:
        """Return how many nats about the goal each answer brings, best first."""
        sure = goal_probability(self.world, weights)
        if not 1e-6 < sure < 1 - 1e-6:
            return []
        found = []
        doubts, goals, shares = doubtful(self.world, weights), self.world.goals, picture.shares_if
        believed = {atom for atom, p in doubts if p > 0.5}  # what the question expects
        parts = {so: tuple([(s, p) for s, p in weights if (s in goals) is so]) for so in (True, False)}
        for atom, _ in self._shown(doubts, weights, picture, 0.002, HARDLY_SHOWN):
            yes, no = (
                self.errors.says_yes(part, atom, shares.get(so, picture.shares), atom in believed)
                for so, part in parts.items()
            )
            nats = yes * log(yes / no) + (1 - yes) * log((1 - yes) / (1 - no))
            nats *= self._fresh(picture, atom)
            if nats > 0.001:
                found.append(Worth(nats, atom))
        return sorted(found, key=_best)

    def of_goal(self, weights: Weights, picture: Picture, asked: Collection[Atom]) -> list[Worth]:
        """Return what the picture shows of the goal as far as it seems reached, without these."""
        world, top = self.world, weights[0][0]
        return [
            Worth(0.0, atom)
            for atom, so in world.goal_seen.items()
            if atom not in picture.asked and atom not in asked and (atom in world.states[top]) is so
            if self._fresh(picture, atom) > LEAST_NEWS and world.visible[atom][top] > LEAST_SHOWN
        ]

    def of_sure(self, weights: Weights, picture: Picture, asked: Collection[Atom]) -> list[Worth]:
        """Return facts of the goal that are sure, without these, to be asked as if they were not: an answerer
        that says what is expected contradicts itself. None once it is known if this one does.
        """
        world, top, open_ = self.world, weights[0][0], dict(doubtful(self.world, weights))
        shares = zip(self.errors.ways, picture.shares, strict=False)
        if not 0.01 < sum(p for way, p in shares if way.habit is Habit.AGREES) < 0.9:
            return []
        return [
            Worth(0.0, atom, against=True)
            for atom in world.goal_seen
            if atom not in picture.asked and atom not in asked and not SURE < open_.get(atom, 0) < 1 - SURE
            if self._fresh(picture, atom) > LEAST_NEWS
            if atom not in world.states[top] or world.visible[atom][top] > LEAST_SHOWN
        ][:CONTRASTS]

    def _shown(
        self,
        doubts: list[tuple[Atom, float]],
        weights: Weights,
        picture: Picture,
        least: float,
        least_shown: float,
    ) -> Iterator[tuple[Atom, float]]:
        """Yield those of these atoms in doubt that are visible, and how surely the picture shows them."""
        world = self.world
        for atom, p in doubts:
            if atom.predicate not in world.seen or atom in picture.asked or not least < p < 1 - least:
                continue
            bit, visible, masks = world.bits.bit(atom), world.visible[atom], world.masks
            shown = sum([q * visible[s] for s, q in weights if masks[s] & bit]) / p
            shown = max(shown, self.errors.sees(picture.shares))
            if shown >= least_shown:
                yield atom, shown

    def _fresh(self, picture: Picture, atom: Atom) -> float:
        """Return how much news is to be expected of a question: it is answered, and not as before."""
        before, answered = picture.earlier.get(atom), picture.rates.expected(atom.predicate)
        return answered * (
            1.0 if not before else 1 - self.errors.repeats(before, picture.view, picture.shares)[0]
        )


def split(world: WorldModel, weights: Weights, atom: Atom, share: float = 1.0) -> list[tuple[float, Weights]]:
    """Return the hypotheses in which the atom holds and the others, each with its part of `share`."""
    masks, bit = world.masks, world.bits.bit(atom)
    parts: tuple[list[tuple[int, float]], ...] = [], []
    for weight in weights:
        parts[not masks[weight[0]] & bit].append(weight)
    sums = [sum(p for _, p in part) for part in parts]
    return [
        (share * total, tuple((s, p / total) for s, p in part))
        for part, total in zip(parts, sums, strict=True)
        if total > 0
    ]


def _best(worth: Worth) -> tuple[float, Atom]:
    return -worth.value, worth.atom
