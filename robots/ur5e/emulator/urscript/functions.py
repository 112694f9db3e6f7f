"""The functions a script may call. Here: how they are listed, and what needs no robot."""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from random import Random
from types import MappingProxyType

from robots.ur5e.emulator.urscript.machine import Machine
from robots.ur5e.emulator.urscript.nodes import PoseValue, ScriptError, Value
from robots.ur5e.emulator.urscript.operators import (
    LONGEST,
    bounded,
    list_of,
    number,
    text,
    truth,
    whole,
)
from robots.ur5e.kinematics import inverse, matrix, pose_of, rotation, vector


@dataclass(frozen=True)
class Builtin:
    """`run(machine, *arguments)`; one that `waits` is a generator, an item a cycle."""

    name: str
    parameters: tuple[str, ...]
    required: int
    run: Callable
    waits: bool
    many: bool  # takes any number of arguments


def builtin(run: Callable) -> Builtin:
    """Read a function's own signature; its first parameter is the machine."""
    parameters = tuple(inspect.signature(run).parameters.values())[1:]
    many = any(p.kind is p.VAR_POSITIONAL for p in parameters)
    named = () if many else tuple(p.name for p in parameters)
    required = sum(p.default is p.empty and p.kind is not p.VAR_POSITIONAL for p in parameters)
    name = run.__name__.rstrip("_")
    return Builtin(name, named, required, run, inspect.isgeneratorfunction(run), many)


def table(*functions: Callable) -> Mapping[str, Builtin]:
    made = (builtin(f) for f in functions)
    return MappingProxyType({b.name: b for b in made})


def pose(value: Value) -> PoseValue:
    if not isinstance(value, PoseValue):
        raise ScriptError(f"Type error: a pose is wanted, not {text(value)[:60]}")
    return value


def _of_math(name: str, do: Callable[[float], float]) -> Callable:
    def run(m: Machine, f: Value) -> Value:
        try:
            return bounded(do(number(f)))
        except (ArithmeticError, ValueError) as error:
            raise ScriptError(f"Arithmetic error: {name}: {error}") from None

    run.__name__ = name
    return run


_MATH = [
    _of_math(name, do)
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


def atan2(m: Machine, x: Value, y: Value) -> Value:
    return math.atan2(number(x), number(y))


def pow_(m: Machine, base: Value, exponent: Value) -> Value:
    try:
        return number(math.pow(number(base), number(exponent)))
    except (ArithmeticError, ValueError) as error:
        raise ScriptError(f"Arithmetic error: pow: {error}") from None


def log(m: Machine, b: Value, f: Value) -> Value:
    try:
        return math.log(number(f), number(b))
    except (ArithmeticError, ValueError) as error:
        raise ScriptError(f"Arithmetic error: log: {error}") from None


def random(m: Machine) -> Value:
    return Random().random()


def norm(m: Machine, a: Value) -> Value:
    """A number's amount, a list's length in space."""
    if isinstance(a, list):
        return math.sqrt(sum(number(v) ** 2 for v in a))
    return abs(number(a))


def length(m: Machine, v: Value) -> Value:
    if not isinstance(v, list | str):
        raise ScriptError("Type error: length wants a list or a string")
    return len(v)


def make_list(m: Machine, length: Value, initial_value: Value, capacity: Value = 0) -> Value:
    count = whole(length)
    if not 0 <= count <= LONGEST:
        raise ScriptError(f"Value error: a list has at most {LONGEST} elements")
    return list_of([initial_value] * count)


def pose_trans(m: Machine, p_from: Value, p_from_to: Value) -> Value:
    return PoseValue(pose_of(matrix(pose(p_from)) @ matrix(pose(p_from_to))))


def pose_inv(m: Machine, p_from: Value) -> Value:
    return PoseValue(pose_of(inverse(matrix(pose(p_from)))))


def pose_add(m: Machine, p_1: Value, p_2: Value) -> Value:
    a, b = matrix(pose(p_1)), matrix(pose(p_2))
    a[:3, 3] += b[:3, 3]
    a[:3, :3] = a[:3, :3] @ b[:3, :3]
    return PoseValue(pose_of(a))


def pose_sub(m: Machine, p_to: Value, p_from: Value) -> Value:
    a, b = matrix(pose(p_to)), matrix(pose(p_from))
    a[:3, 3] -= b[:3, 3]
    a[:3, :3] = a[:3, :3] @ b[:3, :3].T
    return PoseValue(pose_of(a))


def pose_dist(m: Machine, pose_from: Value, pose_to: Value) -> Value:
    return math.dist(pose(pose_from)[:3], pose(pose_to)[:3])


def interpolate_pose(m: Machine, p_from: Value, p_to: Value, alpha: Value) -> Value:
    a, b, part = matrix(pose(p_from)), matrix(pose(p_to)), number(alpha)
    turn = vector(b[:3, :3] @ a[:3, :3].T)
    a[:3, 3] += part * (b[:3, 3] - a[:3, 3])
    a[:3, :3] = rotation(part * turn) @ a[:3, :3]
    return PoseValue(pose_of(a))


def to_str(m: Machine, val: Value) -> Value:
    return text(val)[:LONGEST]


def str_cat(m: Machine, op1: Value, op2: Value) -> Value:
    return (text(op1) + text(op2))[:LONGEST]


def str_len(m: Machine, str: Value) -> Value:
    return len(_string(str))


def str_empty(m: Machine, str: Value) -> Value:
    return not _string(str)


def str_at(m: Machine, src: Value, index: Value) -> Value:
    found, at = _string(src), whole(index)
    if not 0 <= at < len(found):
        raise ScriptError(f"Index error: {at} is outside a string of {len(found)}")
    return found[at]


def str_sub(m: Machine, src: Value, index: Value, len: Value = -1) -> Value:
    found, at, count = _string(src), whole(index), whole(len)
    return found[at : at + count] if count >= 0 else found[at:]


def str_find(m: Machine, src: Value, target: Value, start_from: Value = 0) -> Value:
    return _string(src).find(_string(target), whole(start_from))


def to_num(m: Machine, str: Value) -> Value:
    found = _string(str)
    try:
        return number(int(found) if found.lstrip("+-").isdigit() else float(found))
    except (ValueError, OverflowError):
        raise ScriptError(f"Value error: {found[:60]!r} is no number") from None


def binary_list_to_integer(m: Machine, l: Value) -> Value:  # noqa: E741
    if not isinstance(l, list) or len(l) > 32:
        raise ScriptError("Type error: a list of at most 32 booleans is wanted")
    return bounded(sum(truth(v) << i for i, v in enumerate(l)))


def integer_to_binary_list(m: Machine, x: Value) -> Value:
    return [bool(whole(x) >> i & 1) for i in range(32)]


def _string(value: Value) -> str:
    if not isinstance(value, str):
        raise ScriptError(f"Type error: a string is wanted, not {text(value)[:60]}")
    return value


PURE = table(
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
