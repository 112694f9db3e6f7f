"""Predict what a picture shows, according to the domain folder; not a simulator's truth."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from core.belief import Atom
from core.domains import DomainSpec, VisibilityRule
from core.planning.join import FactIndex, Join, typed_variables
from core.planning_model import Problem


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
    index = FactIndex(state)
    found: dict[str, float] = {}
    for sight in rules:
        for binding in _bindings(sight, problem, index):
            thing = binding[sight.variable]
            found[thing] = max(found.get(thing, 0.0), sight.probability)
    return found


def _bindings(sight: VisibilityRule, problem: Problem, index: FactIndex) -> Iterator[Mapping[str, str]]:
    """Yield every binding for which `where` holds; a variable of its negative literals only means "any"."""
    positive = [literal for literal in sight.where if literal.positive]
    negative = [literal for literal in sight.where if not literal.positive]
    variables = typed_variables(positive, sight.types)
    for values in Join(variables, positive, problem.of_type).run(index):
        binding = {v.name: value for v, value in zip(variables, values, strict=True)}
        if not any(index.matching(literal.bind(binding)) for literal in negative):
            yield binding
