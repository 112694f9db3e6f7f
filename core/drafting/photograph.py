"""Draft from a photograph: a person names the objects and the goal, a domain folder lends types and actions.

There is no world: what a step does is a model's word, or the template's, and so nothing is proven.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from core.drafting.lent import MOST_WORDS, LentWorld, lent_problem
from core.drafting.said_goal import ways
from core.drafting.source import DraftSource
from core.drafting.world import Game, World
from core.errors import BadValue
from core.planning.domain_library import DOMAINS_FOLDER, load_domain_spec
from core.planning.engines.engine import SearchLimits
from core.planning_model import Typed
from core.text.untrusted_text import one_line

MOST_OBJECTS, MOST_KINDS = 100, 120  # the last in characters
# A table of ten things has more states than the maps of games.
PLANNING = SearchLimits(seconds=15, improving_seconds=0)
_NAME = re.compile(r"[a-z][a-z0-9_-]{0,60}")


def read_objects(text: str) -> tuple[Typed, ...]:
    """Return the objects of "red-block - block, table - place". Raises BadValue."""
    found = list[Typed]()
    for part in filter(None, (part.strip().lower() for part in text.split(","))):
        name, _, kind = (word.strip() for word in part.partition(" - "))
        if not _NAME.fullmatch(name) or not _NAME.fullmatch(kind or "object"):
            raise BadValue(
                f"{one_line(part, 40)!r} is no object: write its name and its type, 'cup-1 - cup'."
            )
        found.append(Typed(name, kind or "object"))
    if len({one.name for one in found}) < len(found) or len(found) > MOST_OBJECTS:
        raise BadValue(f"Give each object a name of its own, and {MOST_OBJECTS} at most.")
    return tuple(found)


def on_photograph(source: DraftSource) -> tuple[Game, World]:
    """Return a photograph as a game with one map; without a model, the template's. Raises ConsoleError."""
    if not _NAME.fullmatch(source.map) or (DOMAINS_FOLDER / source.map).exists():
        raise BadValue(
            "Call the photograph by small letters, digits and dashes, and not as a shipped domain: its "
            f"domain cannot be kept as {one_line(source.map, 40)!r}."
        )
    spec, objects = load_domain_spec(source.template), read_objects(source.objects)
    kinds = ", ".join(sorted({t.name for t in spec.domain.types} | {"object"}))
    if not objects:
        raise BadValue(f"Name the objects, 'cup-1 - cup'. Types: {one_line(kinds, MOST_KINDS)}.")
    if not source.goal.strip():
        raise BadValue("Say the goal in a sentence." if source.answerer else f"Say the goal. {ways(spec)}")
    if strange := next((one for one in objects if one.type not in kinds.split(", ")), None):
        raise BadValue(f"{source.template} has no type {strange.type!r} for {strange.name}: it has {kinds}.")
    verbs = {a.name: spec.verbs.get(a.name, _verb(a.name, len(a.parameters))) for a in spec.domain.actions}
    rules = "\n".join((spec.description, *_described(objects, source), f"The goal: {source.goal.strip()}"))

    def make(size: int, seed: int) -> World:
        raise BadValue("A photograph is the only map there is.")

    game = Game(source.map, rules, verbs, spec.domain, (), make, ())
    lent = lent_problem(source.map, spec, objects, source.goal if source.lent else "")
    world = LentWorld(game, lent)
    if len(world.words) > MOST_WORDS:
        raise BadValue(f"These objects give more than {MOST_WORDS:,} steps: name only those that matter.")
    return game, world


def _verb(action: str, count: int) -> str:
    return " ".join((action.replace("_", " "), *(f"{{{n}}}" for n in range(count))))


def _described(objects: tuple[Typed, ...], source: DraftSource) -> Iterator[str]:
    yield f"The objects: {', '.join(f'{one.name} - {one.type}' for one in objects)}."
    for one in source.boxes:
        across, down = f"{one.left:.0%} to {one.right:.0%}", f"{one.top:.0%} to {one.bottom:.0%}"
        yield f"{one.name} is at {across} of the photograph's width, {down} of its height."
