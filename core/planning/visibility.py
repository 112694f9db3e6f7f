"""What a picture is expected to show, according to the domain folder; not a simulator's truth."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from core.belief import Atom
from core.domains import DomainSpec, VisibilityRule
from core.planning_model import Literal, Problem


def visible_objects(domain_spec: DomainSpec, problem: Problem, state: frozenset[Atom]) -> Mapping[str, float]:
    """Return each object that a picture taken in this state may show, with its probability.

    Pictures of a folder without visibility rules show everything.
    """
    if not domain_spec.visibility_rules:
        return {thing.name: 1.0 for thing in problem.all_objects}
    found: dict[str, float] = {}
    for sight in domain_spec.visibility_rules:
        for binding in _bindings(sight, sight.where, {}, problem, state):
            thing = binding[sight.variable]
            found[thing] = max(found.get(thing, 0.0), sight.probability)
    return found


def _bindings(
    sight: VisibilityRule,
    where: tuple[Literal, ...],
    binding: Mapping[str, str],
    problem: Problem,
    state: frozenset[Atom],
) -> Iterator[Mapping[str, str]]:
    """Yield every binding for which all of `where` holds; an unbound variable of a negative one means
    "any"."""
    if not where:
        yield binding
        return
    pattern = where[0].bind(binding)
    matches = [more for atom in state if (more := _match(pattern, atom)) is not None]
    if not pattern.positive:
        if not matches:
            yield from _bindings(sight, where[1:], binding, problem, state)
        return
    for more in matches:
        if all(more[t.name] in problem.of_type(t.type) for t in sight.types if t.name in more):
            yield from _bindings(sight, where[1:], {**binding, **more}, problem, state)


def _match(pattern: Literal, atom: Atom) -> Mapping[str, str] | None:
    """Return the values of the pattern's variables for this atom; None if it does not match."""
    if pattern.predicate != atom.predicate:
        return None
    found: dict[str, str] = {}
    for term, name in zip(pattern.args, atom.args, strict=True):
        if found.setdefault(term, name) != name or (not term.startswith("?") and term != name):
            return None
    return found
