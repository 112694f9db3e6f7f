"""Compile a program: the Python that it is translated to, with all that this calls, and its variables."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from robots.ur5e.emulator.urscript.builtin_functions import Builtin, builtin
from robots.ur5e.emulator.urscript.functions import PURE
from robots.ur5e.emulator.urscript.motion_functions import MOTION, NOT_EMULATED
from robots.ur5e.emulator.urscript.operators import (
    BINARY,
    UNARY,
    copy_value,
    get_item,
    make_list_value,
    make_pose_value,
    require_boolean,
    set_item,
)
from robots.ur5e.emulator.urscript.robot_functions import ROBOT
from robots.ur5e.emulator.urscript.runtime import Cycles, ScriptRuntime
from robots.ur5e.emulator.urscript.translator import BINARY_NAMES, UNARY_NAMES, translate
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


def _not_emulated(name: str) -> Callable[..., ScriptValue]:
    def run(m: ScriptRuntime, *arguments: ScriptValue, **named: ScriptValue) -> ScriptValue:
        raise ScriptError(f"{name} is not emulated")

    return run


BUILTINS: Mapping[str, Builtin] = {
    **PURE,
    **ROBOT,
    **MOTION,
    **{name: builtin(_not_emulated(name)) for name in NOT_EMULATED},
}
# What the Python calls, besides the interpreter `i` and the frame `v` of variables.
_NAMESPACE: Mapping[str, Any] = {
    "boolean": require_boolean,
    "list_value": make_list_value,
    "pose_value": make_pose_value,
    "get_item": get_item,
    "set_item": set_item,
    **{name: BINARY[operator] for operator, name in BINARY_NAMES.items()},
    **{name: UNARY[operator] for operator, name in UNARY_NAMES.items()},
    **{f"builtin_{name}": found.run for name, found in BUILTINS.items()},
}
Body = Callable[[Any, StackFrame], Cycles]  # called with the interpreter


@dataclass(frozen=True)
class CompiledProgram:
    kind: str
    name: str
    main: Body
    empty: bool


@lru_cache(maxsize=32)
def compile_program(text: str) -> CompiledProgram:
    """Compile a program. Raises ScriptError for wrong syntax, an unknown name, wrong arguments."""
    found = translate(text, BUILTINS)
    main, namespace = found.main, {**_NAMESPACE, **found.constants}
    try:
        exec(found.python, namespace)
    except (RecursionError, SyntaxError, MemoryError):  # nested too deeply for Python
        raise ScriptError("nesting_too_deep", main.line) from None
    return CompiledProgram(main.kind, main.name, namespace["main"], found.empty)
