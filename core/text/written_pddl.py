"""Put the PDDL atoms and steps that a sentence quotes into the words of their domain."""

from __future__ import annotations

import re

from core.belief import Atom
from core.domains import DomainSpec
from core.planning_model import Step

_WRITTEN = re.compile(r"\(([\w-]+(?: [\w-]+)*)\)( does not hold)?")


def in_words(domain_spec: DomainSpec, text: str) -> str:
    """Return the text with "the mug is not on the floor" for "(onfloor mug-n-04_1 floor-n-01_1) does not
    hold". What the domain does not know stays as it is.
    """
    predicates = {p.name: len(p.parameters) for p in domain_spec.domain.predicates}
    actions = {a.name: len(a.parameters) for a in domain_spec.domain.actions}

    def put(found: re.Match[str]) -> str:
        name, *args = found[1].split()
        absent = found[2] or ""
        if predicates.get(name) == len(args):
            return domain_spec.describe_atom(Atom(name, tuple(args)), not absent)
        if actions.get(name) == len(args):
            return domain_spec.describe_step(Step(name, tuple(args))) + absent
        return found[0]

    return _WRITTEN.sub(put, text)
