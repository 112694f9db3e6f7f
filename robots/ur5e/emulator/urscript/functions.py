"""The functions that a script may call: how they are registered, and those that need no robot."""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from random import Random
from types import MappingProxyType
from typing import Any

from robots.ur5e.emulator.urscript.nodes import PoseValue, ScriptError, ScriptValue
from robots.ur5e.emulator.urscript.operators import (
    MAX_LENGTH,
    clamp_integer,
    format_value,
    make_list_value,
    require_boolean,
    require_integer,
    require_number,
)
from robots.ur5e.emulator.urscript.runtime import ScriptRuntime
from robots.ur5e.kinematics import (
    invert_transform,
    matrix_to_pose,
    pose_to_matrix,
    rotation_matrix,
    rotation_vector,
)


@dataclass(frozen=True)
class Builtin:
    """A built-in function, `run(runtime, *arguments)`; if it `suspends`, a generator that yields once per
    cycle.
    """

    name: str
    parameters: tuple[str, ...]
    required: int
    run: Callable[..., Any]
    suspends: bool
    variadic: bool  # takes any number of arguments


def builtin(run: Callable[..., Any]) -> Builtin:
    """Describe a function by its own signature, of which the first parameter is the runtime."""
    parameters = tuple(inspect.signature(run).parameters.values())[1:]
    many = any(p.kind is p.VAR_POSITIONAL for p in parameters)
    named = () if many else tuple(p.name for p in parameters)
    required = sum(p.default is p.empty and p.kind is not p.VAR_POSITIONAL for p in parameters)
    name = run.__name__.rstrip("_")
    return Builtin(name, named, required, run, inspect.isgeneratorfunction(run), many)


def builtin_table(*functions: Callable[..., Any]) -> Mapping[str, Builtin]:
    made = (builtin(f) for f in functions)
    return MappingProxyType({b.name: b for b in made})


def require_pose(value: ScriptValue) -> PoseValue:
    if not isinstance(value, PoseValue):
        raise ScriptError(f"Type error: a pose is wanted, not {format_value(value)[:60]}")
    return value


def _math_function(name: str, do: Callable[[float], float]) -> Callable[..., Any]:
    def run(m: ScriptRuntime, f: ScriptValue) -> ScriptValue:
        try:
            return clamp_integer(do(require_number(f)))
        except (ArithmeticError, ValueError) as error:
            raise ScriptError(f"Arithmetic error: {name}: {error}") from None

    run.__name__ = name
    return run


_MATH = [
    _math_function(name, do)
    for name, do in {
        "acos": math.acos,
        "asin": math.asin,
        "atan": math.atan,
        "cos": math.cos,
        "sin": math.sin,
        "tan": math.tan,
        "sqrt": math.sqrt,
        "ceil": math.ceil,
        "floor": math.floor,
        "d2r": math.radians,
        "r2d": math.degrees,
    }.items()
]


def atan2(m: ScriptRuntime, x: ScriptValue, y: ScriptValue) -> ScriptValue:
    return math.atan2(require_number(x), require_number(y))


def pow_(m: ScriptRuntime, base: ScriptValue, exponent: ScriptValue) -> ScriptValue:
    try:
        return require_number(math.pow(require_number(base), require_number(exponent)))
    except (ArithmeticError, ValueError) as error:
        raise ScriptError(f"Arithmetic error: pow: {error}") from None


def log(m: ScriptRuntime, b: ScriptValue, f: ScriptValue) -> ScriptValue:
    try:
        return math.log(require_number(f), require_number(b))
    except (ArithmeticError, ValueError) as error:
        raise ScriptError(f"Arithmetic error: log: {error}") from None


def random(m: ScriptRuntime) -> ScriptValue:
    return Random().random()


def norm(m: ScriptRuntime, a: ScriptValue) -> ScriptValue:
    """Return the absolute value of a number, or the Euclidean norm of a list."""
    if isinstance(a, list):
        return math.sqrt(sum(require_number(v) ** 2 for v in a))
    return abs(require_number(a))


def length(m: ScriptRuntime, v: ScriptValue) -> ScriptValue:
    if not isinstance(v, list | str):
        raise ScriptError("Type error: length wants a list or a string")
    return len(v)


def make_list(
    m: ScriptRuntime, length: ScriptValue, initial_value: ScriptValue, capacity: ScriptValue = 0
) -> ScriptValue:
    count = require_integer(length)
    if not 0 <= count <= MAX_LENGTH:
        raise ScriptError(f"Value error: a list has at most {MAX_LENGTH} elements")
    return make_list_value([initial_value] * count)


def pose_trans(m: ScriptRuntime, p_from: ScriptValue, p_from_to: ScriptValue) -> ScriptValue:
    return PoseValue(
        matrix_to_pose(pose_to_matrix(require_pose(p_from)) @ pose_to_matrix(require_pose(p_from_to)))
    )


def pose_inv(m: ScriptRuntime, p_from: ScriptValue) -> ScriptValue:
    return PoseValue(matrix_to_pose(invert_transform(pose_to_matrix(require_pose(p_from)))))


def pose_add(m: ScriptRuntime, p_1: ScriptValue, p_2: ScriptValue) -> ScriptValue:
    a, b = pose_to_matrix(require_pose(p_1)), pose_to_matrix(require_pose(p_2))
    a[:3, 3] += b[:3, 3]
    a[:3, :3] = a[:3, :3] @ b[:3, :3]
    return PoseValue(matrix_to_pose(a))


def pose_sub(m: ScriptRuntime, p_to: ScriptValue, p_from: ScriptValue) -> ScriptValue:
    a, b = pose_to_matrix(require_pose(p_to)), pose_to_matrix(require_pose(p_from))
    a[:3, 3] -= b[:3, 3]
    a[:3, :3] = a[:3, :3] @ b[:3, :3].T
    return PoseValue(matrix_to_pose(a))


def pose_dist(m: ScriptRuntime, pose_from: ScriptValue, pose_to: ScriptValue) -> ScriptValue:
    return math.dist(require_pose(pose_from)[:3], require_pose(pose_to)[:3])


def interpolate_pose(
    m: ScriptRuntime, p_from: ScriptValue, p_to: ScriptValue, alpha: ScriptValue
) -> ScriptValue:
    a, b, part = (
        pose_to_matrix(require_pose(p_from)),
        pose_to_matrix(require_pose(p_to)),
        require_number(alpha),
    )
    turn = rotation_vector(b[:3, :3] @ a[:3, :3].T)
    a[:3, 3] += part * (b[:3, 3] - a[:3, 3])
    a[:3, :3] = rotation_matrix(part * turn) @ a[:3, :3]
    return PoseValue(matrix_to_pose(a))


def to_str(m: ScriptRuntime, val: ScriptValue) -> ScriptValue:
    return format_value(val)[:MAX_LENGTH]


def str_cat(m: ScriptRuntime, op1: ScriptValue, op2: ScriptValue) -> ScriptValue:
    return (format_value(op1) + format_value(op2))[:MAX_LENGTH]


def str_len(m: ScriptRuntime, str: ScriptValue) -> ScriptValue:
    return len(_require_string(str))


def str_empty(m: ScriptRuntime, str: ScriptValue) -> ScriptValue:
    return not _require_string(str)


def str_at(m: ScriptRuntime, src: ScriptValue, index: ScriptValue) -> ScriptValue:
    found, at = _require_string(src), require_integer(index)
    if not 0 <= at < len(found):
        raise ScriptError(f"Index error: {at} is outside a string of {len(found)}")
    return found[at]


def str_sub(m: ScriptRuntime, src: ScriptValue, index: ScriptValue, len: ScriptValue = -1) -> ScriptValue:
    found, at, count = _require_string(src), require_integer(index), require_integer(len)
    return found[at : at + count] if count >= 0 else found[at:]


def str_find(
    m: ScriptRuntime, src: ScriptValue, target: ScriptValue, start_from: ScriptValue = 0
) -> ScriptValue:
    return _require_string(src).find(_require_string(target), require_integer(start_from))


def to_num(m: ScriptRuntime, str: ScriptValue) -> ScriptValue:
    found = _require_string(str)
    try:
        return require_number(int(found) if found.lstrip("+-").isdigit() else float(found))
    except (ValueError, OverflowError):
        raise ScriptError(f"Value error: {found[:60]!r} is no number") from None


def binary_list_to_integer(m: ScriptRuntime, l: ScriptValue) -> ScriptValue:  # noqa: E741
    if not isinstance(l, list) or len(l) > 32:
        raise ScriptError("Type error: a list of at most 32 booleans is wanted")
    return clamp_integer(sum(require_boolean(v) << i for i, v in enumerate(l)))


def integer_to_binary_list(m: ScriptRuntime, x: ScriptValue) -> ScriptValue:
    return [bool(require_integer(x) >> i & 1) for i in range(32)]


def _require_string(value: ScriptValue) -> str:
    if not isinstance(value, str):
        raise ScriptError(f"Type error: a string is wanted, not {format_value(value)[:60]}")
    return value


PURE = builtin_table(
    *_MATH,
    atan2,
    pow_,
    log,
    random,
    norm,
    length,
    make_list,
    pose_trans,
    pose_inv,
    pose_add,
    pose_sub,
    pose_dist,
    interpolate_pose,
    to_str,
    to_num,
    str_cat,
    str_len,
    str_empty,
    str_at,
    str_sub,
    str_find,
    binary_list_to_integer,
    integer_to_binary_list,
)
