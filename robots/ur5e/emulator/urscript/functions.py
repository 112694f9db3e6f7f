"""The functions of a script that need no robot."""

from __future__ import annotations

import math
from collections.abc import Callable
from random import Random

from robots.ur5e.emulator.urscript.builtin_functions import builtin_table
from robots.ur5e.emulator.urscript.operators import (
    MAX_LENGTH,
    clamp_integer,
    format_value,
    make_list_value,
    require_boolean,
    require_integer,
    require_number,
    require_pose,
)
from robots.ur5e.emulator.urscript.runtime import ScriptRuntime
from robots.ur5e.emulator.urscript.values import PoseValue, ScriptError, ScriptValue
from robots.ur5e.kinematics import (
    Transform,
    invert_transform,
    matrix_to_pose,
    pose_to_matrix,
    rotation_matrix,
    rotation_vector,
)


def _calculate(name: str, do: Callable[..., float], *values: ScriptValue) -> ScriptValue:
    try:
        return clamp_integer(do(*map(require_number, values)))
    except (ArithmeticError, ValueError) as error:
        raise ScriptError(f"Arithmetic error: {name}: {error}") from None


def _math_function(name: str, do: Callable[[float], float]) -> Callable[..., ScriptValue]:
    return lambda m, f: _calculate(name, do, f)


_MATH = {
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
}


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


def pose_add(m: ScriptRuntime, p_1: ScriptValue, p_2: ScriptValue) -> ScriptValue:
    a, b = _matrix(p_1), _matrix(p_2)
    a[:3, 3] += b[:3, 3]
    a[:3, :3] = a[:3, :3] @ b[:3, :3]
    return _pose(a)


def pose_sub(m: ScriptRuntime, p_to: ScriptValue, p_from: ScriptValue) -> ScriptValue:
    a, b = _matrix(p_to), _matrix(p_from)
    a[:3, 3] -= b[:3, 3]
    a[:3, :3] = a[:3, :3] @ b[:3, :3].T
    return _pose(a)


def interpolate_pose(
    m: ScriptRuntime, p_from: ScriptValue, p_to: ScriptValue, alpha: ScriptValue
) -> ScriptValue:
    a, b, part = _matrix(p_from), _matrix(p_to), require_number(alpha)
    turn = rotation_vector(b[:3, :3] @ a[:3, :3].T)
    a[:3, 3] += part * (b[:3, 3] - a[:3, 3])
    a[:3, :3] = rotation_matrix(part * turn) @ a[:3, :3]
    return _pose(a)


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


def _matrix(pose: ScriptValue) -> Transform:
    return pose_to_matrix(require_pose(pose))


def _pose(matrix: Transform) -> PoseValue:
    return PoseValue(matrix_to_pose(matrix))


def _require_string(value: ScriptValue) -> str:
    if not isinstance(value, str):
        raise ScriptError(f"Type error: a string is wanted, not {format_value(value)[:60]}")
    return value


_SHORT: dict[str, Callable[..., ScriptValue]] = {
    **{name: _math_function(name, do) for name, do in _MATH.items()},
    "pow": lambda m, base, exponent: _calculate("pow", math.pow, base, exponent),
    "log": lambda m, b, f: _calculate("log", math.log, f, b),
    "atan2": lambda m, x, y: math.atan2(require_number(x), require_number(y)),
    "random": lambda m: Random().random(),
    "pose_trans": lambda m, p_from, p_from_to: _pose(_matrix(p_from) @ _matrix(p_from_to)),
    "pose_inv": lambda m, p_from: _pose(invert_transform(_matrix(p_from))),
    "pose_dist": lambda m, pose_from, pose_to: math.dist(
        require_pose(pose_from)[:3], require_pose(pose_to)[:3]
    ),
    "to_str": lambda m, val: format_value(val)[:MAX_LENGTH],
    "str_cat": lambda m, op1, op2: (format_value(op1) + format_value(op2))[:MAX_LENGTH],
    "str_len": lambda m, str: len(_require_string(str)),
    "str_empty": lambda m, str: not _require_string(str),
    "integer_to_binary_list": lambda m, x: [bool(require_integer(x) >> i & 1) for i in range(32)],
}
PURE = builtin_table(globals(), _SHORT)
