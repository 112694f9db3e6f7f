"""Convert frozen values to JSON-ready forms, with one codec per type derived from the dataclasses.

A field excluded from comparison (pixels, depth, the belief beside a proposal) is not part of what happened
and is left out; the values of a step are, so they are written. Atoms are arrays, `["inside", "mug",
"cabinet"]`, so that SQL finds the predicate at `$.atom[0]`; a choice of classes (a decision) is distinguished
by `"kind"`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import MISSING, Field, dataclass, fields, is_dataclass
from enum import Enum
from functools import cache
from math import isfinite
from operator import index
from pathlib import Path
from types import MappingProxyType, NoneType, UnionType
from typing import Any, Union, get_args, get_origin, get_type_hints

from core.belief import Atom
from core.log.integrity.validation import class_words
from core.log.upgrades import current_name, upgrade
from core.planning_model import Step


class DecodeError(Exception):
    """A form that this version cannot read; the message goes after "has"."""


@dataclass(frozen=True)
class Codec:
    """How values of one type are encoded as JSON-ready forms and decoded again."""

    encode: Callable[[Any], Any]
    decode: Callable[[Any], Any]


@cache
def codec_for(hint: Any) -> Codec:
    """Return the codec of a type. Raises TypeError for one without a JSON form."""
    if hint in _PLAIN:
        return _PLAIN[hint]
    origin, args = get_origin(hint), get_args(hint)
    if origin in (Union, UnionType):
        return _choice(tuple(a for a in args if a is not NoneType), NoneType in args)
    if origin is tuple:
        return _sequence(codec_for(args[0])) if args[-1] is Ellipsis else _row(tuple(map(codec_for, args)))
    if origin is frozenset:
        return _set(codec_for(args[0]))
    if origin is Mapping:
        return _mapping(codec_for(args[1]))
    if isinstance(hint, type) and issubclass(hint, Enum):
        return _enum(hint)
    if is_dataclass(hint) and isinstance(hint, type):
        return _class(hint)
    raise TypeError(f"no JSON form for {hint}")


def _instance_of(*types: type) -> Callable[[Any], Any]:
    def read(form: Any) -> Any:
        if type(form) not in types:
            raise DecodeError(f"{form!r} where it should have {types[0].__name__}")
        return form

    return read


def _write_float(value: Any) -> float | str:
    value = float(value)  # a numpy number becomes a plain one
    return value if isfinite(value) else repr(value)  # JSON has no inf and nan


def _read_float(form: Any) -> float:
    if type(form) is float or type(form) is int or form in ("nan", "inf", "-inf"):
        return float(form)
    raise DecodeError(f"{form!r} where it should have a number")


def _write_free(value: Any) -> Any:
    """Encode the values of a step: any JSON, with tuples as arrays."""
    if isinstance(value, tuple):
        return [_write_free(v) for v in value]
    return {"float": repr(value)} if isinstance(value, float) and not isfinite(value) else value


def _read_free(form: Any) -> Any:
    if isinstance(form, list):
        return tuple(_read_free(v) for v in form)
    return _read_float(form.get("float")) if isinstance(form, dict) else form


_PLAIN: Mapping[Any, Codec] = {
    str: Codec(lambda text: text, _instance_of(str)),
    int: Codec(index, _instance_of(int)),
    bool: Codec(bool, _instance_of(bool)),
    float: Codec(_write_float, _read_float),
    Path: Codec(str, lambda form: Path(_instance_of(str)(form))),
    Atom: Codec(lambda atom: [atom.predicate, *atom.args], lambda form: _read_atom(form)),
}


def _read_atom(form: Any) -> Atom:
    if not isinstance(form, list) or not form or not all(isinstance(word, str) for word in form):
        raise DecodeError(f"{form!r} where it should have an atom")
    return Atom(form[0], tuple(form[1:]))


def _items(form: Any) -> list[Any]:
    if not isinstance(form, list):
        raise DecodeError(f"{form!r} where it should have an array")
    return form


def _object(form: Any) -> dict[str, Any]:
    if not isinstance(form, dict):
        raise DecodeError(f"{form!r} where it should have an object")
    return form


def _sequence(way: Codec) -> Codec:
    write, read = way.encode, way.decode
    return Codec(lambda values: [write(v) for v in values], lambda form: tuple(read(v) for v in _items(form)))


def _set(way: Codec) -> Codec:
    """Sort by the form, so that equal sets have the same text."""
    return Codec(
        lambda values: sorted(map(way.encode, values)),
        lambda form: frozenset(map(way.decode, _items(form))),
    )


def _row(ways: tuple[Codec, ...]) -> Codec:
    def read(form: Any) -> Any:
        if len(_items(form)) != len(ways):
            raise DecodeError(f"{form!r} where it should have {len(ways)} values")
        return tuple(way.decode(v) for way, v in zip(ways, form, strict=True))

    return Codec(lambda values: [way.encode(v) for way, v in zip(ways, values, strict=True)], read)


def _mapping(way: Codec) -> Codec:
    write, read = way.encode, way.decode
    return Codec(
        lambda values: {str(k): write(v) for k, v in values.items()},
        lambda form: MappingProxyType({k: read(v) for k, v in _object(form).items()}),
    )


def _enum(kind: type[Enum]) -> Codec:
    by_value = {member.value: member for member in kind}

    def read(form: Any) -> Enum:
        if not isinstance(form, str) or form not in by_value:
            raise DecodeError(f"the unknown {class_words(kind)} {form!r}")
        return by_value[form]

    return Codec(lambda member: member.value, read)


def _choice(kinds: tuple[Any, ...], optional: bool) -> Codec:
    way = codec_for(kinds[0]) if len(kinds) == 1 else _tagged(kinds)
    if not optional:
        return way
    write, read = way.encode, way.decode
    return Codec(
        lambda value: None if value is None else write(value),
        lambda form: None if form is None else read(form),
    )


def _tagged(kinds: tuple[Any, ...]) -> Codec:
    by_name = {kind.__name__: kind for kind in kinds}

    def write(value: Any) -> Any:
        name = type(value).__name__
        form = codec_for(by_name[name]).encode(value)
        return {"kind": name, **(form if isinstance(form, dict) else {"value": form})}

    def read(form: Any) -> Any:
        rest = dict(_object(form))
        name = current_name(rest.pop("kind", None))
        if name not in by_name:
            raise DecodeError(f"the unknown choice {name!r}")
        form = rest.get("value") if by_name[name] in _PLAIN else rest
        return codec_for(by_name[name]).decode(form)

    return Codec(write, read)


def _class(kind: type) -> Codec:
    hints = get_type_hints(kind)
    logged = [f for f in fields(kind) if _is_logged(kind, f)]
    parts = {f.name: _field_codec(kind, f, hints[f.name]) for f in logged}
    needed = {f.name for f in fields(kind) if f.default is MISSING and f.default_factory is MISSING}

    def read(form: Any) -> Any:
        values = upgrade(kind, _object(form))
        for name in values.keys() - parts.keys():
            raise DecodeError(f"the unknown field {name!r} in {kind.__name__}")
        for name in needed - values.keys():
            raise DecodeError(f"no {name!r} in {kind.__name__}")
        return kind(**{name: parts[name].decode(form) for name, form in values.items()})

    return Codec(lambda value: {name: way.encode(getattr(value, name)) for name, way in parts.items()}, read)


def _is_logged(kind: type, field: Field[Any]) -> bool:
    return field.compare or (kind is Step and field.name == "values")


def _field_codec(kind: type, field: Field[Any], hint: Any) -> Codec:
    if kind is Step and field.name == "values":
        return _mapping(Codec(_write_free, _read_free))
    return codec_for(hint)
