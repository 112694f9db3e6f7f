"""Draft from a photograph by a template: without a model, it lends its actions whole, and says what steps do.

Nobody looks at the photograph. What holds at first is what holds in all tasks of the template, until a person
writes what they see.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import islice, product

from core.belief import Atom
from core.domains import DomainSpec
from core.drafting.said_goal import read_goal
from core.drafting.steps import DraftSteps
from core.drafting.world import Cell, Game, State
from core.errors import BadValue
from core.planning_model import Domain, Problem, Step, Typed

MOST_WORDS = 2_000


class LentWorld:
    """A World in which a template's actions do what they do there, from where the last problem begins."""

    size = 0
    scene = ""

    def __init__(self, game: Game, problem: Problem) -> None:
        self.name, self._game, self._problem = game.name, game, replace(problem, name="")
        self.begin(problem)

    def begin(self, problem: Problem) -> bool:
        """Take objects, first facts and goal of a version, as far as the template has their predicates.
        Return False if they are the same as before.
        """
        lent = self._game.reference
        names = {predicate.name for predicate in lent.predicates}
        state = frozenset(atom for atom in problem.state if atom.predicate in names)
        here = replace(problem, domain=lent, state=state)
        if here == self._problem:
            return False
        self._problem, self._steps = here, DraftSteps(here, self._game.word_of)
        self.words = tuple(islice(words_of(lent, here.all_objects, self._game), MOST_WORDS + 1))
        self.first: State = (self._steps.first,)
        return True

    def is_of(self, problem: Problem) -> bool:
        """Return True if the actions of a version are the template's, so that nothing can differ."""
        return problem.domain.actions == self._game.reference.actions

    def do(self, state: State, word: str) -> State | str:
        after = self._steps.after(state[0], word)
        return (after,) if after else ""

    def reached(self, state: State) -> bool:
        return self._steps.is_goal(state[0])

    def cells(self, state: State) -> Mapping[Cell, str]:
        return {}

    def problem(self, domain: Domain) -> Problem:
        return replace(self._problem, domain=domain)


def lent_problem(name: str, spec: DomainSpec, objects: Sequence[Typed], goal: str) -> Problem:
    """Return a problem of the template with these objects, and the goal if it is said. Raises BadValue."""
    if spec.domain.axioms and goal:
        raise BadValue(f"{spec.name} derives predicates, so no draft can be made of it: choose another.")
    facts = frozenset(usual(spec, objects))
    goals = read_goal(spec, objects, goal) if goal else ()
    return Problem(name, spec.domain, tuple(objects), facts, goals)


def usual(spec: DomainSpec, objects: Sequence[Typed]) -> Iterator[Atom]:
    """Yield what holds in the first state of all tasks of a template, of all things of the same types."""
    always = dict[tuple[str, ...], bool]()
    for problem in (task.problem for task in spec.tasks.values()):
        for key, atom in _atoms(spec.domain, problem.all_objects):
            always[key] = always.get(key, True) and atom in problem.state
    yield from (atom for key, atom in _atoms(spec.domain, objects) if always.get(key))


def _atoms(domain: Domain, objects: Sequence[Typed]) -> Iterator[tuple[tuple[str, ...], Atom]]:
    """Yield every fact of these objects, with its predicate and their types."""
    for predicate in domain.predicates:
        fits = ([o for o in objects if domain.is_a(o.type, p.type)] for p in predicate.parameters)
        for args in product(*fits):
            key = predicate.name, *(one.type for one in args)
            yield key, Atom(predicate.name, tuple(one.name for one in args))


def words_of(domain: Domain, objects: Sequence[Typed], game: Game) -> Iterator[str]:
    """Yield each word of a step of these objects once."""
    seen = set[str]()
    for action in domain.actions:
        fits = [[o.name for o in objects if domain.is_a(o.type, p.type)] for p in action.parameters]
        for word in (game.word_of(Step(action.name, args)) for args in product(*fits)):
            if word not in seen:
                seen.add(word)
                yield word
