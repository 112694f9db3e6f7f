"""Facts by predicate and by argument, and patterns that they match: a variable of a pattern means "any"."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from core.belief import Atom
from core.planning_model import Literal

Index = Mapping[object, list[Atom]]  # by predicate, and by predicate, place and argument


def index_facts(facts: Iterable[Atom]) -> Index:
    """Return the facts by predicate, and by predicate, place and argument; in the order given."""
    index: dict[object, list[Atom]] = {}
    for atom in facts:
        index.setdefault(atom.predicate, []).append(atom)
        for place, name in enumerate(atom.args):
            index.setdefault((atom.predicate, place, name), []).append(atom)
    return index


def matching(pattern: Literal, index: Index) -> list[Atom]:
    """Return the facts that match a pattern."""
    return matching_args(pattern.predicate, pattern.args, index)


def matching_args(predicate: str, args: Sequence[str], index: Index) -> list[Atom]:
    """Return the facts of a predicate that match these arguments."""
    fixed = [(place, name) for place, name in enumerate(args) if not name.startswith("?")]
    if not fixed:
        return index.get(predicate, [])
    found = index.get((predicate, *fixed[0]), [])
    for place, name in fixed[1:]:
        found = [atom for atom in found if atom.args[place] == name]
    return found


def matches(atom: Atom, pattern: Literal) -> bool:
    return atom.predicate == pattern.predicate and all(
        p.startswith("?") or p == a for p, a in zip(pattern.args, atom.args, strict=True)
    )
