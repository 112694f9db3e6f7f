"""Draft from a photograph: a person names the objects and the goal, a domain folder lends types and actions.

There is no world: what a step does is a model's word, or the template's, and so nothing is proven. Without a
model the template lends its actions whole, and says what steps do. Nobody looks at the photograph then: what
holds at first is what holds in all tasks of the template, until a person writes what they see. The goal is
then read in the template's words, "the block-1 is in the cup-1".
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import islice, product

from core.belief import Atom
from core.domains import DomainSpec
from core.drafting.source import DraftSource
from core.drafting.steps import DraftSteps
from core.drafting.world import Cell, Game, State, World
from core.errors import BadValue
from core.planning.domain_library import DOMAINS_FOLDER, load_domain_spec
from core.planning.engines.engine import SearchLimits
from core.planning_model import Domain, Literal, Predicate, Problem, Step, Typed
from core.text.untrusted_text import one_line

MOST_SAID, MOST_SHOWN, MOST_FACTS = 2_000, 300, 1_000  # characters of a goal, of what it can say; facts
MOST_WORDS = 2_000
MOST_OBJECTS, MOST_KINDS = 100, 120  # the last in characters
# A table of ten things has more states than the maps of games.
PLANNING = SearchLimits(seconds=15, improving_seconds=0)
_NAME = re.compile(r"[a-z][a-z0-9_-]{0,60}")
_ALL = re.compile(r"\ball (?:of )?(\w+?)s are\b")
_Option = tuple[str, list[str]]  # what may stand in a statement's place, and the objects that it means


def read_goal(spec: DomainSpec, objects: Sequence[Typed], text: str) -> tuple[Literal, ...]:
    """Return the facts of a goal in the statements of a domain, of named things, "every toy" or "all toys".

    A thing may be called without its number where no other is called so. Raises BadValue.
    """
    said = _plain(text[:MOST_SAID].replace("\n", "; "))
    said = _ALL.sub(r"every \1 is", said).replace("each ", "every ")
    parts = [" ".join(part.split()) for part in re.split(r"\band\b|[.,;]", said)]
    known, found = dict(_sayings(spec, objects, said)), dict[Literal, None]()
    strange = [part for part in parts if part and part.replace(" is not ", " is ", 1) not in known]
    for part in parts if not strange else ():
        facts = known.get(part.replace(" is not ", " is ", 1), ())
        found |= {Literal(fact.predicate, fact.args, " is not " not in part): None for fact in facts}
    if not 0 < len(found) <= MOST_FACTS or len(text) > MOST_SAID:
        told = f": not {one_line(strange[0], 60)!r}" if strange else ""
        raise BadValue(f"Without a model the goal is read in {spec.name}'s words{told}. {ways(spec)}")
    return tuple(found)


def ways(spec: DomainSpec) -> str:
    """Return in a sentence what a goal can say, first what the domain's tasks want."""
    said = dict[str, None]()
    for predicate in _said(spec):
        kinds = (p.type.upper() for p in predicate.parameters)
        said[spec.predicate_specs[predicate.name].statement.format(*kinds)] = None
    return f"It can say {one_line('; '.join(said), MOST_SHOWN)}; and 'every' in place of 'the'."


def _said(spec: DomainSpec) -> list[Predicate]:
    """Return the predicates that have words and that actions change, without the planner's bookkeeping."""
    wanted = {literal.predicate for task in spec.tasks.values() for literal in task.problem.goal}
    fluents = spec.domain.fluents - spec.bookkeeping
    worded = (p for p in spec.domain.predicates if p.name in fluents and spec.has_statement(p.name))
    return sorted(worded, key=lambda p: p.name not in wanted)


def _plain(text: str) -> str:
    return " ".join(re.sub(r"[-_]|\bthe\b", " ", text.lower()).split())


def _sayings(spec: DomainSpec, objects: Sequence[Typed], text: str) -> Iterator[tuple[str, list[Literal]]]:
    """Yield each sentence that may be said of what a text names, the likeliest last, with its facts."""
    short = {one.name: re.sub(r" ?\d+$", "", _plain(one.name)) for one in objects}
    often = Counter(short.values())
    for predicate in reversed(_said(spec)):
        statement, places = spec.predicate_specs[predicate.name].statement, list[list[_Option]]()
        for number, variable in enumerate(predicate.parameters):
            fits = [one for one in objects if spec.domain.is_a(one.type, variable.type)]
            options: list[_Option] = [("", [one.name for one in fits[:1]])]  # where it is not said
            if f"{{{number}}}" in statement:
                names = [(_plain(one.name), [one.name]) for one in fits]
                names += [(short[one.name], [one.name]) for one in fits if often[short[one.name]] == 1]
                for kind in ("object", *(type_.name for type_ in spec.domain.types)):
                    of_kind = [one.name for one in fits if spec.domain.is_a(one.type, kind)]
                    names.append((f"every {_plain(kind)}", of_kind))
                options = [(words, them) for words, them in names if them and words in text]
            places.append(options)
        for chosen in product(*places):
            facts = [Literal(predicate.name, args) for args in product(*(them for _, them in chosen))]
            if facts:
                yield _plain(statement.format(*(words for words, _ in chosen))), facts


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


def read_objects(text: str) -> tuple[Typed, ...]:
    """Return the objects of "red-block - block, table - place". Raises BadValue."""
    found = list[Typed]()
    for part in filter(None, (part.strip().lower() for part in text.split(","))):
        name, _, kind = (word.strip() for word in part.partition(" - "))
        if not _NAME.fullmatch(name) or not _NAME.fullmatch(kind or "object"):
            raise BadValue(
                f"{one_line(part, 40)!r} is no object: write its name and its type, 'cup-1 - container'."
            )
        found.append(Typed(name, kind or "object"))
    if len({one.name for one in found}) < len(found) or len(found) > MOST_OBJECTS:
        raise BadValue(f"Give each object a name of its own, and {MOST_OBJECTS} at most.")
    return tuple(found)


def on_photograph(source: DraftSource) -> tuple[Game, World]:
    """Return a photograph as a game with one map; without a model, the template's. Raises ConsoleError."""
    if not _NAME.fullmatch(source.map) or (DOMAINS_FOLDER / source.map).exists():
        raise BadValue(
            "Call the photograph by small letters, digits and dashes, and not as a shipped domain: its "
            f"domain cannot be kept as {one_line(source.map, 40)!r}."
        )
    spec, objects = load_domain_spec(source.template), read_objects(source.objects)
    kinds = ", ".join(sorted({t.name for t in spec.domain.types} | {"object"}))
    if not objects:
        raise BadValue(f"Name the objects, each with its type. Types: {one_line(kinds, MOST_KINDS)}.")
    if strange := next((one for one in objects if one.type not in kinds.split(", ")), None):
        raise BadValue(f"{source.template} has no type {strange.type!r} for {strange.name}: it has {kinds}.")
    if not source.goal.strip():
        raise BadValue("Say the goal in a sentence." if source.answerer else f"Say the goal. {ways(spec)}")
    verbs = {a.name: spec.verbs.get(a.name, _verb(a.name, len(a.parameters))) for a in spec.domain.actions}
    rules = "\n".join((spec.description, *_described(objects, source), f"The goal: {source.goal.strip()}"))

    def make(size: int, seed: int) -> World:
        raise BadValue("A photograph is the only map there is.")

    game = Game(source.map, rules, verbs, spec.domain, (), make, ())
    lent = lent_problem(source.map, spec, objects, source.goal if source.lent else "")
    world = LentWorld(game, lent)
    if len(world.words) > MOST_WORDS:
        raise BadValue(f"These objects give more than {MOST_WORDS:,} steps: name only those that matter.")
    return game, world


def _verb(action: str, count: int) -> str:
    return " ".join((action.replace("_", " "), *(f"{{{n}}}" for n in range(count))))


def _described(objects: tuple[Typed, ...], source: DraftSource) -> Iterator[str]:
    yield f"The objects: {', '.join(f'{one.name} - {one.type}' for one in objects)}."
    for one in source.boxes:
        across, down = f"{one.left:.0%} to {one.right:.0%}", f"{one.top:.0%} to {one.bottom:.0%}"
        yield f"{one.name} is at {across} of the photograph's width, {down} of its height."
