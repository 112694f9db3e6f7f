"""Hear why the robot says that a step failed: facts that it names, or what went wrong, as evidence."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from core.belief import Atom
from core.domains import DomainSpec
from core.planning import semantics
from core.planning_model import Literal, Problem, Step


@dataclass(frozen=True)
class Heard:
    """What the words of a FAILED say: a situation of the folder, or facts that left the step impossible."""

    situation: str = ""
    facts: Mapping[Atom, bool] = field(default_factory=dict)


def heard(spec: DomainSpec, problem: Problem, step: Step, words: str) -> Heard:
    """Return what is said about the step; nothing where the words name none of its facts and situations."""
    said = words.lower()
    if not said or problem.step_faults(step):
        return Heard()
    for situation in spec.expected_situations(step.name):
        if situation.name.lower() in said:
            return Heard(situation.name)
    needed, made = semantics.preconditions(problem, step), effects(problem, step)
    facts = {}
    for atom in dict.fromkeys(literal.atom for literal in (*needed, *made)):
        so, not_so = (_words(spec.describe_atom(atom, holds)) for holds in (True, False))
        if not_so in said or f"{atom} does not hold" in said:
            facts[atom] = False
        elif so in said or f"{atom} holds, but must not" in said:
            facts[atom] = True
    if not facts and "already" in said:  # what the step is for is so
        facts = {
            literal.atom: True
            for literal in made
            if literal.positive and any(spec.display_name(arg).lower() in said for arg in literal.args)
        }
    return Heard(facts=facts)


def effects(problem: Problem, step: Step) -> list[Literal]:
    """Return the unconditional effects: "the mug is full already"."""
    action = problem.domain.action(step.name)
    binding = dict(zip((p.name for p in action.parameters), step.args, strict=True))
    return [e.literal.bind(binding) for e in action.effects if not (e.variables or e.condition or e.formulas)]


def _words(statement: str) -> str:
    return statement.lower().removeprefix("the ")
