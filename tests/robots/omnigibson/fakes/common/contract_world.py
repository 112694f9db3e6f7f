"""A household of boxes behind OmniGibson's published interface, for the contract fakes of each API.

Whatever has no name here, OmniGibson has under another name or not at all: Python refuses it. What stands on
what is kept, not computed; the temperatures follow the formula and the figures of 1.1.1.
"""

from __future__ import annotations

import math
import os
import time
from typing import Any

from contract_layouts import LAYOUTS, ROOMS
from contract_values import FAULTS, Tensor, yaw_of

DT = 1 / 30
WIDE = math.radians(35)  # of the eye, to each side
OPAQUE = ("cabinet", "electric_refrigerator")
ROOM = 23.0  # degrees


class Link:
    def __init__(self, mass: float) -> None:
        self.mass = mass


class Thing:
    def __init__(self, world: World, inst: str, room: str, at: Any, size: Any, *kinds: str) -> None:
        self._world, self._inst, self._kinds = world, inst, frozenset(kinds)
        self.category = inst.split(".")[0]
        self.name = f"{self.category}_{inst.rsplit('_', 1)[1]}00"
        self.in_rooms = [room] if "fixed" in kinds else []
        self.root_link = Link(50.0 if "heavy" in FAULTS and "movable" in kinds else 0.3)
        self.root_link_name = "base_link"
        self.states: dict[type, Any] = {}
        self._at, self._size, self._turn = list(at), size, [0.0, 0.0, 0.0, 1.0]
        self._place: tuple[str, Thing] | None = None
        self._gravity = True
        self._particles: dict[str, int] = {}
        self._temperature, self._hottest = ROOM, ROOM
        self._open = self._on = False

    @property
    def aabb(self) -> tuple[Tensor, Tensor]:
        pairs = list(zip(self._at, self._size, strict=True))
        return Tensor([c - s / 2 for c, s in pairs]), Tensor([c + s / 2 for c, s in pairs])

    def get_position_orientation(self, frame: str = "world", clone: bool = True) -> tuple[Tensor, Tensor]:
        return Tensor(list(self._at)), Tensor(list(self._turn))

    def set_position_orientation(
        self, position: Any = None, orientation: Any = None, frame: str = "world"
    ) -> None:
        if position is not None:
            if math.dist(self._at, list(position)) > 0.01:
                self._particles.clear()  # a fluid does not come along
            self._at, self._place = [float(n) for n in position], None
        if orientation is not None:
            yaw_of(orientation)
            self._turn = list(orientation)

    def keep_still(self) -> None:
        pass

    def enable_gravity(self) -> None:
        self._gravity = True

    def disable_gravity(self) -> None:
        self._gravity = False

    def _put(self, relation: str, other: Thing) -> None:
        x, y, z = other._at
        inside = relation == "Inside"
        count = sum(t._place is not None and t._place[1] is other for t in self._world.things.values())
        height = z if inside else z + other._size[2] / 2 + self._size[2] / 2
        if math.dist(self._at, (x, y, height)) > 0.01:
            self._particles.clear()
        self._at, self._place = [x + 0.1 * count, y, height], (relation, other)


class System:
    def __init__(self, name: str) -> None:
        self.name = name


class World:
    """Everything that exists, and what a step does to it."""

    current: World  # as there is one simulator a process

    def __init__(self, activity: str) -> None:
        World.current = self
        self.things: dict[str, Thing] = {}
        self.systems: dict[str, System] = {}
        self.scope: dict[str, str] = {}  # the activity's name -> of a thing or a liquid, "" while not there
        self.robot: Any = None
        self.activity = activity
        if activity not in LAYOUTS:
            raise AssertionError(f"Invalid Behavior Task: {activity}")
        for inst, room, at, size, kinds, place in LAYOUTS[activity]:
            if not at:
                self.scope[inst] = ""
            elif kinds == "liquid":
                self.scope[inst] = self.get_system(inst.split(".")[0]).name
            else:
                thing = Thing(self, inst, room, at, size, *kinds.split())
                self.things[thing.name], self.scope[inst] = thing, thing.name
                if place:
                    thing._put(place[0], self.of(place[1]))
        for thing in self.things.values():
            if "frozen" in thing._kinds:
                thing._temperature = -30.0

    def of(self, inst: str) -> Any:
        if inst == "agent.n.01_1":
            return self.robot
        name = self.scope.get(inst, "")
        return self.things.get(name) or self.systems.get(name)

    def get_system(self, name: str) -> System:
        assert name in ("water", "cooked__water"), f"System {name} is not a valid system name"
        return self.systems.setdefault(name, System(name))

    def room_at(self, x: float, y: float) -> str | None:
        boxes = ROOMS.items()
        return next((room for room, (a, b, c, d) in boxes if a <= x < c and b <= y < d), None)

    def clear_at(self, x: float, y: float) -> bool:
        solid = (
            t for t in self.things.values() if "fixed" in t._kinds and t.category not in ("floor", "lawn")
        )
        return self.room_at(x, y) is not None and not any(
            abs(x - t._at[0]) < t._size[0] / 2 + 0.3 and abs(y - t._at[1]) < t._size[1] / 2 + 0.3
            for t in solid
        )

    def step(self) -> None:
        if "crash" in FAULTS:
            os._exit(139)
        if "hang" in FAULTS:
            time.sleep(3600)
        self.robot._physics()
        for thing in list(self.things.values()):
            if "movable" in thing._kinds and thing is not self.robot.held_thing:
                self._fall(thing)
            self._heat(thing)

    def _fall(self, thing: Thing) -> None:
        if thing._place is None and thing._gravity:
            floors = (t for t in self.things.values() if t.category == "floor")
            here = self.room_at(*thing._at[:2])
            floor = next((f for f in floors if f.in_rooms == [here]), None)
            if floor is not None:
                thing._at[2] = thing._size[2] / 2
                thing._place = ("OnTop", floor)

    def _heat(self, thing: Thing) -> None:
        source = thing._place[1] if thing._place and thing._place[0] == "Inside" else None
        rise = 0.0
        if source is not None and source._on:
            hot, rate = (100.0, 0.01) if source.category == "microwave" else (175.0, 0.015)
            rise = rate * (hot - thing._temperature)
        thing._temperature += (rise - 0.02 * (thing._temperature - ROOM)) * DT
        thing._hottest = max(thing._hottest, thing._temperature)
        if thing._temperature >= 40 and thing._particles.get("water"):
            self.get_system("cooked__water")
            thing._particles["cooked__water"] = thing._particles.pop("water")
            for inst in self.scope:
                if inst.startswith("cooked__water"):
                    self.scope[inst] = "cooked__water"

    def visible(self) -> list[tuple[Thing, float]]:
        """What the eye sees, with the angle to the left at which it does."""
        (x, y, _), yaw = self.robot._at, yaw_of(self.robot._turn)
        found = []
        for thing in self.things.values():
            if thing is self.robot.held_thing:
                found.append((thing, 0.0))
                continue
            holder = thing._place[1] if thing._place and thing._place[0] == "Inside" else None
            if thing.category == "floor" or (holder and holder.category in OPAQUE and not holder._open):
                continue
            angle = math.remainder(math.atan2(thing._at[1] - y, thing._at[0] - x) - yaw, math.tau)
            if abs(angle) < WIDE and math.dist((x, y), thing._at[:2]) < 5 and "blind" not in FAULTS:
                found.append((thing, angle))
        return sorted(found, key=lambda seen: "movable" in seen[0]._kinds)
