"""Read a goal that is said in a domain's own words, "the block-1 is in the cup-1": no model reads it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import product

from core.domains import DomainSpec
from core.errors import BadValue
from core.planning_model import Literal, Predicate, Typed
from core.text.untrusted_text import one_line

MOST_SHOWN, MOST_FACTS = 300, 1_000  # characters of what can be said, and facts of a goal
_PLACE = re.compile(r"(?:the )?\{(\d+)\}")


def read_goal(spec: DomainSpec, objects: Sequence[Typed], text: str) -> tuple[Literal, ...]:
    """Return the facts of a goal in the statements of a domain, of named things or "every toy".

    Raises BadValue.
    """
    left, found = _plain(text), dict[Literal, None]()
    for predicate in _said(spec):
        pattern = re.compile(_pattern(spec.predicate_specs[predicate.name].statement, spec, objects))
        for match in pattern.finditer(left):
            facts = list(_facts(predicate, match.groupdict(), spec, objects))
            found |= dict.fromkeys(facts)
            left = left.replace(match[0], " " * len(match[0])) if facts else left
    rest = " ".join(re.sub(r"\band\b|[.,;]", " ", left).split())
    if rest or not 0 < len(found) <= MOST_FACTS:
        said = f": it does not say {one_line(rest, 60)!r}" if rest else ""
        raise BadValue(f"Without a model, {spec.name} has to read the goal{said}. {ways(spec)}")
    return tuple(found)


def ways(spec: DomainSpec) -> str:
    """Return in a sentence what a goal can say."""
    said = dict[str, None]()
    for predicate in _said(spec):
        kinds = (p.type.upper() for p in predicate.parameters)
        said[spec.predicate_specs[predicate.name].statement.format(*kinds)] = None
    return f"It can say {one_line('; '.join(said), MOST_SHOWN)}; and 'every' in place of 'the'."


def _said(spec: DomainSpec) -> Iterator[Predicate]:
    """Yield the predicates that have words and that actions change, without the planner's bookkeeping."""
    fluents = spec.domain.fluents - spec.bookkeeping
    return (p for p in spec.domain.predicates if p.name in fluents and spec.has_statement(p.name))


def _plain(text: str) -> str:
    return " ".join(re.sub("[-_]", " ", text.lower()).split())


def _pattern(statement: str, spec: DomainSpec, objects: Sequence[Typed]) -> str:
    """Return what matches a statement of these objects, or of every thing of a type."""
    types = _either({"object", *(one.name for one in spec.domain.types)})
    names, parts = _either(one.name for one in objects), list[str]()
    for number, part in enumerate(_PLACE.split(statement)):
        if number % 2:
            parts.append(rf"(?:(?:every|each) (?P<every{part}>{types})|(?:the )?(?P<one{part}>{names}))")
        else:
            space = " " * part.startswith(" "), " " * part.endswith(" ")
            parts.append(re.escape(space[0] + _plain(part) + space[1] * bool(part.strip())))
    return r"\b" + "".join(parts).replace(r"\ is\ ", r"\ is\ (?P<no>not\ )?", 1) + r"\b"


def _either(names: Iterable[str]) -> str:
    return "|".join(re.escape(_plain(name)) for name in sorted(names, key=len, reverse=True))


def _facts(
    predicate: Predicate, said: Mapping[str, str | None], spec: DomainSpec, objects: Sequence[Typed]
) -> Iterator[Literal]:
    """Yield the facts of what was said, none where a thing does not fit; the first that fits, unsaid."""
    args = list[list[str]]()
    for number, variable in enumerate(predicate.parameters):
        fits = [one for one in objects if spec.domain.is_a(one.type, variable.type)]
        name, kind = said.get(f"one{number}"), said.get(f"every{number}")
        if name is not None:
            fits = [one for one in fits if _plain(one.name) == name]
        elif kind is not None:
            fits = [one for one in fits if kind == "object" or spec.domain.is_a(one.type, _typed(kind, spec))]
        else:
            fits = fits[:1]
        args.append([one.name for one in fits])
    positive = said.get("no") is None
    yield from (Literal(predicate.name, one, positive) for one in product(*args))


def _typed(kind: str, spec: DomainSpec) -> str:
    return next((one.name for one in spec.domain.types if _plain(one.name) == kind), kind)
