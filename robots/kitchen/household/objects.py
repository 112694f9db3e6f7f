"""The objects of a household: which can be carried, opened or stood on, and in which room they are.

They are read from a task's objects by the type names of the paper (appendix, Figure 6), which every variant
of the household domain keeps. The true world is therefore the same whichever variant the agent plans with.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from core.belief import Atom
from core.errors import BadValue
from core.planning_model import Problem

OPENABLE_TYPES = ("cabinet", "electric_refrigerator", "oven", "microwave")
SURFACE_TYPES = ("countertop", "table", "sink", "floor")


@dataclass(frozen=True)
class HouseholdObjects:
    agent: str
    movables: frozenset[str]
    openables: frozenset[str]  # hold things inside, and hide them while closed
    surfaces: frozenset[str]  # hold things on top; floors are among them
    sinks: frozenset[str]
    microwaves: frozenset[str]
    ovens: frozenset[str]
    knives: frozenset[str]
    rooms: Mapping[str, str]  # furniture -> room
    floors: Mapping[str, str]  # room -> floor
    liquids: Mapping[str, tuple[str, ...]]  # sink -> what comes out of its tap
    static_facts: frozenset[Atom]  # never change: the source of water, the room of agent and furniture

    @property
    def see_through(self) -> frozenset[str]:
        """Return the furniture whose contents are visible through the closed door."""
        return self.microwaves | self.ovens

    @property
    def furniture(self) -> frozenset[str]:
        return self.openables | self.surfaces

    def floor(self, room: str) -> str:
        """Return the floor of a room. Rooms without a floor of their own share the first floor."""
        return self.floors.get(room) or min(self.floors.values())


def household_objects(problem: Problem) -> HouseholdObjects:
    """Sort the problem's objects. Raises BadValue without agent or floor, or for furniture in no room."""

    def every(*types: str) -> frozenset[str]:
        return frozenset(name for t in types for name in problem.of_type(t))

    agents, floors = sorted(every("agent")), every("floor")
    if len(agents) != 1:
        raise BadValue(f"Task {problem.name}: the kitchen needs one object of type agent, not {len(agents)}.")
    if not floors:
        raise BadValue(f"Task {problem.name}: the kitchen needs an object of type floor, for what falls.")
    openables, surfaces = every(*OPENABLE_TYPES), every(*SURFACE_TYPES)
    furniture = openables | surfaces
    given = frozenset(
        a
        for a in problem.state
        if a.predicate == "insource" or (a.predicate == "inroom" and a.args[0] in furniture | {agents[0]})
    )
    rooms = {a.args[0]: a.args[1] for a in given if a.predicate == "inroom" and a.args[0] in furniture}
    for name in sorted(furniture - rooms.keys()):
        raise BadValue(f"Task {problem.name}: {name} is in no room; add (inroom {name} ...) to its :init.")
    sources = sorted(a.args for a in given if a.predicate == "insource")
    sinks = every("sink")
    return HouseholdObjects(
        agent=agents[0],
        movables=every("movable"),
        openables=openables,
        surfaces=surfaces,
        sinks=sinks,
        microwaves=every("microwave"),
        ovens=every("oven"),
        knives=every("carving_knife"),
        rooms=MappingProxyType(rooms),
        floors=MappingProxyType({rooms[f]: f for f in sorted(floors, reverse=True)}),
        liquids=MappingProxyType({s: tuple(w for sink, w in sources if sink == s) for s in sinks}),
        static_facts=given,
    )
