"""The object states that the worker uses."""

from __future__ import annotations

from typing import Any

from contract_values import FAULTS
from contract_world import System, Thing, World


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


def give_states(world: World) -> None:
    for thing in world.things.values():
        kinds = {Frozen, Heated}
        kinds |= {Inside, OnTop} if "movable" in thing._kinds else set()
        kinds |= {Open} if "door" in thing._kinds else set()
        kinds |= {ToggledOn} if "switch" in thing._kinds else set()
        kinds |= {Filled, Contains} if "vessel" in thing._kinds else set()
        thing.states = {kind: kind(thing) for kind in kinds}
