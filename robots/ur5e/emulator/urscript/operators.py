"""What operators do, and how values are written. Wrong types and sizes raise ScriptError."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import cast

from robots.ur5e.emulator.urscript.nodes import Handle, PoseValue, ScriptError, Value

_LARGEST_INT = 2**31
LONGEST = 1000  # elements of a list, characters of a text


def number(value: Value) -> float:
    """A finite number."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise ScriptError(f"Type error: a number is wanted, not {kind(value)}")
    if not math.isfinite(value):
        raise ScriptError("Value error: a number is not finite")
    return value


def whole(value: Value) -> int:
    found = number(value)
    if found != int(found):
        raise ScriptError(f"Type error: a whole number is wanted, not {text(value)}")
    return int(found)


def truth(value: Value) -> bool:
    if not isinstance(value, bool):
        raise ScriptError(f"Type error: a boolean is wanted, not {kind(value)}")
    return value


def numbers(value: Value, count: int) -> tuple[float, ...]:
    """A list, or a pose, of `count` numbers."""
    if not isinstance(value, list) or len(value) != count:
        raise ScriptError(f"Type error: a list of {count} numbers is wanted, not {text(value)[:60]}")
    return tuple(number(v) for v in value)


def kind(value: Value) -> str:
    for type_, name in (
        (bool, "a boolean"),
        ((int, float), "a number"),
        (str, "a string"),
        (PoseValue, "a pose"),
        (list, "a list"),
        (Handle, "a thread"),
    ):
        if isinstance(value, type_):
            return name
    return "nothing"


def text(value: Value) -> str:
    """As `textmsg` and `to_str` write it."""
    if isinstance(value, float):
        return f"{value:.6g}"
    if isinstance(value, list):
        inner = ",".join(text(v) for v in value)
        return f"p[{inner}]" if isinstance(value, PoseValue) else f"[{inner}]"
    return str(value)


def copied(value: Value) -> Value:
    """Lists are values: who assigns one gets its own."""
    if isinstance(value, PoseValue):
        return PoseValue(value)
    return [copied(v) for v in value] if isinstance(value, list) else value


def list_of(items: Sequence[Value]) -> list[Value]:
    if len(items) > LONGEST:
        raise ScriptError(f"Value error: a list has at most {LONGEST} elements")
    for item in items:
        if isinstance(item, list) and any(isinstance(v, list) for v in item):
            raise ScriptError("Type error: a list of lists of lists")
    return [copied(v) for v in items]


def pose_of(items: Sequence[Value]) -> PoseValue:
    if len(items) != 6:
        raise ScriptError(f"Type error: a pose has 6 numbers, not {len(items)}")
    return PoseValue(float(number(v)) for v in items)


def item(base: Value, index: Value) -> Value:
    return _list(base)[_place(base, index)]


def set_item(base: Value, indices: Sequence[Value], value: Value) -> None:
    for index in indices[:-1]:
        base = item(base, index)
    found, at = _list(base), _place(base, indices[-1])
    if isinstance(base, PoseValue):
        value = float(number(value))
    elif isinstance(value, list) or isinstance(found[at], list):
        raise ScriptError("Type error: an element of a list is no list")
    found[at] = value


def _list(base: Value) -> list[Value]:
    if not isinstance(base, list):
        raise ScriptError(f"Type error: {kind(base)} has no elements")
    return cast(list[Value], base)


def _place(base: Value, index: Value) -> int:
    at = whole(index)
    if not 0 <= at < len(_list(base)):
        raise ScriptError(f"Index error: {at} is outside a list of {len(_list(base))}")
    return at


def _arithmetic(do: Callable[[float, float], float]) -> Callable[[Value, Value], Value]:
    def apply(left: Value, right: Value) -> Value:
        try:
            found = do(number(left), number(right))
        except (ArithmeticError, ValueError) as error:
            raise ScriptError(f"Arithmetic error: {error}") from None
        return bounded(found)

    return apply


def bounded(value: float) -> float:
    """Integers have 32 bits; what is larger goes on as a float."""
    return float(value) if isinstance(value, int) and abs(value) >= _LARGEST_INT else value


def _order(do: Callable[[float, float], bool]) -> Callable[[Value, Value], Value]:
    return lambda left, right: do(number(left), number(right))


def _equal(left: Value, right: Value) -> bool:
    return left == right and isinstance(left, bool) == isinstance(right, bool)


BINARY: Mapping[str, Callable[[Value, Value], Value]] = MappingProxyType(
    {
        "+": _arithmetic(operator.add),
        "-": _arithmetic(operator.sub),
        "*": _arithmetic(operator.mul),
        "/": _arithmetic(operator.truediv),
        "%": _arithmetic(operator.mod),
        "<": _order(operator.lt),
        "<=": _order(operator.le),
        ">": _order(operator.gt),
        ">=": _order(operator.ge),
        "==": _equal,
        "!=": lambda left, right: not _equal(left, right),
        "xor": lambda left, right: truth(left) != truth(right),
    }
)
UNARY: Mapping[str, Callable[[Value], Value]] = MappingProxyType(
    {"-": lambda v: -number(v), "+": number, "not": lambda v: not truth(v)}
)
