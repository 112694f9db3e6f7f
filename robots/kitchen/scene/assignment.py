"""Assign the objects of a task to the bodies of the scene."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np

from core.errors import BadValue
from core.planning_model import Problem
from robots.kitchen.scene.schema import SceneSpec, SpotSpec


@dataclass(frozen=True)
class KindInstance:
    """An instance of a kind of thing: its kind, and its index among things of that kind (0, 1, ...)."""

    kind: str
    index: int


@dataclass(frozen=True)
class Distractor:
    """A distractor: a body that no task names, and where it lies."""

    name: str
    kind: str
    on: str  # kind of furniture
    spot: SpotSpec


@dataclass(frozen=True)
class SceneAssignment:
    furniture: Mapping[str, str]  # object -> kind
    things: Mapping[str, KindInstance]  # object -> kind and index
    floors: Mapping[str, str]  # object -> room of the scene
    distractors: tuple[Distractor, ...]

    def body_name(self, name: str) -> str:
        """Return the body that stands for this object; a furniture body is named after its kind."""
        return self.furniture.get(name, name)


def assign_bodies(scene: SceneSpec, problem: Problem, seed: int) -> SceneAssignment:
    """Assign every object of a problem. Raises BadValue for one without a counterpart in the scene."""
    domain = problem.domain
    rooms = {a.args[0]: a.args[1] for a in sorted(problem.state) if a.predicate == "inroom"}
    furniture: dict[str, str] = {}
    things: dict[str, KindInstance] = {}
    floors: dict[str, str] = {}
    for thing in problem.all_objects:
        if domain.is_a(thing.type, "floor"):
            floors[thing.name] = _scene_room(scene, problem, rooms.get(thing.name, ""), thing.name)
        elif kind := _kind(problem, thing.type, scene.furniture):
            if kind in furniture.values():
                raise BadValue(_unassignable(scene, problem, thing.name, f"there is only one {kind}"))
            furniture[thing.name] = kind
        elif kind := _kind(problem, thing.type, scene.things):
            things[thing.name] = KindInstance(kind, sum(role.kind == kind for role in things.values()))
        elif any(domain.is_a(thing.type, t) for t in ("movable", "furniture")):
            raise BadValue(_unassignable(scene, problem, thing.name, f"nothing there is a {thing.type}"))
    taken = {role.kind for role in things.values()}
    return SceneAssignment(
        MappingProxyType(furniture),
        MappingProxyType(things),
        MappingProxyType(floors),
        tuple(_distractors(scene, taken, seed)),
    )


def _kind(problem: Problem, type: str, kinds: Mapping[str, object]) -> str:
    known = sorted(kinds.keys() & {t.name for t in problem.domain.types})
    return next((kind for kind in known if problem.domain.is_a(type, kind)), "")


def _scene_room(scene: SceneSpec, problem: Problem, room: str, floor: str) -> str:
    for name in scene.rooms:
        if room.startswith(name):
            return name
    raise BadValue(_unassignable(scene, problem, floor, f"there is no room {room or 'for it'}"))


def _unassignable(scene: SceneSpec, problem: Problem, name: str, reason: str) -> str:
    return (
        f"Task {problem.name}: the scene {scene.name} has no part for {name}, {reason}: "
        "add it as docs/kitchen.md says, or run with --robot symbolic."
    )


def _distractors(scene: SceneSpec, taken: set[str], seed: int) -> list[Distractor]:
    """Return distractors, of kinds that no task object has, so that they cannot be mistaken for one."""
    rng = np.random.default_rng((seed, 7))
    kinds = [k for k, t in scene.things.items() if t.distractor and k not in taken]
    extras: list[Distractor] = []
    for on, piece in sorted(scene.furniture.items()):
        for spot in piece.clutter:
            able = [k for k in kinds if on in scene.things[k].on]
            if not able or rng.random() < 0.25:
                continue
            kind = able[int(rng.integers(len(able)))]
            if kind not in ("apple", "orange"):  # several fruits of one kind may lie about
                kinds.remove(kind)
            extras.append(Distractor(f"{kind}~{len(extras)}", kind, on, spot))
    return extras
