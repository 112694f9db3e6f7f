"""What English says of places: its words, and the tests and steps that they mean, in a model's own form."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from textwrap import indent

from pydantic.dataclasses import dataclass as file_dataclass

from core.data_file import FILE, load_toml
from core.install_paths import resource_path
from core.planning_model import Problem

TABLE = "table_surface"


@file_dataclass(frozen=True, config=FILE)
class English:
    """The words, from a file."""

    verbs: dict[str, list[str]]
    words: dict[str, list[str]]
    synonyms: dict[str, str]
    relations: dict[str, str]
    said: dict[str, str]
    tests: dict[str, str]


@cache
def english() -> English:
    return load_toml(resource_path("resources", "wishes", "english.toml"), English)


@dataclass(frozen=True)
class Relation:
    """What is to be so: a relation, the thing that is put somewhere, and what it is related to."""

    name: str
    args: tuple[str, ...]

    def __str__(self) -> str:
        return f"{self.name}({', '.join(self.args)})"


@dataclass
class Placement:
    """One thing put somewhere once, or poured."""

    thing: str
    relations: list[Relation]
    in_order: bool = False  # after what was said before it

    @property
    def pours(self) -> bool:
        return any(r.name in ("poured", "emptied") for r in self.relations)


def source_of(relation: Relation, number: int) -> str:
    """Return the Python of a relation's test."""
    tests = english().tests
    body = tests.get(relation.name, tests["other"]).strip().format(*relation.args, name=relation.name)
    needs = "import math\n\n\n" if "math." in body else ""
    return f"{needs}def goal_check{number}() -> bool:\n{indent(body, '    ')}\n"


def written_replies(reading: Sequence[Placement], problem: Problem) -> Mapping[str, str]:
    """Return the replies to the requests "plan", "goal" and "step N", as a model would write them."""
    lines, replies, last = list[str](), dict[str, str](), dict[str, Placement]()
    held = ""

    def add(step: str, relations: Sequence[Relation], other: str = "") -> None:
        said = " and ".join(map(_in_words, relations)) or other
        if relations:
            replies[f"step {len(lines)}"] = _fenced(relations)
        lines.append(f"{step}; {said}")

    for number, placement in enumerate(reading):
        thing, relations = placement.thing, placement.relations
        following = reading[number + 1].thing if number + 1 < len(reading) else ""
        if held != thing:
            add(f"pick({thing})", (), f"the {thing.replace('_', ' ')} is in the hand")
        held = ""
        if placement.pours:
            add(f"pour({thing}, {relations[0].args[1]})", relations)
            held = thing if following == thing else ""
            if not held:
                add(f"place_ontop({thing}, {TABLE})", (), f"the {thing.replace('_', ' ')} is on the table")
        else:
            where = next((r for r in relations if r.name == "inside"), None)
            under = next((r.args[1] for r in relations if r.name == "on"), TABLE)
            onto = "place_upon" if under in problem.of_type("movable") else "place_ontop"
            put = f"place_inside({thing}, {where.args[1]})" if where else f"{onto}({thing}, {under})"
            add(put, relations)
        last[thing] = placement
    ends = [r for p in last.values() if not p.pours for r in p.relations if not _is_passing(r, p, reading)]
    facts = (r for p in reading for r in p.relations if _is_fact(r, problem) and (r in ends or p.pours))
    end = f"achieve_goal({', '.join(last)}); {' and '.join(map(_in_words, ends))}"
    replies["plan"] = "\n".join(("Plan:", *lines, end, f"Goal: {', '.join(map(str, facts))}"))
    replies["goal"] = _fenced(ends) or "```python\ndef goal_check0() -> bool:\n    return True\n```"
    return replies


def _is_passing(relation: Relation, said: Placement, reading: Sequence[Placement]) -> bool:
    """Return True if a thing is beside another one only until that is moved."""
    later = {p.thing for p in reading[reading.index(said) + 1 :]}
    return relation.name not in ("on", "inside") and not later.isdisjoint(relation.args[1:])


def _is_fact(relation: Relation, problem: Problem) -> bool:
    kinds = {"on": "thing", "inside": "vessel", "poured": "thing"}
    return relation.name in kinds and relation.args[1] in problem.of_type(kinds[relation.name])


def _fenced(relations: Sequence[Relation]) -> str:
    return "\n".join(f"```python\n{source_of(r, number)}```" for number, r in enumerate(relations))


def _in_words(relation: Relation) -> str:
    first, *others = (arg.replace("_", " ") for arg in relation.args)
    name = english().said.get(relation.name, f"is {relation.name.replace('_', ' ')}")
    return f"the {first} {name}" + (f" the {' and the '.join(others)}" if others else "")
