"""What an eye is asked: the vision atoms that a task's actions mention."""

from __future__ import annotations

from itertools import product

from core.belief import Atom
from core.domains import DomainSpec, Perception
from core.planning import semantics
from core.planning_model import Problem, Step


def vision_atoms(folder: DomainSpec, problem: Problem) -> tuple[Atom, ...]:
    """Return every vision atom in a precondition or an effect of a step, sorted."""
    found: set[Atom] = set()
    for action in problem.domain.actions:
        for args in product(*(problem.of_type(p.type) for p in action.parameters)):
            step = semantics.ground_operator(problem, Step(action.name, args))
            found |= step.adds | step.deletes | step.needs | step.forbids
    return tuple(sorted(a for a in found if _is_seen(folder, a)))


def _is_seen(folder: DomainSpec, atom: Atom) -> bool:
    return folder.perception(atom.predicate) is Perception.VISION and len(set(atom.args)) == len(atom.args)
