"""Possible outcomes of a step: the action's effects, or a situation of the domain folder instead.

A simulated world draws one of the outcomes; a method weighs them all. What "falls" means is data: every fact
that the mutexes state about the fallen thing ends, and the rules then say where a thing without a place is.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from core.belief import Atom
from core.config import OPENNESS_LIMIT
from core.domains import DomainSpec, Situation, WorldRules
from core.errors import BadValue, UnknownName
from core.planning import semantics
from core.planning.default_rules import RuleSet
from core.planning.join import matches
from core.planning.remembered import remembered
from core.planning_model import Literal, Problem, Step

State = frozenset[Atom]
IN_HAND = "inhand"  # the predicate that defines "?held": its last argument


@dataclass(frozen=True)
class Outcome:
    """One possible outcome of a step."""

    probability: float
    situation: str  # "" where the step works
    state: State


class OutcomeModel:
    """The outcomes of every step of a problem. Pure; it holds only tables made from its arguments.

    `situations` holds those of each action, with the rates that apply here.
    """

    def __init__(
        self, problem: Problem, rules: DomainSpec | WorldRules, situations: Mapping[str, Sequence[Situation]]
    ) -> None:
        self.problem, self.situations = problem, situations
        self._mutexes = rules.mutexes
        self._rules = RuleSet(rules, problem)

    @staticmethod
    def for_agent(domain_spec: DomainSpec, problem: Problem, openness: float = 1.0) -> OutcomeModel:
        """Return an agent's model: the folder's (or default) situations, and its assumptions."""
        names = (action.name for action in problem.domain.actions)
        return OutcomeModel(
            problem,
            domain_spec,
            {n: scale_rates(domain_spec.expected_situations(n), openness) for n in names},
        )

    def outcomes(self, state: State, step: Step) -> tuple[Outcome, ...]:
        """Return the outcomes, success first. An inapplicable step changes nothing."""
        if not semantics.is_applicable(self.problem, state, step):
            return (Outcome(1.0, "", state),)
        return self.outcomes_of_applicable(state, step)

    def outcomes_of_applicable(self, state: State, step: Step) -> tuple[Outcome, ...]:
        """Return the outcomes of an applicable step, success first."""
        after, names = semantics.apply(self.problem, state, step), _term_values(state, step)
        possible = [
            Outcome(situation.rate, situation.name, self._situated(state, situation, after, names))
            for situation in self.situations.get(step.name, ())
            if situation.rate and _terms(situation) <= names.keys()
        ]
        works = max(0.0, 1.0 - sum(outcome.probability for outcome in possible))
        return (Outcome(works, "", after), *possible)

    def can_happen(self, state: State, step: Step, situation: Situation) -> bool:
        """Return True if all terms of the situation exist: nothing can fall from an empty hand."""
        return _terms(situation) <= _term_values(state, step).keys()

    def falling(self, state: State, step: Step, situation: Situation) -> str:
        """Return what falls in the situation; "" if nothing does."""
        return _term_values(state, step).get(situation.drops, "")

    def state_after(self, state: State, step: Step, situation: Situation | None) -> State:
        """Return the state after an applicable step in which this situation occurs."""
        after = semantics.apply(self.problem, state, step)
        if situation is None:
            return after
        return self._situated(state, situation, after, _term_values(state, step))

    def _situated(self, state: State, situation: Situation, after: State, names: Mapping[str, str]) -> State:
        """Return the state after a step in which a situation occurs; `after` is the one without it."""
        if situation.in_addition:
            state = after
        if situation.drops:
            state = self._detach(state, names[situation.drops])
        bound = [effect.bind(names) for effect in situation.effects]
        state = state.difference(e.atom for e in bound if not e.positive)
        state = state.union(e.atom for e in bound if e.positive)
        return self._rules.apply_to_state(state) if situation.drops else state

    def _detach(self, state: State, thing: str) -> State:
        """Return the state without the facts that mutexes cover about the thing: in no hand and in no
        place."""
        patterns = self.places_of(thing)
        return frozenset(
            atom for atom in state if thing not in atom.args or not any(matches(atom, p) for p in patterns)
        )

    @remembered
    def places_of(self, thing: str) -> tuple[Literal, ...]:
        """Return the patterns of the facts that say where a thing is; all of them name it."""
        return tuple(
            pattern.bind({variable.name: thing})
            for exclusive in self._mutexes
            for variable in exclusive.forall
            if thing in self.problem.of_type(variable.type)
            for pattern in exclusive.literals
            if variable.name in pattern.args
        )


def effects_hold(problem: Problem, before: State, now: State, step: Step) -> bool:
    """Return True if the effects that the action has in the state `before` hold now.

    Effects on objects that the step does not name are ignored: they are bookkeeping of the planner rather
    than the purpose of the step, and are out of view.
    """
    try:
        touched = semantics.touched(problem, step, always=True)
    except KeyError:  # no action of the domain
        return False
    promised = semantics.apply(problem, before, step)
    named = {*step.args, *(constant.name for constant in problem.domain.constants)}
    effects = (a for a in (promised ^ before) | touched if named.issuperset(a.args))
    return all((a in now) == (a in promised) for a in effects)


def scale_rates(
    situations: Iterable[Situation], openness: float, rates: Mapping[str, float] | None = None
) -> tuple[Situation, ...]:
    """Return the situations with their rates at this openness: none at 0, Table 6 at 1.

    `rates` replaces single rates (at openness 1) by the situation's name. Raises BadValue.
    """
    if not 0 <= openness <= OPENNESS_LIMIT:
        raise BadValue(
            f"Openness {openness:g} is outside its range: 0 (nothing goes wrong) to {OPENNESS_LIMIT:g}, "
            "and 1 is the paper's Table 6."
        )
    chosen = rates or {}
    result = tuple(replace(s, rate=chosen.get(s.name, s.rate) * openness) for s in situations)
    total = sum(s.rate for s in result)
    if total > 1 or any(s.rate < 0 for s in result):
        names = ", ".join(s.name for s in result)
        raise BadValue(f"The rates of {names} add up to {total:g}: lower them or the openness, to at most 1.")
    return result


def scaled_situations(
    domain_spec: DomainSpec, openness: float, rates: Mapping[str, float] | None
) -> dict[str, tuple[Situation, ...]]:
    """Return each skill's, as `scale_rates` does. Raises UnknownName for a rate that belongs to none."""
    known = {s.name for skill in domain_spec.skills.values() for s in skill.situations}
    for name in rates or {}:
        if name not in known:
            raise UnknownName("situation", name, known)
    return {a: scale_rates(skill.situations, openness, rates) for a, skill in domain_spec.skills.items()}


@lru_cache(maxsize=1024)
def _terms(situation: Situation) -> frozenset[str]:
    """Return the terms that must stand for something."""
    terms = {situation.drops, *(arg for effect in situation.effects for arg in effect.args)}
    return frozenset(term for term in terms if term.startswith("?"))


def _term_values(state: State, step: Step) -> dict[str, str]:
    """Return what the terms of a situation stand for in this step."""
    names = {f"?{n}": name for n, name in enumerate(step.args)}
    held = [atom.args[-1] for atom in sorted([a for a in state if a.predicate == IN_HAND])]
    return {**names, "?held": held[0]} if held else names
