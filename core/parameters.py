"""The options of a registry entry, one by one, as a form, a table or a help text shows them."""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from enum import Enum
from functools import cache
from math import inf
from types import UnionType
from typing import Any, Literal, TypeVar, Union, get_args, get_origin, get_type_hints

from annotated_types import Ge, Gt, Interval, Le, Lt
from pydantic import Field
from pydantic.fields import FieldInfo

from core.errors import BadValue
from core.registry import Options

T = TypeVar("T")


class ParameterType(Enum):
    BOOLEAN = "yes or no"
    CHOICE = "one of"
    INTEGER = "whole number"
    NUMBER = "number"
    TEXT = "text"
    LIST = "words, separated by commas"


@dataclass(frozen=True)
class Parameter:
    """One option. `default` is written as on the command line; `choices` applies to CHOICE."""

    name: str
    title: str
    help: str
    kind: ParameterType
    default: str
    minimum: float | None = None
    maximum: float | None = None
    choices: tuple[str, ...] = ()

    @property
    def allowed_values(self) -> str:
        """Return its allowed values in words: "0 to 1", "fast, slow", "text"."""
        if self.choices:
            return ", ".join(self.choices)
        least, most = (None if v is None else f"{v:g}" for v in (self.minimum, self.maximum))
        if least and most:
            return f"{least} to {most}"
        if least:
            return f"{least} or more"
        return f"{most} or less" if most else self.kind.value


def parameters_of(options: type[Options]) -> tuple[Parameter, ...]:
    """Return all parameters in the order of their declaration."""
    return tuple(_parameter(name, field) for name, field in options.model_fields.items())


def setting(default: T, help: str, title: str = "", ge: float | None = None, le: float | None = None) -> T:
    """Return a dataclass's field that says what it is and its bounds, for `parameters_of_fields`."""
    about = Field(default, title=title or None, description=help, ge=ge, le=le)
    return field(default=default, metadata={"about": about})


@cache
def parameters_of_fields(kind: type[Any]) -> tuple[Parameter, ...]:
    """Return the parameters of a dataclass, of each field made by `setting`."""
    hints = get_type_hints(kind)
    told = {f.name: f.metadata["about"] for f in fields(kind) if "about" in f.metadata}
    return tuple(
        _parameter(name, FieldInfo.from_annotated_attribute(hints[name], about))
        for name, about in told.items()
    )


def check_bounds(values: Any) -> None:
    """Raise BadValue for the first field of a dataclass that is outside the bounds of its `setting`."""
    for p in parameters_of_fields(type(values)):  # type: ignore[arg-type]  # mypy: a class has no hash
        value, most = getattr(values, p.name), inf if p.maximum is None else p.maximum
        if p.minimum is not None and value is not None and not p.minimum <= value <= most:
            raise BadValue(f"{p.title} {value:g} is out of range: take {p.allowed_values}. {p.help}")


def format_value(value: object) -> str:
    """Return a value as text that parses back to the same value."""
    if isinstance(value, Enum):
        value = value.value
    if isinstance(value, tuple | list | set | frozenset):
        return ", ".join(map(format_value, value))
    return str(value).lower() if isinstance(value, bool) else "" if value is None else str(value)


def _parameter(name: str, about: FieldInfo) -> Parameter:
    kind = _kind(about.annotation)
    choices = _choices(kind)
    least, most = _bounds(about)
    told = about.description or ""
    return Parameter(
        name,
        about.title or name.replace("_", " ").capitalize(),
        told[:1].upper() + told[1:],
        ParameterType.CHOICE if choices else _TYPES.get(get_origin(kind) or kind, ParameterType.TEXT),
        "" if about.is_required() else format_value(about.get_default(call_default_factory=True)),
        least,
        most,
        choices,
    )


_TYPES: dict[Any, ParameterType] = {
    bool: ParameterType.BOOLEAN,
    int: ParameterType.INTEGER,
    float: ParameterType.NUMBER,
}
_TYPES |= {tuple: ParameterType.LIST, set: ParameterType.LIST, frozenset: ParameterType.LIST}


def _kind(annotation: Any) -> Any:
    """Return the type itself: int for `int | None`."""
    if get_origin(annotation) in (Union, UnionType):
        return next(a for a in get_args(annotation) if a is not type(None))
    return annotation


def _choices(kind: Any) -> tuple[str, ...]:
    if get_origin(kind) is Literal:
        return tuple(map(str, get_args(kind)))
    if isinstance(kind, type) and issubclass(kind, Enum):
        return tuple(str(member.value) for member in kind)
    return ()


def _bounds(about: FieldInfo) -> tuple[float | None, float | None]:
    least, most = None, None
    for mark in about.metadata:
        parts = tuple(mark) if isinstance(mark, Interval) else (mark,)
        for part in parts:
            if isinstance(part, Ge | Gt):
                least = _as_float(part.ge if isinstance(part, Ge) else part.gt)
            if isinstance(part, Le | Lt):
                most = _as_float(part.le if isinstance(part, Le) else part.lt)
    return least, most


def _as_float(value: Any) -> float:
    return float(value)
