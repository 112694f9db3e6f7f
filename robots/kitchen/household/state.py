"""The household as it truly is: where each thing is, what is so of it, and where the robot looks.

One frozen value. What can be worked out (what is hidden, what is in view) is worked out, not stored.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType

from core.belief import Atom
from core.errors import BadValue
from core.planning_model import Problem
from robots.kitchen.household.objects import HouseholdObjects

HAND = "(hand)"  # no PDDL name has a bracket in it

STATE_PREDICATES = frozenset(
    {"closed", "filled", "filledsink", "turnedon", "cooked", "frozen", "hot", "halved"}
)


@dataclass(frozen=True)
class HouseholdState:
    places: Mapping[str, str]  # movable -> the furniture that holds it, or HAND
    facts: frozenset[Atom]  # the PLAIN predicates that hold
    room: str  # where the robot stands
    near: str = ""  # what it went to last, "" before the first find
    focus: str = ""  # what its eye is aimed at, "" for nothing that matters

    @property
    def held(self) -> str:
        """The thing in the hand, "" for none."""
        return next((thing for thing, place in self.places.items() if place == HAND), "")

    def holds(self, predicate: str, *args: str) -> bool:
        """Whether a PLAIN fact is so."""
        return Atom(predicate, args) in self.facts

    def with_thing_at(self, thing: str, place: str) -> HouseholdState:
        """With the thing at another place. The eye stays where it was, on the place that the thing left."""
        focus = self.places[thing] if self.focus == thing else self.focus
        return replace(self, places=MappingProxyType({**self.places, thing: place}), focus=focus)

    def with_facts(self, *facts: Atom) -> HouseholdState:
        return replace(self, facts=self.facts.union(facts))

    def without_facts(self, *facts: Atom) -> HouseholdState:
        return replace(self, facts=self.facts.difference(facts))


def initial_state(problem: Problem, things: HouseholdObjects) -> HouseholdState:
    """The state that a problem describes; a thing that it puts nowhere lies on the floor of its room.

    Raises BadValue for a place that holds nothing in a household.
    """
    where: dict[str, str] = {}
    rooms = {a.args[0]: a.args[1] for a in sorted(problem.state) if a.predicate == "inroom"}
    for atom in sorted(problem.state):
        if atom.predicate in ("inside", "ontop", "onfloor"):
            if atom.args[1] not in (things.openables if atom.predicate == "inside" else things.surfaces):
                raise BadValue(
                    f"Task {problem.name}: {atom} cannot be in the kitchen: things are inside what has "
                    "a door, or on top of a countertop, table, sink or floor."
                )
            where[atom.args[0]] = atom.args[1]
        elif atom.predicate == "inhand":
            where[atom.args[1]] = HAND
    places = {m: where.get(m) or things.floor(rooms.get(m, "")) for m in sorted(things.movables)}
    looked = {a.predicate: a.args[1] for a in sorted(problem.state) if a.predicate in ("found", "inview")}
    furnished = Counter(things.rooms.values())
    return HouseholdState(
        places=MappingProxyType(places),
        facts=frozenset(a for a in problem.state if a.predicate in STATE_PREDICATES),
        room=min(furnished, key=lambda room: (-furnished[room], room)),  # the most furnished one
        near=looked.get("found", ""),
        focus=looked.get("inview", ""),
    )


def is_enclosed(things: HouseholdObjects, state: HouseholdState, thing: str) -> bool:
    """Whether it is inside something closed: nothing can reach it or look at it from outside."""
    place = state.places.get(thing, "")
    return place in things.openables and state.holds("closed", place)


def room_of(things: HouseholdObjects, state: HouseholdState, thing: str) -> str:
    """The room that a thing is truly in; the held one is where the robot is."""
    place = state.places.get(thing, thing)
    return state.room if place == HAND else things.rooms.get(place, state.room)


def in_view(things: HouseholdObjects, state: HouseholdState) -> frozenset[str]:
    """What the eye is aimed at, with what belongs to it.

    The piece of furniture that it is aimed at, or that holds the thing it is aimed at, and all that this
    holds: what stands together is seen together, and an open door shows what is behind it. A closed door
    hides it. A floor is too wide for that: of what lies there, only the thing aimed at is in view. The held
    thing is not among these, though it is in every picture (`facts.truth_of`).
    """
    focus = state.focus
    place = state.places.get(focus, focus)
    if not focus or place == HAND:
        return frozenset()
    if place in things.floors.values():
        return frozenset((focus, place))
    if is_enclosed(things, state, focus) or (place in things.openables and state.holds("closed", place)):
        return frozenset((place,))
    return frozenset((place, *(m for m, p in state.places.items() if p == place)))
