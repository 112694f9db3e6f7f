"""A draft as a machine of words: what a PDDL problem lets somebody do, said as the game says it.

States hold only what some action changes. What an action can do is kept by the facts that it depends on, and
shared with other drafts that have the same action.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice
from random import Random
from typing import Any, NamedTuple, TypeVar

from core.belief import Atom
from core.planning import semantics
from core.planning.compiled import CompiledProblem
from core.planning.fact_bits import BitOperator
from core.planning.fact_bits import State as Facts
from core.planning.join import FactIndex, Join
from core.planning_model import Action, Problem, Step

MAX_STATES = 24  # of one walk: in a slipped draft a word has many steps, and the set doubles at each word
States = frozenset[Facts]
Walk = tuple[str, ...]
WordOf = Callable[[Step], str]
Shared = dict[Any, "_ActionSteps"]
_ByWord = dict[str, list["_Change"]]


K = TypeVar("K")
V = TypeVar("V")


class _Kept(dict[K, V]):
    """Is freed piece by piece: all at once, that would hold up every other thread for a second or more."""

    def __del__(self) -> None:
        while self:
            self.popitem()


class DraftSteps:
    """What can be done in each state, found once and kept. `problem.state` is the first state."""

    def __init__(self, problem: Problem, word_of: WordOf, shared: Shared | None = None) -> None:
        self.problem, self.shared = problem, {} if shared is None else shared
        fluent = problem.domain.fluents
        self._static = frozenset(a for a in problem.state if a.predicate not in fluent)
        self.first: States = frozenset({problem.state - self._static})
        self._possible = _Kept[Facts, list[_ByWord]]()
        self._known = _Kept[tuple[Facts, str], tuple[Facts, ...]]()
        index = FactIndex(self._static)
        self._actions = [self._of(action, index, fluent, word_of) for action in problem.domain.actions]

    def _of(self, action: Action, index: FactIndex, fluent: frozenset[str], word_of: WordOf) -> _ActionSteps:
        needed = frozenset(p.predicate for p in action.precondition if p.predicate in fluent)
        static = {p.predicate for p in action.precondition} - needed
        behind = frozenset(a for a in self._static if a.predicate in static)
        key = action, behind, needed, self.problem.all_objects
        if key not in self.shared:
            join = Join(action.parameters, action.precondition, self.problem.of_type)
            self.shared[key] = _ActionSteps(action, join, index, needed, self.problem, word_of)
        return self.shared[key]

    def whole(self, state: Facts) -> Facts:
        """Return all facts of a state, those that follow included."""
        return semantics.closure(self.problem, state | self._static)

    def successors(self, state: Facts) -> dict[str, tuple[Facts, ...]]:
        """Return the states that follow, by word."""
        found = ((word, tuple(self._following(state, word))) for word in self.words(state))
        return {word: after for word, after in found if after}

    def words(self, state: Facts) -> dict[str, None]:
        """Return the words for which an action's literals hold, though some formula may not."""
        return dict.fromkeys(word for by_word in self._possible_in(state) for word in by_word)

    def _possible_in(self, state: Facts) -> list[_ByWord]:
        if state not in self._possible:
            by_predicate: dict[str, list[Atom]] = {}
            for atom in self.whole(state) if self.problem.domain.axioms else state:
                by_predicate.setdefault(atom.predicate, []).append(atom)
            self._possible[state] = [action.possible(by_predicate) for action in self._actions]
        return self._possible[state]

    def _following(self, state: Facts, word: str) -> Iterator[Facts]:
        found = set[Facts]()
        for action, by_word in zip(self._actions, self._possible_in(state), strict=True):
            for change in by_word.get(word, ()):
                done = action.changed(change.open, self.whole(state)) if change.open else change
                if done is not None and (after := (state - done.deletes) | done.adds) not in found:
                    found.add(after)
                    yield after

    def after(self, states: States, word: str) -> States:
        """Return the states in which a word may leave the draft; none: it cannot be done."""
        if len(states) == 1:
            (state,) = states
            return frozenset(self._after(state, word))
        found: dict[Facts, None] = {}
        for state in sorted(states, key=sorted):
            found.update(dict.fromkeys(self._after(state, word)))
            if len(found) >= MAX_STATES:
                break
        return frozenset(list(found)[:MAX_STATES])

    def _after(self, state: Facts, word: str) -> tuple[Facts, ...]:
        if (state, word) not in self._known:
            self._known[state, word] = tuple(islice(self._following(state, word), MAX_STATES))
        return self._known[state, word]

    def run(self, words: Sequence[str]) -> tuple[int, States]:
        """Return how many of the words can be done, and the states after them."""
        states = self.first
        for done, word in enumerate(words):
            after = self.after(states, word)
            if not after:
                return done, states
            states = after
        return len(words), states

    def is_goal(self, states: States) -> bool:
        """Return True if the goal holds in one of these states."""
        problem = self.problem
        if problem.domain.axioms or problem.goal_formulas:
            return any(semantics.goal_holds(problem, state | self._static) for state in states)
        return any(
            all((g.atom in state or g.atom in self._static) == g.positive for g in problem.goal)
            for state in states
        )

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


class _Change(NamedTuple):
    """What a step does; `open` is what depends on more of the state than its literals."""

    adds: Facts
    deletes: Facts
    open: BitOperator | None = None


@dataclass
class _ActionSteps:
    """The possible steps of one action, by the facts that its precondition is about."""

    action: Action
    join: Join
    static: FactIndex
    needed: frozenset[str]
    problem: Problem  # for its objects
    word_of: WordOf
    known: _Kept[Facts, _ByWord] = field(default_factory=_Kept)
    steps: dict[tuple[str, ...], tuple[str, _Change]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.compiled = CompiledProblem(self.problem)

    def possible(self, by_predicate: dict[str, list[Atom]]) -> _ByWord:
        facts = frozenset(a for name in self.needed for a in by_predicate.get(name, ()))
        if facts not in self.known:
            found = self.known[facts] = {}
            for args in sorted(self.join.run(_Layered(facts, self.static))):
                word, change = self._said(args)
                found.setdefault(word, []).append(change)
        return self.known[facts]

    def _said(self, args: tuple[str, ...]) -> tuple[str, _Change]:
        if args not in self.steps:
            step = Step(self.action.name, args)
            op = self.compiled.operator(step)
            change = self._change(op.adds, op.deletes, op if op.effects or op.has_tests else None)
            self.steps[args] = self.word_of(step), change
        return self.steps[args]

    def changed(self, op: BitOperator, whole: Facts) -> _Change | None:
        """Return what an operator does in a state, None if it is not applicable."""
        state = self.compiled.facts.mask(whole)
        return self._change(*op.changes(state)) if op.applicable(state) else None

    def _change(self, adds: int, deletes: int, open: BitOperator | None = None) -> _Change:
        atoms = self.compiled.facts.atoms
        return _Change(frozenset(atoms(adds)), frozenset(atoms(deletes)), open)


class _Layered(FactIndex):
    """The facts of a state over an index of those that never change."""

    def __init__(self, facts: Facts, static: FactIndex) -> None:
        super().__init__(facts)
        self._static = static

    def holds(self, predicate: str, args: tuple[str, ...]) -> bool:
        return super().holds(predicate, args) or self._static.holds(predicate, args)

    def table(self, predicate: str, places: tuple[int, ...], target: int) -> Any:
        if predicate in self._facts:
            return super().table(predicate, places, target)
        return self._static.table(predicate, places, target)
