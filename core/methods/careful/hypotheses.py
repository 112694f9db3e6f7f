"""A belief over whole states: weighted hypotheses, and their form as a `Belief`.

One probability per atom cannot say "in the hand or on the floor"; whole states can. The likeliest are kept.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import replace
from types import MappingProxyType

from core.belief import Answer, Atom, Belief, BeliefEntry, BeliefSource, Hypothesis, Verdict
from core.methods.careful.world_model import WorldModel

Weights = tuple[tuple[int, float], ...]  # (state, probability), likeliest first; they add up to 1
LEAST_WEIGHT = 1e-6  # a hypothesis given up too early cannot come back
VISIBLE_CHANGE = 0.005  # of an atom's probability; smaller ones are not entered


def normalized(weights: Mapping[int, float], most: int) -> Weights:
    """Return the likeliest hypotheses, at most so many; () if all weights are 0."""
    total = sum(weights.values())
    if total <= 0:
        return ()
    kept = sorted(((s, p / total) for s, p in weights.items() if p > LEAST_WEIGHT * total), key=_likeliest)[
        :most
    ]
    total = sum(p for _, p in kept)
    return tuple((state, p / total) for state, p in kept)


def _likeliest(hypothesis: tuple[int, float]) -> tuple[float, int]:
    return -hypothesis[1], hypothesis[0]


def marginals(world: WorldModel, weights: Weights) -> dict[Atom, float]:
    """Return the probability of every atom that holds in some hypothesis."""
    found: Counter[Atom] = Counter()
    for state, p in weights:
        for atom in world.states[state]:
            found[atom] += p  # type: ignore[assignment]
    return found  # type: ignore[return-value]


def goal_probability(world: WorldModel, weights: Weights) -> float:
    return sum(p for state, p in weights if world.is_goal(state))


def weights_of(world: WorldModel, belief: Belief) -> Weights:
    """Return the hypotheses of a belief; one that has none is taken as it stands."""
    state = belief.state
    if not belief.hypotheses:
        return ((world.number(state), 1.0),)
    return tuple((world.number(state ^ frozenset(h.flipped)), h.probability) for h in belief.hypotheses)


def as_belief(
    world: WorldModel,
    old: Belief,
    weights: Weights,
    turn: int,
    source: BeliefSource,
    answers: Iterable[Answer] = (),
    steps: Mapping[int, float] = MappingProxyType({}),
) -> Belief:
    """Return the belief with these hypotheses: an atom is believed if it is likelier than not.

    `steps` to the goal from a state, where they are known, become the hypothesis's note.
    """
    said = {a.atom: a for a in answers if a.verdict is not Verdict.UNKNOWN}
    probable = marginals(world, weights)
    table: dict[Atom, BeliefEntry] = {}
    for atom in probable.keys() | old.entries.keys():
        p = min(1.0, probable.get(atom, 0.0))
        verdict, was = Verdict.from_bool(p > 0.5), old.entries.get(atom)
        if was is None or was.verdict is not verdict or was.uncertain or atom in said:
            table[atom] = BeliefEntry(atom, verdict, source, turn, said.get(atom), round(p, 3))
        elif abs(_probability(was) - p) < VISIBLE_CHANGE:
            table[atom] = was
        else:
            table[atom] = replace(was, probability=round(p, 3))
    state = frozenset(a for a, e in table.items() if e.verdict is Verdict.YES)
    kept = tuple(
        Hypothesis(p, tuple(sorted(state ^ world.states[s])), _notes(steps.get(s))) for s, p in weights
    )
    return Belief(MappingProxyType(table), kept)


def _notes(steps: float | None) -> Mapping[str, float]:
    return MappingProxyType({} if steps is None else {"steps": round(steps, 1)})


def _probability(entry: BeliefEntry) -> float:
    return float(entry.verdict is Verdict.YES) if entry.probability is None else entry.probability
