"""Conditions: from a file's forms to our values, and from lifted to ground.

Negation is moved inward to the literals as a condition is read, so that what is left is "all of these" and
"one of these" (`ForAll` and `Exists`), with or without variables.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import product

from core.planning.declarations import Declarations, Scope
from core.planning.pddl_syntax import Node, PddlToken, refuse
from core.planning_model import EQUALS, Condition, Exists, ForAll, Formula, Literal, Typed

TRUE, FALSE = ForAll(), Exists()
Split = tuple[tuple[Literal, ...], tuple[Formula, ...]]
_COMPARISONS = ("<", ">", "<=", ">=")
_MAX_ALTERNATIVES = 16  # ways in which an effect's condition is told apart; above, it stays one formula


def read_condition(
    node: Node, names: Declarations, scope: Scope, where: str, positive: bool = True
) -> Condition:
    """A condition in negation normal form; `where` is for errors. Raises BadDomain."""

    def inner(part: Node, positive: bool = positive) -> Condition:
        return read_condition(part, names, scope, where, positive)

    def takes(count: int) -> None:
        if len(node.parts) != count + 1:  # type: ignore[union-attr]
            names.fail(node, f"'{head}' takes {count} part{'s' * (count > 1)}, as in {_SHAPES[head]}")

    if isinstance(node, PddlToken):
        names.fail(node, f"expected '(', found '{node.text}'")
    both, one = (conjunction, disjunction) if positive else (disjunction, conjunction)
    head, parts = node.head, node.parts
    if not parts:
        return TRUE if positive else FALSE
    if head in names.predicates:
        return names.literal(node, scope, positive)
    if head == "and":
        return both(map(inner, parts[1:]))
    if head == "or":
        return one(map(inner, parts[1:]))
    if head == "not":
        takes(1)
        return inner(parts[1], not positive)
    if head == "imply":
        takes(2)
        return one((inner(parts[1], not positive), inner(parts[2])))
    if head in ("forall", "exists"):
        takes(2)
        if isinstance(parts[1], PddlToken):
            names.fail(node, f"expected '(' after {head}")
        variables = names.variables(parts[1].parts)
        part = read_condition(parts[2], names, {**scope, **variables}, where, positive)
        quantified = for_all if (head == "forall") is positive else for_some
        return quantified(tuple(variables.values()), part)
    if head in _COMPARISONS or (head == EQUALS and any(_numeric(part) for part in parts[1:])):
        refuse(names.path, f"Numeric comparisons ('{head}' in {where})", node.line)
    if head == "when":
        names.fail(node, f"'when' stands in {where}, but belongs into an effect")
    return names.literal(node, scope, positive)


_SHAPES = {
    "not": "(not (p))",
    "imply": "(imply (p) (q))",
    "forall": "(forall (?x) (p ?x))",
    "exists": "(exists (?x) (p ?x))",
}


def _numeric(node: Node) -> bool:
    return not isinstance(node, PddlToken) or node.text.replace(".", "", 1).lstrip("-").isdigit()


# --- the smallest form ------------------------------------------------------------------------------


def conjunction(parts: Iterable[Condition]) -> Condition:
    flat: list[Condition] = []
    for part in parts:
        if part == FALSE:
            return FALSE
        flat += part.parts if isinstance(part, ForAll) and not part.variables else (part,)
    return flat[0] if len(flat) == 1 else ForAll((), tuple(flat))


def disjunction(parts: Iterable[Condition]) -> Condition:
    flat: list[Condition] = []
    for part in parts:
        if part == TRUE:
            return TRUE
        flat += part.parts if isinstance(part, Exists) and not part.variables else (part,)
    return flat[0] if len(flat) == 1 else Exists((), tuple(flat))


def for_all(variables: tuple[Typed, ...], part: Condition) -> Condition:
    if part == TRUE or not variables:
        return part
    if isinstance(part, ForAll):
        return ForAll(variables + part.variables, part.parts)
    return ForAll(variables, (part,))


def for_some(variables: tuple[Typed, ...], part: Condition) -> Condition:
    if part == FALSE or not variables:
        return part
    if isinstance(part, Exists):
        return Exists(variables + part.variables, part.parts)
    return Exists(variables, (part,))


def split(condition: Condition) -> Split:
    """What a conjunction of literals says, and what it cannot say."""
    plain = isinstance(condition, ForAll) and not condition.variables
    parts = condition.parts if plain and isinstance(condition, ForAll) else (condition,)
    literals = tuple(p for p in parts if isinstance(p, Literal))
    return literals, tuple(p for p in parts if not isinstance(p, Literal))


# --- one of several ---------------------------------------------------------------------------------


def alternatives(condition: Condition) -> list[tuple[tuple[Typed, ...], Split]]:
    """Conjunctions, each with variables of its own, one of which must hold for some binding.

    A universal part stays a formula, as does what would come to very many. No two variables in the
    condition have the same name.
    """
    return [(variables, split(conjunction(parts))) for variables, parts in _disjuncts(condition)]


_Disjunct = tuple[tuple[Typed, ...], tuple[Condition, ...]]


def _disjuncts(condition: Condition) -> list[_Disjunct]:
    if isinstance(condition, Literal) or (isinstance(condition, ForAll) and condition.variables):
        return [((), (condition,))]
    found: list[_Disjunct]
    if isinstance(condition, Exists):
        found = [(condition.variables + v, p) for part in condition.parts for v, p in _disjuncts(part)]
    else:
        found = [((), ())]
        for part in condition.parts:
            found = [(v + w, p + q) for v, p in found for w, q in _disjuncts(part)]
            if len(found) > _MAX_ALTERNATIVES:
                break
    return found if len(found) <= _MAX_ALTERNATIVES else [((), (condition,))]


# --- over objects ----------------------------------------------------------------------------------------


def ground_condition(
    condition: Condition,
    binding: Mapping[str, str],
    objects: Callable[[str], Sequence[str]],
    known: Callable[[Literal], bool | None],
) -> Condition:
    """The condition over these objects, without variables; what is `known` of a literal is put in."""
    if isinstance(condition, Literal):
        literal = condition.bind(binding)
        truth = known(literal)
        return literal if truth is None else TRUE if truth else FALSE
    together, end = (conjunction, FALSE) if isinstance(condition, ForAll) else (disjunction, TRUE)

    def each() -> Iterator[Condition]:
        for names in product(*(objects(v.type) for v in condition.variables)):
            inner = {**binding, **{v.name: n for v, n in zip(condition.variables, names, strict=True)}}
            for part in condition.parts:
                found = ground_condition(part, inner, objects, known)
                yield found
                if found == end:
                    return

    return together(each())


def satisfied(
    condition: Condition,
    binding: Mapping[str, str],
    objects: Callable[[str], Sequence[str]],
    holds: Callable[[Literal], bool],
) -> bool:
    """Whether the condition is true; `holds` is asked about ground literals, comparisons left out."""
    if isinstance(condition, Literal):
        literal = condition.bind(binding)
        known = equality_value(literal)
        return holds(literal) if known is None else known
    each = (
        satisfied(part, {**binding, **dict(zip(own, names, strict=True))}, objects, holds)
        for own in [[v.name for v in condition.variables]]
        for names in product(*(objects(v.type) for v in condition.variables))
        for part in condition.parts
    )
    return all(each) if isinstance(condition, ForAll) else any(each)


def equality_value(literal: Literal) -> bool | None:
    """Whether two objects are the same is known; nothing else is."""
    if literal.predicate != EQUALS:
        return None
    return (literal.args[0] == literal.args[1]) is literal.positive


def literals(condition: Condition) -> Iterator[Literal]:
    """Every literal in it."""
    if isinstance(condition, Literal):
        yield condition
    else:
        for part in condition.parts:
            yield from literals(part)
