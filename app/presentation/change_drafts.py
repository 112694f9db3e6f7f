"""The values of a suggested change that a person can edit, with what each of them may be. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any

from core.belief import Atom
from core.errors import BadValue
from core.knowledge.changes import AddObject, AllowSubstitute, Change
from core.planning_model import Problem
from core.stock import StockItem
from core.text.untrusted_text import one_line

FACTS = 400  # characters of several facts
LABELS = {
    "predicate": "a fact",
    "types": "of",
    "substitute": "a thing of the kind",
    "stands_for": "counts as a",
    "device": "with a",
    "type": "of the kind",
    "name": "called",
    "facts": "of which holds",
    "fact": "now it is so that",
}  # beside a value; else its own name


@dataclass(frozen=True)
class DraftField:
    """A value of a change. With `options` it is one of them, otherwise words that a person types."""

    name: str  # of the change's own field
    label: str
    value: str
    options: tuple[str, ...] = ()


def draft_fields(change: Change, problem: Problem, others: Sequence[Change] = ()) -> tuple[DraftField, ...]:
    """Return what can be edited. `others` are the changes beside it, whose new names may be used as well."""
    domain = problem.domain
    new = {c.substitute for c in others if isinstance(c, AllowSubstitute)}
    kinds = sorted(({t.name for t in domain.types} | {t.type for t in domain.types} | new) - {""})
    known = {"action": [a.name for a in domain.actions]} | dict.fromkeys(
        ("stands_for", "device", "type"), kinds
    )
    return tuple(_field(f.name, getattr(change, f.name), known.get(f.name, ())) for f in fields(change))


def _field(name: str, value: Any, options: Sequence[str]) -> DraftField:
    written = str(value)
    if isinstance(value, tuple) and not isinstance(value, Atom):
        written = (" " if name == "facts" else ", ").join(map(str, value))
    choices = options if not options or written in options else (written, *options)
    return DraftField(name, LABELS.get(name, name.replace("_", " ")), written, tuple(choices))


def with_value(change: Change, name: str, value: str) -> Change:
    """Return the change with another value. Raises BadValue for facts that cannot be read."""
    read: Any = one_line(value, FACTS)
    if name == "types":
        read = tuple(kind.strip() for kind in read.split(",") if kind.strip())
    elif name == "facts":
        read = read_facts(value)
    elif name == "fact":
        facts = read_facts(value)
        if len(facts) != 1:
            raise BadValue("Write one fact, such as (is_dirty cup_1).")
        read = facts[0]
    return replace(change, **{name: read})


def read_facts(text: str) -> tuple[Atom, ...]:
    """Read facts such as "(is_dirty cup_1) (at cup_1 table)". Raises BadValue."""
    rest, found = one_line(text, FACTS).lower(), []
    while rest := rest.strip():
        inner, closed, after = rest.removeprefix("(").partition(")")
        if not rest.startswith("(") or not closed or "(" in inner or not inner.split():
            raise BadValue(f"“{rest[:40]}” is no fact: write it in brackets, such as (is_dirty cup_1).")
        name, *args = inner.split()
        found.append(Atom(name, tuple(args)))
        rest = after
    return tuple(found)


def renamed(changes: Iterable[Change], old: str, new: str) -> tuple[Change, ...]:
    """Return the changes with a name that they brought in replaced in all of them."""
    return tuple(_renamed(change, old, new) for change in changes)


def _renamed(change: Change, old: str, new: str) -> Change:
    def name(word: str) -> str:
        return new if word == old else word

    def fact(one: Atom) -> Atom:
        return Atom(name(one.predicate), tuple(map(name, one.args)))

    def value(held: Any) -> Any:
        if isinstance(held, Atom):
            return fact(held)
        return tuple(map(value, held)) if isinstance(held, tuple) else name(held)

    values = {f.name: value(getattr(change, f.name)) for f in fields(change) if f.name != "action"}
    return replace(change, **values)


def substitute_of(changes: Sequence[Change]) -> tuple[AllowSubstitute, AddObject] | None:
    """Return the substitute that the changes bring in, with its object, if there is just one."""
    allowed = [c for c in changes if isinstance(c, AllowSubstitute)]
    objects = [c for c in changes if isinstance(c, AddObject)]
    if len(allowed) != 1 or len(objects) != 1 or objects[0].type != allowed[0].substitute:
        return None
    return allowed[0], objects[0]


def with_substitute(changes: Sequence[Change], item: StockItem) -> tuple[Change, ...]:
    """Return the changes with another thing at hand in place of the suggested one, and what is seen of it."""
    found = substitute_of(changes)
    if found is None:
        return tuple(changes)
    allowed, thing = found
    other = AllowSubstitute(item.kind, allowed.stands_for)
    seen = AddObject(item.name, item.kind, item.facts)
    return tuple(other if c == allowed else seen if c == thing else c for c in changes)
