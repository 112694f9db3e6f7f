"""A household of boxes behind OmniGibson's published interface, for the contract fakes of its eras.

Whatever has no name here, OmniGibson has under another name or not at all: Python refuses it. What stands on
what is kept, not computed; the temperatures follow the formula and the figures of 1.1.1.
FAKE_FAULT names things that go wrong, separated by commas.
"""

from __future__ import annotations

import math
import os
import sys
import time
from typing import Any

FAULTS = frozenset(os.environ.get("FAKE_FAULT", "").split(","))
DT = 1 / 30
ROOMS = {"kitchen_0": (0, 0, 8, 8), "garden_0": (10, 0, 18, 8), "living_room_0": (-10, 0, -2, 8)}
ORIGIN, RESOLUTION, CELLS = -20.0, 0.1, 400  # of the maps
WIDE = math.radians(35)
OPAQUE = ("cabinet", "electric_refrigerator")
ROOM = 23.0


class Tensor:
    """Nested lists, or the bytes of a picture, with the few methods of a tensor that are used."""

    def __init__(self, values: Any, shape: tuple[int, ...] = ()) -> None:
        self._values = values
        self.shape = shape or (len(values),)

    def cpu(self) -> Tensor:
        return self

    def contiguous(self) -> Tensor:
        return self

    def numpy(self) -> Tensor:
        return self

    def tobytes(self) -> bytes:
        return bytes(self._values)

    def tolist(self) -> list[Any]:
        return list(self._values)

    def __iter__(self) -> Any:
        return iter(self._values)

    def __getitem__(self, index: int) -> Any:
        return self._values[index]


def yaw_of(orientation: Any) -> float:
    x, y, z, w = orientation
    assert abs(x * x + y * y + z * z + w * w - 1) < 1e-3, "not a unit quaternion"
    return 2 * math.atan2(z, w)


# --- things ---------------------------------------------------------------------------------------------


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
    def link_prim_paths(self) -> list[str]:
        return [f"/World/scene_0/{self.name}/base_link"]

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


# --- states -----------------------------------------------------------------------------------------------


class State:
    def __init__(self, obj: Any) -> None:
        self.obj = obj

    def get_value(self, *args: Any, **kwargs: Any) -> Any:
        return self._get_value(*args, **kwargs)

    def set_value(self, *args: Any, **kwargs: Any) -> Any:
        return self._set_value(*args, **kwargs)

    def _get_value(self) -> Any:
        raise NotImplementedError

    def _set_value(self, new_value: Any) -> Any:
        raise NotImplementedError


class _Relation(State):
    def _get_value(self, other: Any) -> bool:  # type: ignore[override]
        assert isinstance(other, Thing)
        return self.obj._place == (type(self).__name__, other)

    def _set_value(self, other: Any, new_value: bool, reset_before_sampling: bool = False) -> bool:  # type: ignore[override]
        if not new_value:
            raise NotImplementedError(f"{type(self).__name__} does not support set_value(False)")
        if "no room" in FAULTS:
            return False
        self.obj._put(type(self).__name__, other)
        return True


class Inside(_Relation):
    pass


class OnTop(_Relation):
    pass


class Open(State):
    def _get_value(self) -> bool:
        return bool(self.obj._open)

    def _set_value(self, new_value: bool, fully: bool = False) -> bool:
        if "stuck door" in FAULTS:
            return False
        self.obj._open = bool(new_value)
        return True


class ToggledOn(State):
    def _get_value(self) -> bool:
        return bool(self.obj._on)

    def _set_value(self, new_value: bool) -> bool:
        self.obj._on = bool(new_value)
        return True


class Frozen(State):
    def _get_value(self) -> bool:
        return bool(self.obj._temperature <= 0)

    def _set_value(self, new_value: bool) -> bool:
        self.obj._temperature = -30.0 if new_value else 1.0
        return True


class Heated(State):
    def _get_value(self) -> bool:
        return bool(self.obj._temperature >= 40)

    def _set_value(self, new_value: bool) -> bool:
        self.obj._temperature = 55.0 if new_value else 39.0
        return True


class Filled(State):
    def _get_value(self, system: Any) -> bool:  # type: ignore[override]
        assert isinstance(system, System), "Can only get Filled state with a valid PhysicalParticleSystem!"
        return self.obj._particles.get(system.name, 0) > 20

    def _set_value(self, system: Any, new_value: bool) -> bool:  # type: ignore[override]
        assert isinstance(system, System), "Can only set Filled state with a valid PhysicalParticleSystem!"
        if not new_value:
            raise NotImplementedError("Filled does not support set_value(system, False)")
        self.obj._particles[system.name] = 5 if "fills too little" in FAULTS else 100
        return True


class Contains(State):
    def _get_value(self, system: Any) -> bool:  # type: ignore[override]
        return self.obj._particles.get(system.name, 0) > 0

    def _set_value(self, system: Any, new_value: bool) -> bool:  # type: ignore[override]
        if new_value:
            raise NotImplementedError("Contains does not support set_value(system, True)")
        self.obj._particles.pop(system.name, None)
        return True


class ObjectsInFOVOfRobot(State):
    """A list in era A; the others override it."""

    def _get_value(self) -> Any:
        if "no segmentation" in FAULTS:
            raise KeyError("seg_instance")
        return [thing for thing, _ in self.obj._world.visible()]


def give_states(world: World) -> None:
    for thing in world.things.values():
        kinds = {Frozen, Heated}
        kinds |= {Inside, OnTop} if "movable" in thing._kinds else set()
        kinds |= {Open} if "door" in thing._kinds else set()
        kinds |= {ToggledOn} if "switch" in thing._kinds else set()
        kinds |= {Filled, Contains} if "vessel" in thing._kinds else set()
        thing.states = {kind: kind(thing) for kind in kinds}


# --- cameras, joints, maps, rules -------------------------------------------------------------------------


class Camera:
    def __init__(self, world: World, name: str, height: int, width: int, modalities: set[str]) -> None:
        self._world, self._size, self.name, self.modalities = world, (height, width), name, modalities
        self._at, self._turn = [0.0, 0.0, 0.0], [0.0, 0.0, 0.0, 1.0]

    def get_position_orientation(self, frame: str = "world", clone: bool = True) -> tuple[Tensor, Tensor]:
        if "seg_instance" not in self.modalities:
            return Tensor(self._at), Tensor(self._turn)
        robot = self._world.robot
        x, y, z = robot._at
        return Tensor([x, y, z + 1.1]), Tensor(_looking(yaw_of(robot._turn), robot._tilt()))

    horizontal_aperture, focal_length = 20.955, 17.0

    def set_position_orientation(
        self, position: Any = None, orientation: Any = None, frame: str = "world"
    ) -> None:
        yaw_of(orientation)
        self._at, self._turn = list(position), list(orientation)

    def get_obs(self) -> tuple[dict[str, Any], dict[str, Any]]:
        height, width = self._size
        labels = {1: "background"}
        rows = [[1] * width for _ in range(height)]
        observed: dict[str, Any] = {}
        if "seg_instance" not in self.modalities:
            observed["rgb"] = Tensor(bytes(range(240)) * (height * width // 60), (height, width, 4))
            return observed, {}
        here = self._world.room_at(*self._world.robot._at[:2])
        for floor in (t for t in self._world.things.values() if t.category == "floor"):
            if floor.in_rooms == [here]:
                labels[2] = floor.name
                rows[height // 2 :] = [[2] * width for _ in range(height - height // 2)]
        for number, (thing, angle) in enumerate(self._world.visible(), 3):
            labels[number] = thing.name
            side = 16 if "movable" in thing._kinds else 40
            left = int((0.5 - angle / WIDE / 2) * (width - side))
            top = (5 + 17 * number if "movable" in thing._kinds else 60) % (height - side)
            for row in rows[top : top + side]:
                row[left : left + side] = [number] * side
        if "no segmentation" not in FAULTS:
            observed["seg_instance"] = Tensor(rows, self._size)
        drawn: dict[int, bytes] = {}  # of rows that are one and the same list, or equal
        lines = []
        for row in rows:
            key = hash(tuple(row))
            if key not in drawn:
                drawn[key] = b"".join(bytes((v * 53 % 256, v * 97 % 256, v * 29 % 256, 255)) for v in row)
            lines.append(drawn[key])
        raw = b"".join(lines)
        observed["rgb"] = Tensor(raw, (height, width, 4))
        return observed, {"seg_instance": labels} if "seg_instance" in observed else {}


def _looking(yaw: float, down: float) -> list[float]:
    """A camera looks along -z with y up: turned by the yaw after it was tilted up from straight down."""
    roll, turn = (math.pi / 2 - down) / 2, (yaw - math.pi / 2) / 2
    return [
        math.sin(roll) * math.cos(turn),
        math.sin(roll) * math.sin(turn),
        math.cos(roll) * math.sin(turn),
        math.cos(roll) * math.cos(turn),
    ]


def raytest(
    start_point: Any,
    end_point: Any,
    only_closest: bool = True,
    ignore_bodies: Any = None,
    ignore_collisions: Any = None,
    callback: Any = None,
) -> dict[str, Any]:
    """The first box on the way; an open door shows what is inside, and so does glass."""
    assert only_closest and ignore_bodies == World.current.robot.link_prim_paths
    hits = []
    for thing in World.current.things.values():
        if "door" in thing._kinds and (thing.category not in OPAQUE or thing._open):
            continue
        low, high = (list(corner) for corner in thing.aabb)
        enter, leave = 0.0, 1.0
        for a, b, c, d in zip(start_point, end_point, low, high, strict=True):
            if a == b:
                enter = enter if c <= a <= d else 2.0
                continue
            first, last = sorted(((c - a) / (b - a), (d - a) / (b - a)))
            enter, leave = max(enter, first), min(leave, last)
        if enter <= leave:
            hits.append((enter, thing.link_prim_paths[0]))
    return {"hit": True, "rigidBody": min(hits)[1]} if hits else {"hit": False}


class Laser:
    name, modalities = "robot:laser:Lidar:0", frozenset({"scan"})


class Joint:
    _pos = 0.0

    def set_pos(self, pos: Any, normalized: bool = False, drive: bool = False) -> None:
        self._pos = float(pos)


class _Grid:
    shape = (CELLS, CELLS)

    def __init__(self, world: World) -> None:
        self._world = world

    def __getitem__(self, cell: tuple[int, int]) -> int:
        y, x = ((n + 0.5) * RESOLUTION + ORIGIN for n in cell)
        return 255 if self._world.clear_at(x, y) else 0


class TraversableMap:
    def __init__(self, world: World) -> None:
        self.floor_map = [_Grid(world)]

    def world_to_map(self, xy: Any) -> Tensor:
        x, y = xy
        return Tensor([int((y - ORIGIN) / RESOLUTION), int((x - ORIGIN) / RESOLUTION)])


class SegmentationMap:
    def __init__(self, world: World) -> None:
        self._world = world

    def get_room_instance_by_point(self, xy: Any) -> str | None:
        x, y = xy
        return self._world.room_at(x, y)


class TransitionResults:
    def __init__(self, add: list[Any], remove: list[Any]) -> None:
        self.add, self.remove = add, remove


class SlicingRule:
    def __init__(self, world: World) -> None:
        self._world = world

    def transition(self, object_candidates: dict[str, Any]) -> TransitionResults:
        (whole,) = object_candidates["sliceable"]
        return TransitionResults([whole, whole], [whole])


class TransitionRuleAPI:
    def __init__(self, world: World) -> None:
        self._world = world

    @property
    def active_rules(self) -> set[Any]:
        whole = any("sliceable" in t._kinds for t in self._world.things.values())
        return {SlicingRule(self._world)} if whole and "no knife" not in FAULTS else set()

    def execute_transition(self, added_obj_attrs: Any, removed_objs: Any) -> None:
        (whole,) = removed_objs
        del self._world.things[whole.name]
        self._world.scope = {i: "" if n == whole.name else n for i, n in self._world.scope.items()}
        for inst in [i for i in self._world.scope if i.startswith("half__")]:
            half = Thing(self._world, inst, "", list(whole._at), whole._size, "movable")
            half._place = whole._place
            half.states = {kind: kind(half) for kind in (Inside, OnTop, Frozen, Heated)}
            self._world.things[half.name], self._world.scope[inst] = half, half.name


class Scene:
    """Of every era; `robots` is filled by the environment."""

    def __init__(self, world: World) -> None:
        self._world = world
        self.robots: list[Any] = []
        self.trav_map, self.seg_map = TraversableMap(world), SegmentationMap(world)
        self.transition_rule_api = TransitionRuleAPI(world)

    def get_system(self, system_name: str, force_init: bool = True) -> System:
        return self._world.get_system(system_name)


class Simulator:
    def __init__(self, world: World, viewer: Camera | None) -> None:
        self._world, self.viewer_camera = world, viewer

    def step(self) -> None:
        self._world.step()

    def render(self) -> None:
        pass


class RobotBody:
    """What the robots of all eras share. Their grasps and their classes differ."""

    _handles_grasps = True

    def __init__(self, world: World, config: dict[str, Any], eye: str) -> None:
        self._world, self.name = world, config["name"]
        shape = config["sensor_config"]["VisionSensor"]["sensor_kwargs"]
        assert shape.keys() == {"image_height", "image_width"}
        modalities = set(config["obs_modalities"])
        camera = Camera(
            world, f"robot:{eye}:Camera:0", shape["image_height"], shape["image_width"], modalities
        )
        self.sensors = {Laser.name: Laser(), camera.name: camera}
        self.states = {ObjectsInFOVOfRobot: ObjectsInFOVOfRobot(self)}
        self.arm_names = ["0"]
        self.default_arm = "0"
        self._ag_obj_in_hand: dict[str, Any] = {"0": None}
        self._handles_grasps = not config.get("disable_grasp_handling", False)
        room = ROOMS["garden_0" if world.activity == "bringing_water" else "kitchen_0"]
        if world.activity == "store_firewood":
            room = ROOMS["living_room_0"]
        self._at, self._turn = [room[0] + 1.0, room[1] + 1.0, 0.01], [0.0, 0.0, 0.0, 1.0]
        assert config["grasping_mode"] == "sticky"

    @property
    def link_prim_paths(self) -> list[str]:
        return [f"/World/scene_0/{self.name}/{link}" for link in ("base_link", "head_link")]

    def _tilt(self) -> float:
        """How far the head looks down, if it can."""
        return next((j._pos for name, j in getattr(self, "joints", {}).items() if "tilt" in name), 0.0)

    @property
    def held_thing(self) -> Any:
        return self._ag_obj_in_hand["0"]

    def _hand(self) -> list[float]:
        yaw = yaw_of(self._turn)
        return [self._at[0] + 0.6 * math.cos(yaw), self._at[1] + 0.6 * math.sin(yaw), 0.8]

    def _physics(self) -> None:
        if self._handles_grasps:  # the gripper is not closing
            self._ag_obj_in_hand["0"] = None
        if self.held_thing is not None:
            self.held_thing._at = self._hand()

    def get_position_orientation(self, frame: str = "world", clone: bool = True) -> tuple[Tensor, Tensor]:
        return Tensor(list(self._at)), Tensor(list(self._turn))

    def set_position_orientation(
        self, position: Any = None, orientation: Any = None, frame: str = "world"
    ) -> None:
        yaw_of(orientation)
        self._at, self._turn = [float(n) for n in position], [float(n) for n in orientation]
        if self.held_thing is not None:
            self.held_thing.set_position_orientation(position=self._hand())

    def keep_still(self) -> None:
        pass

    def get_eef_position(self, arm: str = "default") -> Tensor:
        return Tensor(self._hand())

    def _take(self, arm: str, thing: Any, position: Any) -> None:
        assert position is not None
        if thing.root_link.mass <= 10:
            self._ag_obj_in_hand[arm], thing._place = thing, None


def shutdown() -> None:
    if "crash at teardown" in FAULTS:
        os._exit(139)
    if "hang at teardown" in FAULTS:
        time.sleep(3600)
    sys.exit(0)


# --- the five activities as bddl 3.5 lays them out --------------------------------------------------

LOW = (0.08, 0.08, 0.1)
TALL = (0.8, 0.8, 1.6)


def _floor(inst: str, room: str) -> tuple[Any, ...]:
    a, b, c, d = ROOMS[room]
    return (inst, room, ((a + c) / 2, (b + d) / 2, -0.01), (c - a, d - b, 0.02), "fixed", ())


def _in_kitchen(inst: str, x: float, y: float, kinds: str, size: tuple[float, ...] = TALL) -> tuple[Any, ...]:
    return (inst, "kitchen_0", (x, y, size[2] / 2), size, "fixed " + kinds, ())


def _thing(inst: str, relation: str, other: str, kinds: str = "") -> tuple[Any, ...]:
    return (inst, "", (1.0, 1.0, 1.0), LOW, "movable " + kinds, (relation, other))


def _future(inst: str) -> tuple[Any, ...]:
    return (inst, "", (), (), "", ())


AGENT = _future("agent.n.01_1")
LAYOUTS: dict[str, tuple[tuple[Any, ...], ...]] = {
    "boil_water_in_the_microwave": (
        ("water.n.06_1", "", (0,), (), "liquid", ()),
        _future("cooked__water.n.01_1"),
        _floor("floor.n.01_1", "kitchen_0"),
        _in_kitchen("cabinet.n.01_1", 1.0, 7.0, "door"),
        _in_kitchen("sink.n.01_1", 7.0, 7.0, "switch", (0.8, 0.8, 0.9)),
        _in_kitchen("microwave.n.02_1", 7.0, 1.5, "door switch", (0.6, 0.6, 1.2)),
        _thing("mug.n.04_1", "Inside", "cabinet.n.01_1", "vessel"),
        AGENT,
    ),
    "bringing_water": (
        _floor("floor.n.01_1", "kitchen_0"),
        _floor("floor.n.01_2", "garden_0"),
        ("lawn.n.01_1", "garden_0", (17.5, 7.5, 0), (0.5, 0.5, 0.01), "fixed", ()),
        _in_kitchen("cabinet.n.01_1", 1.0, 7.0, "door"),
        _thing("water_bottle.n.01_1", "OnTop", "floor.n.01_2", "vessel"),
        _thing("water_bottle.n.01_2", "OnTop", "floor.n.01_2", "vessel"),
        AGENT,
    ),
    "cook_a_frozen_pie": (
        _floor("floor.n.01_1", "kitchen_0"),
        _in_kitchen("electric_refrigerator.n.01_1", 1.0, 7.0, "door"),
        _in_kitchen("oven.n.01_1", 7.0, 1.5, "door switch", (0.8, 0.8, 0.9)),
        _thing("apple_pie.n.01_1", "Inside", "electric_refrigerator.n.01_1", "frozen"),
        AGENT,
    ),
    "halve_an_egg": (
        _floor("floor.n.01_1", "kitchen_0"),
        _in_kitchen("countertop.n.01_1", 7.0, 7.0, "", (1.0, 1.0, 0.9)),
        _thing("carving_knife.n.01_1", "OnTop", "countertop.n.01_1"),
        _thing("hard-boiled_egg.n.01_1", "OnTop", "countertop.n.01_1", "sliceable"),
        _future("half__hard-boiled_egg.n.01_1"),
        _future("half__hard-boiled_egg.n.01_2"),
        AGENT,
    ),
    "store_firewood": (
        _floor("floor.n.01_1", "living_room_0"),
        ("table.n.02_1", "living_room_0", (-5.0, 5.0, 0.4), (1.0, 1.0, 0.8), "fixed", ()),
        _thing("firewood.n.01_1", "OnTop", "floor.n.01_1"),
        _thing("firewood.n.01_2", "OnTop", "floor.n.01_1"),
        _thing("firewood.n.01_3", "OnTop", "floor.n.01_1"),
        AGENT,
    ),
}
