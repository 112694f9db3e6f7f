"""The object states that the worker uses."""

from contract_states import Contains, Filled, Frozen, Heated, Inside, OnTop, Open, ToggledOn

__all__ = [
    "Contains",
    "Filled",
    "Frozen",
    "Heated",
    "Inside",
    "OnTop",
    "Open",
    "ToggledOn",
]
