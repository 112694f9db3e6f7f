"""Compile a program: the Python that it is translated to, with all that this calls."""

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
    get_item,
    make_list_value,
    make_pose_value,
    require_boolean,
    set_item,
)
from robots.ur5e.emulator.urscript.robot_functions import ROBOT
from robots.ur5e.emulator.urscript.runtime import Cycles, ScriptRuntime
from robots.ur5e.emulator.urscript.stack_frame import StackFrame
from robots.ur5e.emulator.urscript.translator import BINARY_NAMES, UNARY_NAMES, translate
from robots.ur5e.emulator.urscript.values import ScriptError, ScriptValue


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
