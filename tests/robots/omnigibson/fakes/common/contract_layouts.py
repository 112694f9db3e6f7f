"""The rooms, and the five activities as bddl 3.5 lays them out."""

from __future__ import annotations

from typing import Any

ROOMS = {"kitchen_0": (0, 0, 8, 8), "garden_0": (10, 0, 18, 8), "living_room_0": (-10, 0, -2, 8)}
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
