"""Conditions: from parsed expressions to our values, and from lifted to ground.

Negation is moved inward to the literals while a condition is read, so that only conjunctions and disjunctions
(`ForAll` and `Exists`) remain, with or without variables.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import product
from math import prod

from core.belief import Atom
from core.planning.pddl.declarations import Declarations, Scope
from core.planning.pddl.syntax import Node, PddlToken, refuse
from core.planning_model import EQUALS, Condition, Exists, ForAll, Formula, Literal, Typed
from core.work import Work, work_in_force

TRUE, FALSE = ForAll(), Exists()
Split = tuple[tuple[Literal, ...], tuple[Formula, ...]]
_COMPARISONS = ("<", ">", "<=", ">=")
_MAX_ALTERNATIVES = 16  # alternatives of an effect's condition; with more, it stays a formula


def read_condition(
    node: Node, names: Declarations, scope: Scope, where: str, positive: bool = True
) -> Condition:
    """Read a condition in negation normal form; `where` is for errors. Raises BadDomain."""

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


# --- simplification ---------------------------------------------------------------------------------


def _joined(kind: type[ForAll | Exists], decisive: Condition, parts: Iterable[Condition]) -> Condition:
    flat: list[Condition] = []
    for part in parts:
        if part == decisive:
            return decisive
        flat += part.parts if isinstance(part, kind) and not part.variables else (part,)
    return flat[0] if len(flat) == 1 else kind((), tuple(flat))


def _quantified(
    kind: type[ForAll | Exists], empty: Condition, variables: tuple[Typed, ...], part: Condition
) -> Condition:
    if part == empty or not variables:
        return part
    if isinstance(part, kind):
        return kind(variables + part.variables, part.parts)
    return kind(variables, (part,))


conjunction, disjunction = partial(_joined, ForAll, FALSE), partial(_joined, Exists, TRUE)
for_all, for_some = partial(_quantified, ForAll, TRUE), partial(_quantified, Exists, FALSE)


def split(condition: Condition) -> Split:
    """Split a condition into a conjunction of literals and the formulas that it cannot express."""
    plain = isinstance(condition, ForAll) and not condition.variables
    parts = condition.parts if plain and isinstance(condition, ForAll) else (condition,)
    literals = tuple(p for p in parts if isinstance(p, Literal))
    return literals, tuple(p for p in parts if not isinstance(p, Literal))


# --- alternatives -----------------------------------------------------------------------------------


def alternatives(condition: Condition) -> list[tuple[tuple[Typed, ...], Split]]:
    """Return conjunctions, each with its own variables, one of which must hold for some binding.

    A universal part stays a formula, and so does what would expand into very many alternatives. No two
    variables in the condition have the same name.
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
            ways = _disjuncts(part)  # once: they may be nested deeply
            found = [(v + w, p + q) for v, p in found for w, q in ways]
            if len(found) > _MAX_ALTERNATIVES:
                break
    return found if len(found) <= _MAX_ALTERNATIVES else [((), (condition,))]


# --- over objects ----------------------------------------------------------------------------------------


def count_literals(condition: Condition, objects: Callable[[str], Sequence[str]]) -> int:
    """Return how many literals the condition stands for over these objects, without making them."""
    if isinstance(condition, Literal):
        return 1
    each = sum(count_literals(part, objects) for part in condition.parts)
    return each * prod(map(len, _choices(condition, objects)))


def _choices(condition: Formula, objects: Callable[[str], Sequence[str]]) -> list[Sequence[str]]:
    """Return the objects for each variable; one is enough, if there is any, where it occurs in no literal."""
    used = condition.terms
    return [objects(v.type) if v.name in used else objects(v.type)[:1] for v in condition.variables]


def ground_condition(
    condition: Condition,
    binding: Mapping[str, str],
    objects: Callable[[str], Sequence[str]],
    known: Callable[[Literal], bool | None],
) -> Condition:
    """Return the condition over these objects without variables, simplified by what is `known` of a literal.

    Raises TooMuchWork, Cancelled.
    """
    if isinstance(condition, Literal):
        literal = condition.bind(binding)
        truth = known(literal)
        return literal if truth is None else TRUE if truth else FALSE
    together, end = (conjunction, FALSE) if isinstance(condition, ForAll) else (disjunction, TRUE)
    work, own = work_in_force(), [v.name for v in condition.variables]

    def each() -> Iterator[Condition]:
        for names in product(*_choices(condition, objects)):
            inner = {**binding, **dict(zip(own, names, strict=True))}
            for part in condition.parts:
                work.spend()
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
    work: Work | None = None,
) -> bool:
    """Return True if the condition holds; `holds` is called with ground literals, except comparisons.

    Raises TooMuchWork, Cancelled.
    """
    if isinstance(condition, Literal):
        literal = condition.bind(binding)
        known = equality_value(literal)
        return holds(literal) if known is None else known
    work, usual = work or work_in_force(), isinstance(condition, ForAll)
    own = [v.name for v in condition.variables]
    for names in product(*_choices(condition, objects)):
        inner = {**binding, **dict(zip(own, names, strict=True))} if own else binding
        for part in condition.parts:
            work.spend()
            if satisfied(part, inner, objects, holds, work) is not usual:
                return not usual
    return usual


def holds(state: Collection[Atom], condition: Condition) -> bool:
    """Return True if a ground condition holds."""
    if not isinstance(condition, Literal):
        return satisfied(condition, {}, lambda type: (), lambda found: holds(state, found))
    known = equality_value(condition)
    return (condition.atom in state) is condition.positive if known is None else known


def equality_value(literal: Literal) -> bool | None:
    """Return the value of a comparison of two objects, None for any other literal."""
    if literal.predicate != EQUALS:
        return None
    return (literal.args[0] == literal.args[1]) is literal.positive


def literals(condition: Condition) -> Iterator[Literal]:
    """Yield every literal in a condition."""
    if isinstance(condition, Literal):
        yield condition
    else:
        for part in condition.parts:
            yield from literals(part)
