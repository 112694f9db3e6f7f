"""Read a domain folder's `open_world.toml`: things at hand, what stands in for what, and situations.

Simulators and simulated language models read it; of the methods only EK, whose external knowledge it is.
docs/cowp.md describes the format.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import field
from functools import lru_cache
from pathlib import Path
from typing import Annotated, Literal

from annotated_types import Ge
from pydantic.dataclasses import dataclass

from core.belief import Atom
from core.data_file import FILE, UnitInterval, check, parse_toml, read_text
from core.domains import DomainSpec
from core.errors import BadFile
from core.planning_model import Domain
from core.stock import StockItem

FILE_NAME = "open_world.toml"
Effect = Literal["gone", "fails", "spoils", "none"]


@dataclass(frozen=True, config=FILE)
class Category:
    """Things of one sort: the type that their kinds get, and the facts that are seen of each, with "?x"."""

    type: str
    things: tuple[str, ...]
    facts: tuple[str, ...] = ()


@dataclass(frozen=True, config=FILE)
class DeviceRepair:
    """A device that ends a kind of situation of things of these types."""

    device: str
    ends: str
    of: tuple[str, ...]


@dataclass(frozen=True, config=FILE)
class SituationKind:
    """What a kind of situation does: its object is gone, what needs it fails, or the result is spoilt."""

    effect: Effect
    weight: Annotated[float, Ge(0)] = 1.0
    opposite: str = ""  # "clean", what a repair brings about
    blocks: tuple[str, ...] = ()  # actions that fail without an object: a power outage
    words: tuple[str, ...] = ()  # by which a sentence is recognised


@dataclass(frozen=True, config=FILE)
class OpenTask:
    """A task's situations, each with the action at which it arises, its object, its kind and its sentence."""

    situations: tuple[tuple[str, str, str, str], ...] = ()


@dataclass(frozen=True, config=FILE)
class OpenWorldFile:
    categories: dict[str, Category] = field(default_factory=dict)
    roles: dict[str, tuple[str, ...]] = field(default_factory=dict)  # what is accepted for a type
    repairs: tuple[DeviceRepair, ...] = ()
    kinds: dict[str, SituationKind] = field(default_factory=dict)
    tasks: dict[str, OpenTask] = field(default_factory=dict)
    repair_skill: str = ""
    chance: UnitInterval = 0.1
    harmless: tuple[str, ...] = ("walk", "move", "find", "put_down")  # actions that no situation hinders
    handling: tuple[str, ...] = ("grasp", "take_out")  # actions that a thing's state does not spoil

    def kinds_of_things(self) -> tuple[str, ...]:
        """Return all things by their PDDL names, in the file's order."""
        return tuple(pddl_name(thing) for c in self.categories.values() for thing in c.things)

    def category_of(self, kind: str) -> Category | None:
        return next((c for c in self.categories.values() if kind in map(pddl_name, c.things)), None)

    def accepts(self, domain: Domain, role: str, kind: str) -> bool:
        """Return True if a person would accept a thing of this kind where the domain has a `role`.

        For a role that only carries or finds things, which is a sort of things, everything is accepted.
        """
        if role in self.roles:
            return kind in map(pddl_name, self.roles[role]) or domain.is_a(kind, role)
        sorts = {"object", "item", *(c.type for c in self.categories.values())}
        return role in sorts or domain.is_a(kind, role)

    def mends(self, device: str, ends: str, type: str) -> bool:
        """Return True if this kind of device ends this kind of situation of things of this type."""
        return any(pddl_name(r.device) == device and r.ends == ends and type in r.of for r in self.repairs)


@dataclass(frozen=True)
class OpenSituation:
    """A situation of the true world: a sentence, its object ("" for none), and the action it arises at."""

    sentence: str
    object: str
    kind: str
    action: str = ""


def load_open_world(domain_spec: DomainSpec) -> OpenWorldFile:
    """Return a domain's open world; an empty one if the folder has none. Raises BadFile."""
    path = domain_spec.path / FILE_NAME if domain_spec.path else None
    if path is None or not path.exists():
        return OpenWorldFile()
    world = _checked(path, read_text(path))
    for fault in _faults(world, domain_spec):
        raise BadFile(path, fault)
    return world


@lru_cache(maxsize=8)
def _checked(path: Path, text: str) -> OpenWorldFile:
    return check(OpenWorldFile, parse_toml(path, text), path)


def _faults(world: OpenWorldFile, domain_spec: DomainSpec) -> Iterator[str]:
    actions = {a.name for a in domain_spec.domain.actions}
    types = {"object", *(t.name for t in domain_spec.domain.types)}
    if world.repair_skill and world.repair_skill not in actions:
        yield f"repair_skill names {world.repair_skill!r}, which is no action of the domain"
    for name, category in world.categories.items():
        if category.type not in types:
            yield f"categories.{name}.type is {category.type!r}, which is no type of the domain"
    for name, task in world.tasks.items():
        known = domain_spec.tasks.get(name)
        objects = {o.name for o in known.problem.all_objects} if known else set()
        for action, thing, kind, sentence in task.situations:
            if (
                known is None
                or action not in actions
                or kind not in world.kinds
                or thing not in {"", *objects}
            ):
                yield f"tasks.{name}: {sentence!r} names a task, action, object or kind that there is not"


def pddl_name(words: str) -> str:
    """Return "dish_bowl" for "dish bowl"."""
    return "_".join(words.lower().split())


def read_fact(text: str, thing: str) -> Atom:
    """Return the fact that "(at ?x kitchen)" says of this thing."""
    name, *args = text.strip("() ").split()
    return Atom(name, tuple(thing if arg == "?x" else arg for arg in args))


def stock_items(world: OpenWorldFile, kinds: tuple[str, ...], taken: frozenset[str]) -> tuple[StockItem, ...]:
    """Return a thing of each of these kinds, named unlike the objects that are `taken`."""
    found = []
    for kind in kinds:
        category = world.category_of(kind)
        name = next(n for i in range(1, 100) if (n := f"{kind}_{i}") not in taken)
        facts = tuple(read_fact(fact, name) for fact in category.facts) if category else ()
        found.append(StockItem(name, kind, category.type if category else "object", facts))
    return tuple(found)
