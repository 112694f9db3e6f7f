"""A belief over whole states: weighted hypotheses, and their form as a `Belief`.

One probability per atom cannot say "in the hand or on the floor"; whole states can. The likeliest are kept.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple

from core.belief import Answer, Atom, Belief, BeliefEntry, BeliefSource, Hypothesis, Verdict
from core.methods.careful.untold import NO_COUNTS, Counts, from_notes, mean, notes_of
from core.methods.careful.world_model import WorldModel

Weights = tuple[tuple[int, float], ...]  # (state, probability), likeliest first; they add up to 1
LEAST_WEIGHT = 1e-6  # a hypothesis given up too early cannot come back
LEAST_SHARE = 1e-4  # of a way of answering, to be noted of a hypothesis
VISIBLE_CHANGE = (
    0.005 - 5e-10
)  # not by how Python adds up; of an atom's probability; smaller ones are not entered


class Part(NamedTuple):
    """A state's probability together with each way of answering, and the side effects seen in it; where it
    counts for later episodes, all else that went wrong as well.
    """

    ways: tuple[float, ...]
    untold: Counts = NO_COUNTS

    @property
    def total(self) -> float:
        return sum(self.ways)

    def times(self, factor: float) -> Part:
        return Part(tuple([p * factor for p in self.ways]), self.untold)


Joint = Mapping[int, Part]


def merged(parts: Iterable[tuple[int, Part]]) -> dict[int, Part]:
    """Return the parts by state, those of one state as one."""
    found: dict[int, list[Part]] = {}
    for state, part in parts:
        found.setdefault(state, []).append(part)
    return {state: same[0] if len(same) == 1 else _sum(same) for state, same in found.items()}


def _sum(parts: list[Part]) -> Part:
    ways = tuple([sum(column) for column in zip(*(part.ways for part in parts), strict=True)])
    return Part(ways, mean([(part.total, part.untold) for part in parts]))


def normalized(weights: Mapping[int, float], most: int) -> Weights:
    """Return the likeliest hypotheses, at most so many; () if all weights are 0."""
    total = sum(weights.values())
    if total <= 0:
        return ()
    least = LEAST_WEIGHT * total
    kept = sorted([(-p / total, state) for state, p in weights.items() if p > least])[:most]
    total = sum([p for p, _ in kept])
    return tuple([(state, p / total) for p, state in kept])


def normalized_joint(joint: Joint, most: int) -> Joint:
    """Return the likeliest states, at most so many; empty if all probabilities are 0."""
    kept = normalized({state: part.total for state, part in joint.items()}, most)
    total = sum(joint[state].total for state, _ in kept)
    return {state: joint[state].times(1 / total) for state, _ in kept}


def summed(joint: Joint) -> Weights:
    """Return the hypotheses, whatever the way of answering."""
    return tuple(sorted(((state, part.total) for state, part in joint.items()), key=_likeliest))


def shares_of(joint: Joint) -> tuple[float, ...]:
    """Return how likely each way of answering is."""
    sums = tuple(map(sum, zip(*(part.ways for part in joint.values()), strict=True)))
    return tuple(part / sum(sums) for part in sums)


def untold_of(joint: Joint) -> Counts:
    """Return the side effects seen so far, on average."""
    return mean([(part.total, part.untold) for part in joint.values()])


def by_goal(world: WorldModel, joint: Joint) -> dict[bool, Joint]:
    """Return the hypotheses in which the goal is reached and those in which it is not, without empty ones."""
    found: dict[bool, dict[int, Part]] = {}
    for state, part in joint.items():
        found.setdefault(world.is_goal(state), {})[state] = part
    return {so: parts for so, parts in found.items() if any(part.total > 0 for part in parts.values())}


def _likeliest(hypothesis: tuple[int, float]) -> tuple[float, int]:
    return -hypothesis[1], hypothesis[0]


def marginals(world: WorldModel, weights: Weights) -> dict[Atom, float]:
    """Return the probability of every atom that holds in some hypothesis."""
    found = dict.fromkeys(world.states[weights[0][0]], sum([p for _, p in weights]))
    found.update(_open(world, weights))
    return found


def doubtful(world: WorldModel, weights: Weights) -> list[tuple[Atom, float]]:
    """Return the atoms that hold in some hypotheses and not in others, the most doubtful first."""
    return sorted(_open(world, weights), key=lambda item: abs(item[1] - 0.5))


def _open(world: WorldModel, weights: Weights) -> list[tuple[Atom, float]]:
    """Return the atoms that hold in some hypotheses and not in others, sorted, with their probabilities."""
    masks = [(world.masks[state], p) for state, p in weights]
    first, differing = masks[0][0], 0
    for mask, _ in masks:
        differing |= mask ^ first
    found = []
    for atom in sorted(world.bits.atoms(differing)):
        bit = world.bits.bit(atom)
        found.append((atom, sum([p for mask, p in masks if mask & bit])))
    return found


def goal_probability(world: WorldModel, weights: Weights) -> float:
    goals = world.goals
    return sum([p for state, p in weights if state in goals])


def joint_of(world: WorldModel, belief: Belief, names: Sequence[str], prior: Sequence[float]) -> Joint:
    """Return the hypotheses of a belief with the ways of answering and the side effects, as noted in them."""
    state, joint = belief.state, {}
    for h in belief.hypotheses:
        noted = not h.notes.keys().isdisjoint(names)
        shares = [h.notes.get(name, 0.0) for name in names] if noted else prior
        ways = tuple(h.probability * share for share in shares)
        joint[world.number(state ^ frozenset(h.flipped))] = Part(ways, from_notes(h.notes))
    return joint or {world.number(state): Part(tuple(prior))}


def as_belief(
    world: WorldModel,
    old: Belief,
    joint: Joint,
    turn: int,
    source: BeliefSource,
    answers: Iterable[Answer] = (),
    steps: Mapping[int, float] = MappingProxyType({}),
    names: Sequence[str] = (),
) -> Belief:
    """Return the belief with these hypotheses: an atom is believed if it is likelier than not.

    `steps` to the goal from a state, where they are known, and how likely the ways of answering with these
    `names` are, become notes of the hypothesis.
    """
    weights = summed(joint)
    said = {a.atom: a for a in answers if a.verdict is not Verdict.UNKNOWN}
    probable = marginals(world, weights)
    table: dict[Atom, BeliefEntry] = {}
    for atom in probable.keys() | old.entries.keys():
        p = min(1.0, probable.get(atom, 0.0))
        verdict, was = Verdict.YES if p > 0.5 else Verdict.NO, old.entries.get(atom)
        if was is None or was.verdict is not verdict or was.uncertain or atom in said:
            table[atom] = BeliefEntry(atom, verdict, source, turn, said.get(atom), round(p, 3))
        elif abs(_probability(was) - p) < VISIBLE_CHANGE:
            table[atom] = was
        else:  # some three times as fast as `replace`
            since, evidence, unknown = was.since, was.evidence, was.last_unknown_turn
            table[atom] = BeliefEntry(atom, verdict, was.source, since, evidence, round(p, 3), unknown)
    bits = world.bits
    believed = bits.mask([atom for atom, entry in table.items() if entry.verdict is Verdict.YES])
    kept = tuple(
        Hypothesis(
            p, tuple(sorted(bits.atoms(believed ^ world.masks[s]))), _notes(names, joint[s], steps.get(s))
        )
        for s, p in weights
    )
    return Belief(MappingProxyType(table), kept)


def _notes(names: Sequence[str], part: Part, steps: float | None) -> Mapping[str, float]:
    notes = notes_of(part.untold) if steps is None else {"steps": round(steps, 1), **notes_of(part.untold)}
    if len(names) > 1:
        total = part.total
        noted = zip(names, part.ways, strict=True)
        notes |= {name: share for name, p in noted if (share := p / total) > LEAST_SHARE}
    return MappingProxyType(notes)


def _probability(entry: BeliefEntry) -> float:
    return float(entry.verdict is Verdict.YES) if entry.probability is None else entry.probability
