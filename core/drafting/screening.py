"""Screen a draft before it is scored: what the reader refuses, and what can be read but cannot be right."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations, islice
from pathlib import Path
from tempfile import TemporaryDirectory

from core.belief import Atom
from core.drafting.replies import MAX_SENTENCE
from core.errors import ConsoleError
from core.planning.join import FactIndex, Join
from core.planning.pddl.reader import parse_domain, parse_problem
from core.planning.pddl.second_reading import Unread, differences
from core.planning.runnable import check_runnable
from core.planning_model import Action, Domain, Problem
from core.text.untrusted_text import one_line

MOST_AGENTS = 3
MOST_OBJECTS, MOST_PARAMETERS, MOST_STEPS = 500, 10, 50_000  # that can be tried
_CELL = re.compile(r"(.*?)(\d+)\D(\d+)$")
_PLACE = re.compile(r"(the domain|the problem)(?:, line (\d+))?: ")


@dataclass(frozen=True)
class Screened:
    """A draft that can be read, or None, and its faults in sentences with a line."""

    problem: Problem | None
    faults: tuple[str, ...]

    @property
    def passed(self) -> bool:
        return self.problem is not None and not self.faults


def screen(template: Domain, domain_text: str, problem_text: str) -> Screened:
    """Read both texts and look for faults. Raises nothing."""
    try:
        domain = parse_domain(domain_text)
        problem = parse_problem(problem_text, domain)
        check_runnable(problem)
    except ConsoleError as error:
        return Screened(None, (_placed(one_line(error, MAX_SENTENCE), domain_text),))
    except RecursionError:
        return Screened(None, ("the problem, line 1: its brackets are nested too deeply.",))
    found = [*_against_template(template, domain), *_of_actions(domain), *_of_goal(problem)]
    found += [*_of_state(problem), *_of_links(problem)]
    texts = {"the domain": domain_text, "the problem": problem_text}
    told = (one_line(f"{where}, line {_line(texts[where], key)}: {what}.", 300) for where, key, what in found)
    return Screened(problem, tuple(told))


def read_otherwise(problem: Problem, domain_text: str, problem_text: str) -> tuple[str, ...]:
    """Return in sentences with a line what a second reader, tarski, says of both texts. Raises OSError."""
    with TemporaryDirectory() as folder:
        files = Path(folder, "domain.pddl"), Path(folder, "problem.pddl")
        for file, text in zip(files, (domain_text, problem_text), strict=True):
            file.write_text(text, "utf-8")
        try:
            found = [f"tarski reads {what} differently" for what in differences(*files, problem)]
        except Unread as error:
            found = [f"tarski, a second reader, cannot read it ({error})"]
    keys = (re.search(r"the action (\S+)", what) for what in found)
    lines = (_line(domain_text, action_key(key[1])) if key else 1 for key in keys)
    return tuple(f"the domain, line {line}: {what}." for line, what in zip(lines, found, strict=True))


def overgrown(problem: Problem) -> str:
    """Return why a draft is too large to be tried, "" if it is not."""
    if (count := len(problem.all_objects)) > MOST_OBJECTS:
        return f"the problem, line 1: it has {count:,} objects, and {MOST_OBJECTS} can be tried."
    index = FactIndex(problem.state)
    for action in problem.domain.actions:
        if (count := len(action.parameters)) > MOST_PARAMETERS:
            most = f"and {MOST_PARAMETERS} can be tried"
            return f"the domain, line 1: {action.name} has {count} parameters, {most}."
        steps = Join(action.parameters, action.precondition, problem.of_type).run(index)
        if sum(1 for _ in islice(steps, MOST_STEPS)) == MOST_STEPS:
            return (
                f"the domain, line 1: {action.name} has {MOST_STEPS:,} steps or more in the first state, "
                "too many to be tried: give it a precondition."
            )
    return ""


def place_of(fault: str) -> tuple[str, int]:
    """Return the file that a fault is in, DOMAIN or PROBLEM, and its line from 1; "", 0 for none."""
    found = _PLACE.match(fault)
    return (found[1], int(found[2] or 1)) if found else ("", 0)


def _placed(fault: str, domain_text: str) -> str:
    """Return a fault with the line of the action that it names, if it tells no place."""
    named = re.search(r"action '([^']+)'", fault)
    if place_of(fault)[0] or named is None:
        return fault
    return f"the domain, line {_line(domain_text, action_key(named[1]))}: {fault}"


Fault = tuple[str, str, str]  # the file, what stands in its line, what is wrong
DOMAIN, PROBLEM = "the domain", "the problem"


def _line(text: str, key: str) -> int:
    at = re.search(key, text, re.I)
    return text.count("\n", 0, at.start()) + 1 if at else 1


def action_key(action: str) -> str:
    """Return what matches the beginning of an action in a domain."""
    return rf":action\s+{re.escape(action)}\s"


def fact_key(atom: Atom) -> str:
    """Return what matches a fact, however it is written."""
    return r"\(\s*" + r"\s+".join(map(re.escape, (atom.predicate, *atom.args))) + r"\s*\)"


def _against_template(template: Domain, domain: Domain) -> Iterator[Fault]:
    here = {action.name: action for action in domain.actions}
    for action in template.actions:
        if (drafted := here.get(action.name)) is None:
            yield DOMAIN, r"\(domain", f"the action {action.name} of the template is missing"
        elif drafted.parameters != action.parameters:
            yield DOMAIN, action_key(action.name), f"the parameters of {action.name} are not the template's"
    for name in here.keys() - {action.name for action in template.actions}:
        yield DOMAIN, action_key(name), f"the template has no action {name}"


def _of_actions(domain: Domain) -> Iterator[Fault]:
    for action in domain.actions:
        if not action.effects:
            yield DOMAIN, action_key(action.name), f"{action.name} has no effect"
    for one, other in combinations(domain.actions, 2):
        if one.effects and _meaning(one) == _meaning(other):
            what = f"{other.name} has the preconditions and effects of {one.name}"
            yield DOMAIN, action_key(other.name), what


def _meaning(action: Action) -> object:
    place = {p.name: str(n) for n, p in enumerate(action.parameters)}
    pre = frozenset(literal.bind(place) for literal in action.precondition)
    effects = frozenset((e.literal.bind(place), e.condition) for e in action.effects)
    return pre, effects, action.formulas, tuple(p.type for p in action.parameters)


def _of_goal(problem: Problem) -> Iterator[Fault]:
    if not problem.goal and not problem.goal_formulas:
        yield PROBLEM, r":goal", "the goal is empty"
    made = {(e.literal.predicate, e.literal.positive) for a in problem.domain.actions for e in a.effects}
    for goal in problem.goal:
        if (goal.predicate, goal.positive) not in made and (goal.atom in problem.state) != goal.positive:
            yield PROBLEM, r":goal", f"no action makes {goal} true"


def _of_state(problem: Problem) -> Iterator[Fault]:
    for predicate, rest in _agents(problem.domain):
        places: dict[tuple[str, ...], list[Atom]] = {}
        for atom in sorted(problem.state):
            if atom.predicate == predicate:
                places.setdefault(atom.args[:rest], []).append(atom)
        for first, *more in places.values():
            if len(more) >= MOST_AGENTS:  # free cells move as agents do, but there are more of them
                continue
            for atom in more:
                yield PROBLEM, fact_key(atom), f"{first} and {atom} put one agent in two cells"
    for one, other in _opposites(problem.domain):
        for atom in sorted(problem.state):
            if atom.predicate == one and Atom(other, atom.args) in problem.state:
                yield PROBLEM, fact_key(atom), f"{atom} and {Atom(other, atom.args)} exclude each other"


def _agents(domain: Domain) -> Iterator[tuple[str, int]]:
    """Yield each predicate that says where an agent is, and how many arguments name the agent.

    Whatever adds it takes it from elsewhere, and every action in a place needs it.
    """
    for predicate in domain.predicates:
        if not predicate.parameters:
            continue
        rest, kind = len(predicate.parameters) - 1, predicate.parameters[-1].type
        added = False
        for action in domain.actions:
            changes = [e.literal for e in action.effects if e.literal.predicate == predicate.name]
            came = Counter(c.args[:rest] for c in changes if c.positive)
            went = Counter(c.args[:rest] for c in changes if not c.positive)
            needed = any(p.predicate == predicate.name and p.positive for p in action.precondition)
            placed = sum(domain.is_a(p.type, kind) for p in action.parameters)
            if came != went or (placed and not needed):
                break
            added = added or bool(came)
        else:
            if added:
                yield predicate.name, rest


def _opposites(domain: Domain) -> Iterator[tuple[str, str]]:
    """Yield each pair of predicates of which every action that adds one deletes the other."""
    effects = [[e.literal for e in action.effects] for action in domain.actions]
    names = [p.name for p in domain.predicates]

    def always(one: str, other: str) -> bool | None:
        kept = [
            any(d.predicate == other and not d.positive and d.args == a.args for d in changes)
            for changes in effects
            for a in changes
            if a.predicate == one and a.positive
        ]
        return all(kept) if kept else None

    for one, other in combinations(names, 2):
        ways = always(one, other), always(other, one)
        if False not in ways and True in ways:
            yield one, other


def _of_links(problem: Problem) -> Iterator[Fault]:
    """Yield what is wrong with the links between cells, if their names tell row and column."""
    fluent = problem.domain.fluents
    links = {ends: atom for atom in sorted(problem.state) if (ends := _ends(fluent, atom))}
    if sum((b, a) in links for a, b in links) * 2 < len(links):
        return
    for (a, b), atom in links.items():
        if abs(_place(a)[0] - _place(b)[0]) + abs(_place(a)[1] - _place(b)[1]) != 1:
            yield PROBLEM, fact_key(atom), f"{atom} links cells that are no neighbours"
    lacking = (ends for link in missing_links(problem) if (ends := _ends(fluent, link)) and ends not in links)
    for a, b in dict.fromkeys(lacking):
        if back := links.get((b, a)):
            yield PROBLEM, fact_key(back), f"{back} leads one way only: nothing leads from {a} to {b}"
        elif a < b:
            yield PROBLEM, re.escape(a), f"nothing links the neighbours {a} and {b}"


def _ends(fluent: Collection[str], fact: Atom) -> tuple[str, str] | None:
    """Return the two cells that a fact links which no action changes; None: it links none."""
    ends = [name for name in fact.args if _CELL.match(name)]
    return (ends[0], ends[1]) if len(ends) == 2 and fact.predicate not in fluent else None


def missing_links(problem: Problem) -> Iterator[Atom]:
    """Yield the links between neighbours that are not there, where most links of their kind are."""
    cells = {_place(o.name): o.name for o in problem.all_objects if _CELL.match(o.name)}
    kinds = _kinds(problem.state, problem.domain.fluents)
    for (down, right, predicate, form), count in sorted(kinds.items()):
        pairs = [
            (c, cells[p[0] + down, p[1] + right])
            for p, c in sorted(cells.items())
            if (p[0] + down, p[1] + right) in cells
        ]
        if abs(down) + abs(right) == 1 and 2 * count > len(pairs):
            links = (Atom(predicate, tuple(part.format(*pair) for part in form)) for pair in pairs)
            yield from (link for link in links if link not in problem.state)


_Kind = tuple[int, int, str, tuple[str, ...]]


@lru_cache(16)
def _kinds(state: frozenset[Atom], fluent: frozenset[str]) -> Counter[_Kind]:
    return Counter(kind for fact in state if (kind := _kind(fluent, fact)))


def _kind(fluent: frozenset[str], fact: Atom) -> _Kind | None:
    """Return how far a link leads down and to the right, and what it says besides; None for no link."""
    if (ends := _ends(fluent, fact)) is None:
        return None
    (row, column), (to, beside) = map(_place, ends)
    form = tuple("{0}" if a == ends[0] else "{1}" if a == ends[1] else a for a in fact.args)
    return to - row, beside - column, fact.predicate, form


def is_likely(problem: Problem, fact: Atom) -> bool:
    """Return False for a link of which there is no other of its kind, such as one that is called left and
    leads up.
    """
    fluent = problem.domain.fluents
    kind = _kind(fluent, fact)
    return kind is None or kind in _kinds(problem.state, fluent)


@lru_cache(1_000)
def _place(name: str) -> tuple[int, int]:
    found = _CELL.match(name)
    assert found is not None
    return int(found[2]), int(found[3])
