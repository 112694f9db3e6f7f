"""Describe a domain, a problem and a belief as plain text, for a language model that plans.

Objects are called by their display names, or by their own names where two display names coincide.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping

from core.belief import Belief
from core.domains import DomainSpec
from core.planning_model import EQUALS, Action, Effect, Literal, Problem, Step, Typed


def object_names_in_text(domain_spec: DomainSpec, problem: Problem) -> Mapping[str, str]:
    """Return what each object is called in the text."""
    shown = {o.name: domain_spec.display_name(o.name) for o in problem.all_objects}
    count = Counter(shown.values())
    return {name: words if count[words] == 1 else name for name, words in shown.items()}


def domain_text(domain_spec: DomainSpec, problem: Problem) -> str:
    """Describe every action (its notation, meaning, preconditions and effects) and every object."""
    actions = "\n".join(_action(domain_spec, action) for action in problem.domain.actions)
    names = object_names_in_text(domain_spec, problem)
    objects = "\n".join(f"- {names[o.name]}: {_kinds(problem, o)}" for o in problem.all_objects)
    return f"Actions:\n{actions}\n\nObjects:\n{objects}"


def belief_text(domain_spec: DomainSpec, problem: Problem, belief: Belief) -> str:
    """Describe what is believed now, and the goal."""
    facts = "\n".join(f"- {domain_spec.describe_atom(atom)}" for atom in sorted(belief.state))
    goals = "\n".join(f"- {domain_spec.describe_atom(goal)}" for goal in problem.goal)
    return f"This is so now, and nothing else:\n{facts}\n\nThis shall be so at the end:\n{goals}"


def step_notation(step: Step, names: Mapping[str, str]) -> str:
    """Return a step in the notation of the text: "openit(robot, cabinet, kitchen)"."""
    return f"{step.name}({', '.join(names.get(arg, arg) for arg in step.args)})"


def _kinds(problem: Problem, thing: Typed) -> str:
    """Return the object's type, and those of its ancestors that actions use."""
    wanted = {p.type for action in problem.domain.actions for p in action.parameters}
    above = sorted(t for t in wanted - {thing.type} if problem.domain.is_a(thing.type, t))
    return ", ".join((thing.type, *above))


def _action(domain_spec: DomainSpec, action: Action) -> str:
    bare = {p.name: p.name.lstrip("?") for p in action.parameters}
    step = Step(action.name, tuple(bare.values()))
    kinds = ", ".join(f"{bare[p.name]} is any {p.type}" for p in action.parameters)
    needs = [_literal(domain_spec, c, bare) for c in action.precondition] + [str(f) for f in action.formulas]
    changes = "; ".join(_effect(domain_spec, effect, bare) for effect in action.effects)
    lines = [
        f"- {step_notation(step, {})}: {domain_spec.describe_step(step)}." + (f" {kinds}." if kinds else "")
    ]
    lines += [f"  Needs: {'; '.join(needs)}."] if needs else []
    lines += [f"  Then: {changes}."] if changes else []
    return "\n".join(lines)


def _effect(domain_spec: DomainSpec, effect: Effect, bare: Mapping[str, str]) -> str:
    inner = {**bare, **{v.name: v.name.lstrip("?") for v in effect.variables}}
    return "".join(_condition(domain_spec, effect, inner)) + _literal(domain_spec, effect.literal, inner)


def _condition(domain_spec: DomainSpec, effect: Effect, names: Mapping[str, str]) -> Iterator[str]:
    if effect.variables:
        yield f"for every {', '.join(f'{v.type} {names[v.name]}' for v in effect.variables)}: "
    told = [_literal(domain_spec, c, names) for c in effect.condition] + [str(f) for f in effect.formulas]
    if told:
        yield f"if {' and '.join(told)}, then "


def _literal(domain_spec: DomainSpec, literal: Literal, names: Mapping[str, str]) -> str:
    bound = literal.bind(names)
    if literal.predicate == EQUALS:
        return f"{' and '.join(bound.args)} are {'' if literal.positive else 'not '}the same"
    return domain_spec.describe_atom(bound)
