"""Predict what a picture shows, according to the domain folder; not a simulator's truth."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from core.belief import Atom
from core.domains import DomainSpec, VisibilityRule
from core.planning.join import FactIndex, Join, typed_variables
from core.planning_model import Problem


class Visibility:
    """The folder's rules of visibility for a problem. Pure; it holds only tables made from them."""

    def __init__(self, domain_spec: DomainSpec, problem: Problem) -> None:
        self._problem = problem
        self._rules = [_BoundRule(rule, problem) for rule in domain_spec.visibility_rules]

    def objects(self, state: frozenset[Atom], predicate: str = "") -> Mapping[str, float]:
        """Return each object that a picture taken in this state may show, with its probability; with
        `predicate`, so well that this can be judged of it.

        Pictures of a folder without visibility rules show everything.
        """
        if not self._rules:
            return {thing.name: 1.0 for thing in self._problem.all_objects}
        index = FactIndex(state)
        found: dict[str, float] = {}
        for bound in self._rules:
            if predicate not in bound.rule.hides:
                for thing in bound.shown(index):
                    found[thing] = max(found.get(thing, 0.0), bound.rule.probability)
        return found


class _BoundRule:
    """A rule and the join of its positive literals; a variable of its negative ones only means "any"."""

    def __init__(self, rule: VisibilityRule, problem: Problem) -> None:
        self.rule = rule
        positive = [literal for literal in rule.where if literal.positive]
        self._negative = [literal for literal in rule.where if not literal.positive]
        variables = typed_variables(positive, rule.types)
        self._names = [variable.name for variable in variables]
        self._join = Join(variables, positive, problem.of_type)

    def shown(self, index: FactIndex) -> Iterator[str]:
        """Yield what the rule's variable stands for, for every binding for which `where` holds."""
        for values in self._join.run(index):
            binding = dict(zip(self._names, values, strict=True))
            if not any(index.matching(literal.bind(binding)) for literal in self._negative):
                yield binding[self.rule.variable]
