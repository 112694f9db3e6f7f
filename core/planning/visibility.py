"""What a picture is expected to show, according to the domain folder; not a simulator's truth."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from core.belief import Atom
from core.domains import DomainSpec, VisibilityRule
from core.planning.fact_index import Index, index_facts, matching_args
from core.planning_model import Literal, Problem
from core.work import work_in_force


def visible_objects(
    domain_spec: DomainSpec, problem: Problem, state: frozenset[Atom], predicate: str = ""
) -> Mapping[str, float]:
    """Return each object that a picture taken in this state may show, with its probability; with `predicate`,
    so well that this can be judged of it.

    Pictures of a folder without visibility rules show everything.
    """
    if not domain_spec.visibility_rules:
        return {thing.name: 1.0 for thing in problem.all_objects}
    rules = [rule for rule in domain_spec.visibility_rules if predicate not in rule.hides]
    wanted = {literal.predicate for rule in rules for literal in rule.where}
    index = index_facts(atom for atom in state if atom.predicate in wanted)
    found: dict[str, float] = {}
    for sight in rules:
        for binding in _bindings(sight, sight.where, {}, problem, index):
            thing = binding[sight.variable]
            found[thing] = max(found.get(thing, 0.0), sight.probability)
    return found


def _bindings(
    sight: VisibilityRule,
    where: tuple[Literal, ...],
    binding: Mapping[str, str],
    problem: Problem,
    index: Index,
) -> Iterator[Mapping[str, str]]:
    """Yield every binding for which all of `where` holds; an unbound variable of a negative one means
    "any"."""
    if not where:
        yield binding
        return
    pattern = where[0]
    args = [binding.get(term, term) for term in pattern.args]
    variables = [(n, term) for n, term in enumerate(args) if term.startswith("?")]
    found = (_values(variables, atom) for atom in matching_args(pattern.predicate, args, index))
    values = [more for more in found if more is not None]
    if not pattern.positive:
        if not values:
            yield from _bindings(sight, where[1:], binding, problem, index)
        return
    work_in_force().spend(len(values))
    for more in values:
        if all(more[t.name] in problem.of_type(t.type) for t in sight.types if t.name in more):
            yield from _bindings(sight, where[1:], {**binding, **more}, problem, index)


def _values(variables: Sequence[tuple[int, str]], atom: Atom) -> Mapping[str, str] | None:
    """Return the values of a pattern's variables for an atom that matches it; None if one would have two."""
    found: dict[str, str] = {}
    for place, variable in variables:
        name = atom.args[place]
        if found.setdefault(variable, name) != name:
            return None
    return found
