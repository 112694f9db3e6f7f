"""A draft as a machine of words: what a PDDL problem lets somebody do, said as the game says it.

States are the bits of what some action changes. The steps of an action are made when a fact that they need is
first met, and shared with other drafts that have the same action.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterator, Sequence
from functools import cache
from random import Random
from typing import Any, NamedTuple

from core.belief import Atom
from core.planning import semantics
from core.planning.compiled import CompiledProblem
from core.planning.fact_bits import BitOperator, FactBits, places, union
from core.planning.fact_bits import State as Facts
from core.planning.join import FactIndex, Join, projector
from core.planning_model import Action, Literal, Problem, Step
from core.work import work_in_force

MAX_STATES = 24  # of one walk: in a slipped draft a word has many steps, and the set doubles at each word
States = frozenset[int]
Walk = tuple[str, ...]
WordOf = Callable[[Step], str]


class _Kept(dict[int, dict[str, tuple[int, ...]]]):
    """Is freed piece by piece: all at once, that would hold up every other thread for a second or more."""

    def __del__(self) -> None:
        while self:
            self.popitem()


class DraftSteps:
    """What can be done in each state, found once and kept. `problem.state` is the first state."""

    def __init__(self, problem: Problem, word_of: WordOf, like: DraftSteps | None = None) -> None:
        """What the actions of a draft of the same game do that are the same is known."""
        self.problem, self.word_of = problem, word_of
        self._facts: FactBits = like._facts if like else FactBits()
        self._made: dict[Any, _ActionSteps] = dict(like._made) if like else {}
        fluent, facts = problem.domain.fluents, self._facts
        self._static = frozenset(a for a in problem.state if a.predicate not in fluent)
        self.first: States = frozenset({facts.mask(sorted(problem.state - self._static))})
        goal = [p for p in problem.goal if p.predicate in fluent]
        self._needs = union(facts.bit(p.atom) for p in goal if p.positive)
        self._forbids = union(facts.bit(p.atom) for p in goal if not p.positive)
        others = (p for p in problem.goal if p.predicate not in fluent)
        self._never = any((p.atom in self._static) != p.positive for p in others)
        self._index = FactIndex(self._static)
        by_predicate: dict[str, list[Atom]] = defaultdict(list)
        for atom in self._static:
            by_predicate[atom.predicate].append(atom)
        self._behind = {name: frozenset(atoms) for name, atoms in by_predicate.items()}
        self._wholes = dict[int, int]()
        actions = sorted(problem.domain.actions, key=lambda action: action.name)
        self._open = bool(problem.domain.axioms) or any(map(_is_open, actions))
        self._actions = {action.name: self._of(action) for action in actions}

    def edited(self, problem: Problem) -> DraftSteps:
        return DraftSteps(problem, self.word_of, self)

    def _of(self, action: Action) -> _ActionSteps:
        fluent = self.problem.domain.fluents
        parts = tuple((p.predicate in fluent, self._behind.get(p.predicate)) for p in action.precondition)
        all_ = (self.problem.domain.axioms, self._static) if self._open else None
        key = id(action), parts, self.problem.all_objects, all_
        if key not in self._made:
            made = _ActionSteps(action, self._index, self.problem, self._facts, self.word_of)
            self._made[key] = made  # which holds the action, so its id stays its own
        return self._made[key]

    def actions_of(self, words: Collection[str]) -> list[str]:
        """Return the actions of which a step may be said by one of these words."""
        return [name for name, action in self._actions.items() if any(map(action.says, words))]

    def whole(self, state: int) -> Facts:
        """Return all facts of a state, those that follow included."""
        return semantics.closure(self.problem, self._static.union(self._facts.atoms(state)))

    def _holds(self, state: int) -> int:
        """Return what steps may depend on in a state."""
        if not self._open:
            return state
        if state not in self._wholes:
            self._wholes[state] = self._facts.mask(self.whole(state))
        return self._wholes[state]

    def successors(self, state: int) -> dict[str, tuple[int, ...]]:
        """Return the states that follow, by word: at most MAX_STATES for each."""
        found, holds = dict[str, tuple[int, ...]](), self._holds(state)
        for action in self._actions.values():
            for word, after in action.successors(state, holds).items():
                found[word] = tuple(dict.fromkeys(found[word] + after)) if word in found else after
        return {word: after[:MAX_STATES] for word, after in found.items()}

    def after(self, states: States, word: str) -> States:
        """Return the states in which a word may leave the draft; none: it cannot be done."""
        found = set[int]()
        for action in self._actions.values():
            if action.says(word):
                for state in states:
                    found.update(action.successors(state, self._holds(state)).get(word, ()))
        return frozenset(found if len(found) <= MAX_STATES else sorted(found)[:MAX_STATES])

    def run(self, words: Sequence[str]) -> tuple[int, States]:
        """Return how many of the words can be done, and the states after them."""
        states = self.first
        work_in_force().spend(len(words))
        for done, word in enumerate(words):
            after = self.after(states, word)
            if not after:
                return done, states
            states = after
        return len(words), states

    def is_goal(self, states: States) -> bool:
        """Return True if the goal holds in one of these states."""
        if self.problem.domain.axioms or self.problem.goal_formulas:
            return any(semantics.goal_holds(self.problem, self.whole(state)) for state in states)
        return not self._never and any(
            not (self._needs & ~state or self._forbids & state) for state in states
        )

    def breadth(self, state: int) -> dict[str, int]:
        """Return how many steps a word says at most in a state, by action, if more than MAX_STATES are
        possible there; in a world it is one.
        """
        holds = self._holds(state)
        words = {n: Counter(s.word for s in action.possible(holds)) for n, action in self._actions.items()}
        if sum(count.total() for count in words.values()) < MAX_STATES:
            return {}
        return {name: max(count.values()) for name, count in words.items() if count}

    def states_of(self, words: Sequence[str]) -> Iterator[int]:
        """Yield the states along a walk, as far as the draft can go."""
        states = self.first
        for word in words:
            yield from sorted(states)
            states = self.after(states, word)

    def walk(self, length: int, draw: Random) -> Walk:
        """Return a random walk that the draft can do; shorter if nothing is left to do."""
        (state,), said = self.first, list[str]()
        for _ in range(length):
            choices = [(word, after) for word, all_ in self.successors(state).items() for after in all_]
            if not choices:
                break
            word, state = draw.choice(choices)
            said.append(word)
        return tuple(said)


class _Ground(NamedTuple):
    step: tuple[str, ...]  # by which steps are sorted
    word: str
    way: BitOperator


def _is_open(action: Action) -> bool:
    return bool(action.formulas) or any(e.condition or e.formulas or e.variables for e in action.effects)


class _ActionSteps:
    """The steps of one action, made for one fact after the other that makes its `pivot` true."""

    def __init__(
        self, action: Action, index: FactIndex, problem: Problem, facts: FactBits, word_of: WordOf
    ) -> None:
        self._action, self._index, self._facts, self._word_of = action, index, facts, word_of
        fluent = problem.domain.fluents
        needs = [p for p in action.precondition if p.predicate in fluent]
        self._pivot = max((p for p in needs if p.positive), key=lambda p: len(set(p.args)), default=None)
        names = [p.name for p in action.parameters]
        self._first = tuple(dict.fromkeys(a for a in (self._pivot.args if self._pivot else ()) if a in names))
        order = [*self._first, *(name for name in names if name not in self._first)]
        variables = sorted(action.parameters, key=lambda p: order.index(p.name))
        static = [p for p in action.precondition if p.predicate not in fluent]
        self._join = Join(variables, static, problem.of_type, len(self._first))
        self._args = projector(names, order)
        effects = [e.literal for e in action.effects]
        self._masks = [self._mask(part, sign) for part in (needs, effects) for sign in (True, False)]
        self._compiled = CompiledProblem(problem, facts=facts) if _is_open(action) else None
        any_word = re.escape(word_of(Step(action.name, ("\0",) * len(names))))
        self.says = cache(re.compile(any_word.replace(re.escape("\0"), r"\S+")).fullmatch)
        self._by_fact: dict[int, list[_Ground]] = {}
        self._idle = 0  # facts that make no pivot true
        self._known = _Kept()

    def _mask(self, literals: Sequence[Literal], positive: bool) -> Callable[[tuple[str, ...]], int]:
        """Return what gives the bits of these literals' facts for the arguments of a step."""
        names, facts = [p.name for p in self._action.parameters], self._facts
        picks = [(p.predicate, projector(p.args, names)) for p in literals if p.positive is positive]
        return lambda args: union(1 << facts[name, pick(args)] for name, pick in picks)  # type: ignore[index]

    def successors(self, state: int, holds: int) -> dict[str, tuple[int, ...]]:
        """Return the states that follow where this `holds`, by word: at most MAX_STATES for each."""
        if state not in self._known:
            found, steps = dict[str, dict[int, None]](), self.possible(holds)
            work_in_force().spend(2 + len(steps))
            for step in steps:
                adds, deletes = step.way.changes(holds)
                found.setdefault(step.word, {})[state & ~deletes | adds] = None
            self._known[state] = {word: tuple(after)[:MAX_STATES] for word, after in found.items()}
        return self._known[state]

    def possible(self, holds: int) -> list[_Ground]:
        """Return the steps that can be done where this holds, in the order of their names."""
        facts = places(holds & ~self._idle) if self._pivot else (-1,)
        return sorted(step for place in facts for step in self._of(place) if step.way.applicable(holds))

    def _of(self, place: int) -> list[_Ground]:
        """Return the steps whose pivot is the fact at this place, -1 for none."""
        if place not in self._by_fact:
            (fact,) = self._facts.atoms(1 << place) if place >= 0 else (None,)
            steps = self._by_fact[place] = list(self._made(fact))
            self._idle |= 0 if steps or place < 0 else 1 << place
        return self._by_fact[place]

    def _made(self, fact: Atom | None) -> Iterator[_Ground]:
        bound: dict[str, str] = {}
        if fact is not None and self._pivot is not None:
            pairs = zip(self._pivot.args, fact.args, strict=False)
            bound = {name: value for name, value in pairs if name in self._first}
            if self._pivot.bind(bound).atom != fact:
                return
        for values in self._join.run(self._index, tuple(bound[name] for name in self._first)):
            args = self._args(values)
            step = Step(self._action.name, args)
            if self._compiled:
                way = self._compiled.operator(step)
            else:
                needs, forbids, adds, deletes = (mask(args) for mask in self._masks)
                way = BitOperator(step, needs, forbids, adds, deletes)
            yield _Ground((step.name, *args), self._word_of(step), way)
