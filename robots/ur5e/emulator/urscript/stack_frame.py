"""The variables of one call."""

from __future__ import annotations

from robots.ur5e.emulator.urscript.operators import copy_value
from robots.ur5e.emulator.urscript.values import ScriptError, ScriptValue

_MAX_CALL_DEPTH = 30  # nested calls


class StackFrame(dict[str, ScriptValue]):
    """A call's own variables; what it does not have is read from the program's global ones."""

    __slots__ = ("_depth", "_globals")

    def __init__(
        self, global_values: dict[str, ScriptValue], values: dict[str, ScriptValue], depth: int = 0
    ) -> None:
        super().__init__({name: copy_value(value) for name, value in values.items()})
        self._globals, self._depth = global_values, depth

    def __missing__(self, name: str) -> ScriptValue:
        if name in self._globals:
            return self._globals[name]
        raise ScriptError(f"the variable {name} has no value yet")

    def inner(self, values: dict[str, ScriptValue]) -> StackFrame:
        """Return the frame of a call from this one, with these arguments."""
        if self._depth >= _MAX_CALL_DEPTH:
            raise ScriptError("functions call one another too deeply")
        return StackFrame(self._globals, values, self._depth + 1)

    def assign_local(self, name: str, value: ScriptValue) -> None:
        self[name] = copy_value(value)

    def assign_global(self, name: str, value: ScriptValue) -> None:
        self._globals[name] = copy_value(value)

    def assign_known(self, name: str, value: ScriptValue) -> None:
        """Assign to the variable where the name is known, else to a new one of the call."""
        variables = self._globals if name not in self and name in self._globals else self
        variables[name] = copy_value(value)
