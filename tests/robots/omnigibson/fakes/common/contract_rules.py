"""The rule by which a thing is cut in two."""

from __future__ import annotations

from typing import Any

from contract_states import Frozen, Heated, Inside, OnTop
from contract_values import FAULTS
from contract_world import Thing, World


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
