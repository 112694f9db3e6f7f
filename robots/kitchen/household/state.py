"""The true state of the household: where each thing is, which facts hold, where the robot looks; and a step.

One frozen value. What follows from it (what is enclosed, what is in view) is computed, not stored.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType

from core.belief import Atom
from core.errors import BadValue
from core.planning_model import Problem, Step
from core.ports import StepStatus
from robots.kitchen.household.objects import HouseholdObjects

HAND = "(hand)"  # no PDDL name contains a bracket

# The number of arguments of each predicate that the household gives a meaning to: what follows from where
# things and the robot are, and what skills make and undo. Every other predicate is the domain folder's own.
COMPUTED = {
    "inview": 2, "found": 2, "inhand": 2, "handempty": 1, "inside": 2, "ontop": 2, "onfloor": 2, "inroom": 2,
    "insource": 2,
}  # fmt: skip
PREDICATES = COMPUTED | {
    "filled": 2, "filledsink": 2, "closed": 1, "turnedon": 1, "cooked": 1, "frozen": 1, "hot": 1, "halved": 1,
}  # fmt: skip


@dataclass(frozen=True)
class HouseholdState:
    places: Mapping[str, str]  # movable -> the furniture that holds it, or HAND
    facts: frozenset[Atom]  # what holds besides that: the atoms of no COMPUTED predicate
    room: str  # the robot's room
    near: str = ""  # the last thing it went to, "" before the first find
    focus: str = ""  # what the camera is aimed at, "" for nothing of interest
    hidden: frozenset[str] = frozenset()  # what a body's camera does not show, though it is aimed at it

    @property
    def held(self) -> str:
        """Return the thing in the hand, "" if it is empty."""
        return next((thing for thing, place in self.places.items() if place == HAND), "")

    def holds(self, predicate: str, *args: str) -> bool:
        """Return True if an atom of no COMPUTED predicate holds."""
        return Atom(predicate, args) in self.facts

    def with_thing_at(self, thing: str, place: str) -> HouseholdState:
        """Return the state with the thing elsewhere. The camera stays aimed at the place that it left."""
        focus = self.places[thing] if self.focus == thing else self.focus
        return replace(self, places=MappingProxyType({**self.places, thing: place}), focus=focus)

    def with_facts(self, *facts: Atom) -> HouseholdState:
        return replace(self, facts=self.facts.union(facts))

    def without_facts(self, *facts: Atom) -> HouseholdState:
        return replace(self, facts=self.facts.difference(facts))


def initial_state(problem: Problem, things: HouseholdObjects) -> HouseholdState:
    """Return the state that a problem describes. A thing without a place lies on the floor of its room.

    Raises BadValue for a place that cannot hold things in a household.
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
        facts=frozenset(a for a in problem.state if a.predicate not in COMPUTED),
        room=min(furnished, key=lambda room: (-furnished[room], room)),  # the room with the most furniture
        near=looked.get("found", ""),
        focus=looked.get("inview", ""),
    )


def is_enclosed(things: HouseholdObjects, state: HouseholdState, thing: str) -> bool:
    """Return True if the thing is inside something closed: nothing can reach it or see it from outside."""
    place = state.places.get(thing, "")
    return place in things.openables and state.holds("closed", place)


def room_of(things: HouseholdObjects, state: HouseholdState, thing: str) -> str:
    """Return the true room of a thing; a held thing is in the robot's room."""
    place = state.places.get(thing, thing)
    return state.room if place == HAND else things.rooms.get(place, state.room)


def in_view(things: HouseholdObjects, state: HouseholdState) -> frozenset[str]:
    """Return what the camera is aimed at and everything seen along with it.

    That is the furniture that it is aimed at, or that holds the thing it is aimed at, and everything that
    this furniture holds: what stands together is seen together, and an open door shows what is behind it. A
    closed door hides it. A floor is too wide for that: of what lies there, only the thing aimed at is in
    view. The held thing is not included, though it is in every picture (`atoms.true_atoms`).
    """
    focus = state.focus
    place = state.places.get(focus, focus)
    if not focus or place == HAND:
        return frozenset()
    if place in things.floors.values():
        return frozenset((focus, place)) - state.hidden
    if is_enclosed(things, state, focus) or (place in things.openables and state.holds("closed", place)):
        return frozenset((place,)) - state.hidden
    return frozenset((place, *(m for m, p in state.places.items() if p == place))) - state.hidden


_FELT_SKILLS = frozenset({"find", "grasp", "placein", "placeon"})  # it notices when one has no effect


@dataclass(frozen=True)
class HouseholdTransition:
    """What truly happened in a step. `dropped` is the thing that fell and the floor on which it lies."""

    step: Step
    skill: str
    before: HouseholdState = field(repr=False)
    after: HouseholdState = field(repr=False)
    situation: str = ""
    dropped: tuple[str, str] | None = None
    failed_constraint: str = ""
    replaces_effect: bool = False  # True if the situation occurred instead of the skill's effect
    attempt_key: tuple[str, ...] = ()  # key of the random draw; () if a constraint refused the step

    @property
    def succeeded(self) -> bool:
        """Return True if the skill had its effect."""
        return not self.situation and not self.failed_constraint

    @property
    def reached_target(self) -> bool:
        """Return True if the robot reached the thing that it was looking for."""
        return self.skill == "find" and not self.failed_constraint and not self.replaces_effect

    @property
    def status(self) -> StepStatus:
        """Return what the robot reports: it feels hand and path, not that a tap or a door did not obey."""
        if self.failed_constraint or self.dropped:
            return StepStatus.FAILED
        if self.situation and self.skill in _FELT_SKILLS and self.after == self.before:
            return StepStatus.FAILED
        return StepStatus.DONE

    @property
    def reason(self) -> str:
        """Return the violated constraint or the situation, in words for people."""
        return self.failed_constraint or self.situation
