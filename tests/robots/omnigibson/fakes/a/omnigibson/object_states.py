"""The object states that the worker uses."""

from contract_world import (
    Contains,
    Filled,
    Frozen,
    Heated,
    Inside,
    ObjectsInFOVOfRobot,
    OnTop,
    Open,
    ToggledOn,
)

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
