"""What a picture shows, as the domain folder has it: pure, and an expectation, not a simulator's truth."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from core.belief import Atom
from core.domains import DomainSpec, VisibilityRule
from core.planning_model import Literal, Problem


def visible_objects(domain_spec: DomainSpec, problem: Problem, state: frozenset[Atom]) -> Mapping[str, float]:
    """Each thing that a picture taken in this state may show, and how surely.

    A folder that says nothing of sight has pictures that show everything.
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
    """Every binding under which all of `where` is so; an unbound variable of a negative one means "any"."""
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
    """What the pattern's variables stand for in this atom; None where it is another one."""
    if pattern.predicate != atom.predicate:
        return None
    found: dict[str, str] = {}
    for term, name in zip(pattern.args, atom.args, strict=True):
        if found.setdefault(term, name) != name or (not term.startswith("?") and term != name):
            return None
    return found
