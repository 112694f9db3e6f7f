"""Read a goal that is said in a domain's own words, "the block-1 is in the cup-1": no model reads it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import product

from core.domains import DomainSpec
from core.errors import BadValue
from core.planning_model import Literal, Predicate, Typed
from core.text.untrusted_text import one_line

MOST_SAID, MOST_SHOWN, MOST_FACTS = 2_000, 300, 1_000  # characters of a goal, of what it can say; facts
_ALL = re.compile(r"\ball (?:of )?(\w+?)s are\b")
_Option = tuple[str, list[str]]  # what may stand in a statement's place, and the objects that it means


def read_goal(spec: DomainSpec, objects: Sequence[Typed], text: str) -> tuple[Literal, ...]:
    """Return the facts of a goal in the statements of a domain, of named things, "every toy" or "all toys".

    A thing may be called without its number where no other is called so. Raises BadValue.
    """
    said = _plain(text[:MOST_SAID].replace("\n", "; "))
    said = _ALL.sub(r"every \1 is", said).replace("each ", "every ")
    parts = [" ".join(part.split()) for part in re.split(r"\band\b|[.,;]", said)]
    known, found = dict(_sayings(spec, objects, said)), dict[Literal, None]()
    strange = [part for part in parts if part and part.replace(" is not ", " is ", 1) not in known]
    for part in parts if not strange else ():
        facts = known.get(part.replace(" is not ", " is ", 1), ())
        found |= {Literal(fact.predicate, fact.args, " is not " not in part): None for fact in facts}
    if not 0 < len(found) <= MOST_FACTS or len(text) > MOST_SAID:
        told = f": not {one_line(strange[0], 60)!r}" if strange else ""
        raise BadValue(f"Without a model the goal is read in {spec.name}'s words{told}. {ways(spec)}")
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
    return " ".join(re.sub(r"[-_]|\bthe\b", " ", text.lower()).split())


def _sayings(spec: DomainSpec, objects: Sequence[Typed], text: str) -> Iterator[tuple[str, list[Literal]]]:
    """Yield each sentence that may be said of what a text names, the likeliest last, with its facts."""
    short = {one.name: re.sub(r" ?\d+$", "", _plain(one.name)) for one in objects}
    often = Counter(short.values())
    for predicate in reversed(_said(spec)):
        statement, places = spec.predicate_specs[predicate.name].statement, list[list[_Option]]()
        for number, variable in enumerate(predicate.parameters):
            fits = [one for one in objects if spec.domain.is_a(one.type, variable.type)]
            options: list[_Option] = [("", [one.name for one in fits[:1]])]  # where it is not said
            if f"{{{number}}}" in statement:
                names = [(_plain(one.name), [one.name]) for one in fits]
                names += [(short[one.name], [one.name]) for one in fits if often[short[one.name]] == 1]
                for kind in ("object", *(type_.name for type_ in spec.domain.types)):
                    of_kind = [one.name for one in fits if spec.domain.is_a(one.type, kind)]
                    names.append((f"every {_plain(kind)}", of_kind))
                options = [(words, them) for words, them in names if them and words in text]
            places.append(options)
        for chosen in product(*places):
            facts = [Literal(predicate.name, args) for args in product(*(them for _, them in chosen))]
            if facts:
                yield _plain(statement.format(*(words for words, _ in chosen))), facts
