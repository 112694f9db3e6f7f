"""Apply operators, and format values. Wrong types and sizes raise ScriptError."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import cast

from robots.ur5e.emulator.urscript.values import PoseValue, ScriptError, ScriptValue, ThreadHandle

_INT_LIMIT = 2**31
MAX_LENGTH = 1000  # elements of a list, characters of a string


def require_number(value: ScriptValue) -> float:
    """Return a finite number."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise ScriptError(f"Type error: a number is wanted, not {type_name(value)}")
    if not math.isfinite(value):
        raise ScriptError("Value error: a number is not finite")
    return value


def require_integer(value: ScriptValue) -> int:
    found = require_number(value)
    if found != int(found):
        raise ScriptError(f"Type error: a whole number is wanted, not {format_value(value)}")
    return int(found)


def require_boolean(value: ScriptValue) -> bool:
    if not isinstance(value, bool):
        raise ScriptError(f"Type error: a boolean is wanted, not {type_name(value)}")
    return value


def require_numbers(value: ScriptValue, count: int) -> tuple[float, ...]:
    """Return `count` numbers from a list or a pose."""
    if not isinstance(value, list) or len(value) != count:
        raise ScriptError(f"Type error: a list of {count} numbers is wanted, not {format_value(value)[:60]}")
    return tuple(require_number(v) for v in value)


def require_pose(value: ScriptValue) -> PoseValue:
    if not isinstance(value, PoseValue):
        raise ScriptError(f"Type error: a pose is wanted, not {format_value(value)[:60]}")
    return value


def type_name(value: ScriptValue) -> str:
    for type_, name in (
        (bool, "a boolean"),
        ((int, float), "a number"),
        (str, "a string"),
        (PoseValue, "a pose"),
        (list, "a list"),
        (ThreadHandle, "a thread"),
    ):
        if isinstance(value, type_):
            return name
    return "nothing"


def format_value(value: ScriptValue) -> str:
    """Format a value as `textmsg` and `to_str` do."""
    if isinstance(value, float):
        return f"{value:.6g}"
    if isinstance(value, list):
        inner = ",".join(format_value(v) for v in value)
        return f"p[{inner}]" if isinstance(value, PoseValue) else f"[{inner}]"
    return str(value)


def copy_value(value: ScriptValue) -> ScriptValue:
    """Copy a list: lists are values, and an assignment makes a new one."""
    if isinstance(value, PoseValue):
        return PoseValue(value)
    return [copy_value(v) for v in value] if isinstance(value, list) else value


def make_list_value(items: Sequence[ScriptValue]) -> list[ScriptValue]:
    if len(items) > MAX_LENGTH:
        raise ScriptError(f"Value error: a list has at most {MAX_LENGTH} elements")
    for item in items:
        if isinstance(item, list) and any(isinstance(v, list) for v in item):
            raise ScriptError("Type error: a list of lists of lists")
    return [copy_value(v) for v in items]


def make_pose_value(items: Sequence[ScriptValue]) -> PoseValue:
    if len(items) != 6:
        raise ScriptError(f"Type error: a pose has 6 numbers, not {len(items)}")
    return PoseValue(float(require_number(v)) for v in items)


def get_item(base: ScriptValue, index: ScriptValue) -> ScriptValue:
    return _require_list(base)[_checked_index(base, index)]


def set_item(indices: Sequence[ScriptValue], value: ScriptValue, base: ScriptValue) -> None:
    for index in indices[:-1]:
        base = get_item(base, index)
    found, at = _require_list(base), _checked_index(base, indices[-1])
    if isinstance(base, PoseValue):
        value = float(require_number(value))
    elif isinstance(value, list) or isinstance(found[at], list):
        raise ScriptError("Type error: an element of a list is no list")
    found[at] = value


def _require_list(base: ScriptValue) -> list[ScriptValue]:
    if not isinstance(base, list):
        raise ScriptError(f"Type error: {type_name(base)} has no elements")
    return cast(list[ScriptValue], base)


def _checked_index(base: ScriptValue, index: ScriptValue) -> int:
    at = require_integer(index)
    if not 0 <= at < len(_require_list(base)):
        raise ScriptError(f"Index error: {at} is outside a list of {len(_require_list(base))}")
    return at


def _arithmetic(do: Callable[[float, float], float]) -> Callable[[ScriptValue, ScriptValue], ScriptValue]:
    def apply(left: ScriptValue, right: ScriptValue) -> ScriptValue:
        try:
            found = do(require_number(left), require_number(right))
        except (ArithmeticError, ValueError) as error:
            raise ScriptError(f"Arithmetic error: {error}") from None
        return clamp_integer(found)

    return apply


def clamp_integer(value: float) -> float:
    """Keep an integer in 32 bits; a larger one continues as a float."""
    return float(value) if isinstance(value, int) and abs(value) >= _INT_LIMIT else value


def _comparison(do: Callable[[float, float], bool]) -> Callable[[ScriptValue, ScriptValue], ScriptValue]:
    return lambda left, right: do(require_number(left), require_number(right))


def _equal(left: ScriptValue, right: ScriptValue) -> bool:
    return left == right and isinstance(left, bool) == isinstance(right, bool)


BINARY: Mapping[str, Callable[[ScriptValue, ScriptValue], ScriptValue]] = MappingProxyType(
    {
        "+": _arithmetic(operator.add),
        "-": _arithmetic(operator.sub),
        "*": _arithmetic(operator.mul),
        "/": _arithmetic(operator.truediv),
        "%": _arithmetic(operator.mod),
        "<": _comparison(operator.lt),
        "<=": _comparison(operator.le),
        ">": _comparison(operator.gt),
        ">=": _comparison(operator.ge),
        "==": _equal,
        "!=": lambda left, right: not _equal(left, right),
        "xor": lambda left, right: require_boolean(left) != require_boolean(right),
    }
)
UNARY: Mapping[str, Callable[[ScriptValue], ScriptValue]] = MappingProxyType(
    {"-": lambda v: -require_number(v), "+": require_number, "not": lambda v: not require_boolean(v)}
)
