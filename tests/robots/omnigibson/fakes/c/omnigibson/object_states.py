"""The object states that the worker uses."""

from typing import Any

from contract_states import Contains, Filled, Frozen, Heated, Inside, OnTop, Open, ToggledOn
from contract_states import ObjectsInFOVOfRobot as Listed


class ObjectsInFOVOfRobot(Listed):
    """A set since API B."""

    def _get_value(self) -> Any:
        return set(super()._get_value())


__all__ = [
    "Contains",
    "Filled",
    "Frozen",
    "Heated",
    "Inside",
    "ObjectsInFOVOfRobot",
    "OnTop",
    "Open",
    "ToggledOn",
]
