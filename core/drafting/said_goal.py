"""Read a goal that is said in a domain's own words, "the block-1 is in the cup-1": no model reads it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import product

from core.domains import DomainSpec
from core.errors import BadValue
from core.planning_model import Literal, Predicate, Typed
from core.text.untrusted_text import one_line

MOST_SAID, MOST_SHOWN, MOST_FACTS = 2_000, 300, 1_000  # characters of a goal, of what it can say; facts
_PLACE = re.compile(r"(?:the )?\{(\d+)\}")
_ALL = re.compile(r"\ball (?:of )?(?:the )?(\w+?)s are\b")


def read_goal(spec: DomainSpec, objects: Sequence[Typed], text: str) -> tuple[Literal, ...]:
    """Return the facts of a goal in the statements of a domain, of named things, "every toy" or "all toys".

    A thing may be called without its number where no other is called so. Raises BadValue.
    """
    left, found = _ALL.sub(r"every \1 is", _plain(text[:MOST_SAID])), dict[Literal, None]()
    called = _called(objects)
    for predicate in _said(spec):
        pattern = _pattern(spec.predicate_specs[predicate.name].statement, spec, called)
        for match in re.finditer(pattern, left):
            facts = list(_facts(predicate, match.groupdict(), spec, objects, called))
            found |= dict.fromkeys(facts)
            left = left.replace(match[0], " " * len(match[0])) if facts else left
    rest = " ".join(re.sub(r"\band\b|[.,;]", " ", left).split())
    if rest or not 0 < len(found) <= MOST_FACTS or len(text) > MOST_SAID:
        said = f": not {one_line(rest, 60)!r}" if rest else ""
        raise BadValue(f"Without a model the goal is read in {spec.name}'s words{said}. {ways(spec)}")
    return tuple(found)


def ways(spec: DomainSpec) -> str:
    """Return in a sentence what a goal can say, first what the domain's tasks want."""
    said = dict[str, None]()
    for predicate in _said(spec):
        kinds = (p.type.upper() for p in predicate.parameters)
        said[spec.predicate_specs[predicate.name].statement.format(*kinds)] = None
    return f"It can say {one_line('; '.join(said), MOST_SHOWN)}; and 'every' in place of 'the'."


def _said(spec: DomainSpec) -> list[Predicate]:
    """Return the predicates that have words and that actions change, without the planner's bookkeeping."""
    wanted = {literal.predicate for task in spec.tasks.values() for literal in task.problem.goal}
    fluents = spec.domain.fluents - spec.bookkeeping
    worded = (p for p in spec.domain.predicates if p.name in fluents and spec.has_statement(p.name))
    return sorted(worded, key=lambda p: p.name not in wanted)


def _plain(text: str) -> str:
    return " ".join(re.sub("[-_]", " ", text.lower()).split())


def _called(objects: Sequence[Typed]) -> dict[str, str]:
    """Return the objects by what they may be called."""
    whole = {_plain(one.name): one.name for one in objects}
    short = {said: re.sub(r" ?\d+$", "", said) for said in whole}
    often = Counter(short.values())
    return {short[said]: name for said, name in whole.items() if often[short[said]] == 1} | whole


def _pattern(statement: str, spec: DomainSpec, called: Mapping[str, str]) -> str:
    """Return what matches a statement of these objects, or of every thing of a type."""
    types = _either(("object", *(_plain(one.name) for one in spec.domain.types)))
    names, parts, seen = _either(called), list[str](), set[str]()
    for number, part in enumerate(_PLACE.split(statement)):
        if number % 2:
            every, one = ("", "") if part in seen else (f"?P<every{part}>", f"?P<one{part}>")
            parts.append(rf"(?:(?:every|each) ({every or '?:'}{types})|(?:the )?({one or '?:'}{names}))")
            seen.add(part)
        else:
            around = " " * part.startswith(" "), " " * part.endswith(" ")
            parts.append(re.escape(_plain(part).join(around) if part.strip() else part))
    return r"\b" + "".join(parts).replace(r"\ is\ ", r"\ is\ (?P<no>not\ )?", 1) + r"\b"


def _either(names: Iterable[str]) -> str:
    return "|".join(re.escape(name) for name in sorted(names, key=len, reverse=True))


def _facts(
    predicate: Predicate,
    said: Mapping[str, str | None],
    spec: DomainSpec,
    objects: Sequence[Typed],
    called: Mapping[str, str],
) -> Iterator[Literal]:
    """Yield the facts of what was said, none where a thing does not fit; the first that fits, unsaid."""
    args = list[list[str]]()
    for number, variable in enumerate(predicate.parameters):
        fits = [one for one in objects if spec.domain.is_a(one.type, variable.type)]
        name, kind = said.get(f"one{number}"), said.get(f"every{number}")
        if name is not None:
            fits = [one for one in fits if one.name == called[name]]
        elif kind is not None:
            kinds = [one.name for one in spec.domain.types if _plain(one.name) == kind] or [kind]
            fits = [one for one in fits if any(spec.domain.is_a(one.type, each) for each in kinds)]
        else:
            fits = fits[:1]
        args.append([one.name for one in fits])
    yield from (Literal(predicate.name, one, said.get("no") is None) for one in product(*args))
