"""Convert frozen values to JSON-ready forms and back, and describe them: a codec per type, by its dataclass.

A field excluded from comparison (pixels, depth, the belief beside a proposal) is not part of what happened
and is left out; the values of a step are, so they are written. Atoms are arrays, `["inside", "mug",
"cabinet"]`, so that SQL finds the predicate at `$.atom[0]`; a choice of classes (a decision) is distinguished
by `"kind"`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import MISSING, dataclass, fields, is_dataclass
from enum import Enum
from functools import cache
from math import isfinite
from operator import index
from pathlib import Path
from types import MappingProxyType, NoneType, UnionType
from typing import Any, Union, get_args, get_origin, get_type_hints

from core.belief import Atom
from core.log.upgrades import current_name, upgrade
from core.planning_model import Step
from core.text.class_words import class_words

Schema = dict[str, Any]


class DecodeError(Exception):
    """A form that this version cannot read; the message goes after "has"."""


@dataclass(frozen=True)
class Codec:
    """How values of one type are encoded as JSON-ready forms, decoded again, and described in JSON Schema.

    `schema` takes the definitions of the classes so far, and adds those that it refers to.
    """

    encode: Callable[[Any], Any]
    decode: Callable[[Any], Any]
    schema: Callable[[Schema], Schema]


@cache
def codec_for(hint: Any) -> Codec:
    """Return the codec of a type. Raises TypeError for one without a JSON form."""
    if hint in _PLAIN:
        return _PLAIN[hint]
    origin, args = get_origin(hint), get_args(hint)
    if origin in (Union, UnionType):
        return _choice(tuple(a for a in args if a is not NoneType), NoneType in args)
    if origin is tuple and args[-1] is not Ellipsis:
        return _row(tuple(map(codec_for, args)))
    if origin in (tuple, frozenset):
        return _sequence(origin, codec_for(args[0]))
    if origin is Mapping:
        return _mapping(codec_for(args[1]))
    if isinstance(hint, type) and issubclass(hint, Enum):
        return _enum(hint)
    if is_dataclass(hint) and isinstance(hint, type):
        return _class(hint)
    raise TypeError(f"no JSON form for {hint}")


def object_schema(properties: Schema) -> Schema:
    """Return the schema of an object with all these properties and no others."""
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


def class_schema(kind: type, defs: Schema, tag: str = "") -> Schema:
    """Return the schema of a dataclass; with a tag it names itself in `kind`."""
    properties = {"kind": {"type": "string", "const": tag}} if tag else {}
    return object_schema(properties | {name: part.schema(defs) for name, part in _parts(kind).items()})


# --- plain values ------------------------------------------------------------------------------------

_JSON_TYPES = {str: "string", int: "integer", bool: "boolean", list: "array", dict: "object"}


def _instance_of(kind: type) -> Callable[[Any], Any]:
    def read(form: Any) -> Any:
        if type(form) is not kind:
            raise DecodeError(f"{form!r} where it should have {_JSON_TYPES[kind]}")
        return form

    return read


_items, _object = _instance_of(list), _instance_of(dict)


def _write_float(value: Any) -> float | str:
    value = float(value)  # a numpy number becomes a plain one
    return value if isfinite(value) else repr(value)  # JSON has no inf and nan


def _read_float(form: Any) -> float:
    if type(form) is float or type(form) is int or form in ("nan", "inf", "-inf"):
        return float(form)
    raise DecodeError(f"{form!r} where it should have number")


def _read_atom(form: Any) -> Atom:
    if not isinstance(form, list) or not form or not all(isinstance(word, str) for word in form):
        raise DecodeError(f"{form!r} where it should have an atom")
    return Atom(form[0], tuple(form[1:]))


def _plain(encode: Callable[[Any], Any], decode: Callable[[Any], Any], **schema: Any) -> Codec:
    return Codec(encode, decode, lambda defs: dict(schema))


_FLOAT = [{"type": "number"}, {"type": "string", "enum": ["inf", "-inf", "nan"]}]
_ATOM = {"items": {"type": "string"}, "minItems": 1, "title": "predicate and objects"}
_PLAIN: Mapping[Any, Codec] = {
    str: _plain(lambda text: text, _instance_of(str), type="string"),
    int: _plain(index, _instance_of(int), type="integer"),
    bool: _plain(bool, _instance_of(bool), type="boolean"),
    float: _plain(_write_float, _read_float, anyOf=_FLOAT),
    Path: _plain(str, lambda form: Path(_instance_of(str)(form)), type="string"),
    Atom: _plain(lambda atom: [atom.predicate, *atom.args], _read_atom, type="array", **_ATOM),
}


def _write_free(value: Any) -> Any:
    """Encode the values of a step: any JSON, with tuples as arrays."""
    if isinstance(value, tuple):
        return [_write_free(v) for v in value]
    return {"float": repr(value)} if isinstance(value, float) and not isfinite(value) else value


def _read_free(form: Any) -> Any:
    if isinstance(form, list):
        return tuple(_read_free(v) for v in form)
    return _read_float(form.get("float")) if isinstance(form, dict) else form


def _enum(kind: type[Enum]) -> Codec:
    by_value = {member.value: member for member in kind}

    def read(form: Any) -> Enum:
        if not isinstance(form, str) or form not in by_value:
            raise DecodeError(f"the unknown {class_words(kind.__name__)} {form!r}")
        return by_value[form]

    return _plain(lambda member: member.value, read, type="string", enum=list(by_value))


# --- values of values --------------------------------------------------------------------------------


def _sequence(kind: type, part: Codec) -> Codec:
    encode, decode = part.encode, part.decode
    order = sorted if kind is frozenset else list  # equal sets have the same text
    return Codec(
        lambda values: order(map(encode, values)),
        lambda form: kind(map(decode, _items(form))),
        lambda defs: {"type": "array", "items": part.schema(defs)},
    )


def _row(parts: tuple[Codec, ...]) -> Codec:
    def read(form: Any) -> Any:
        if len(_items(form)) != len(parts):
            raise DecodeError(f"{form!r} where it should have {len(parts)} values")
        return tuple(part.decode(v) for part, v in zip(parts, form, strict=True))

    return Codec(
        lambda values: [part.encode(v) for part, v in zip(parts, values, strict=True)],
        read,
        lambda defs: {"type": "array", "prefixItems": [part.schema(defs) for part in parts]},
    )


def _mapping(part: Codec) -> Codec:
    encode, decode = part.encode, part.decode
    return Codec(
        lambda values: {str(k): encode(v) for k, v in values.items()},
        lambda form: MappingProxyType({k: decode(v) for k, v in _object(form).items()}),
        lambda defs: {"type": "object", "additionalProperties": part.schema(defs)},
    )


def _choice(kinds: tuple[Any, ...], optional: bool) -> Codec:
    one = codec_for(kinds[0]) if len(kinds) == 1 else _tagged(kinds)
    if not optional:
        return one
    encode, decode = one.encode, one.decode

    def schema(defs: Schema) -> Schema:
        some = one.schema(defs)
        return {"anyOf": [*(some["anyOf"] if len(kinds) > 1 else [some]), {"type": "null"}]}

    return Codec(
        lambda value: None if value is None else encode(value),
        lambda form: None if form is None else decode(form),
        schema,
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

    def schema(defs: Schema) -> Schema:
        plain = [kind for kind in kinds if kind in _PLAIN]
        return {"anyOf": [_PLAIN[k].schema(defs) if k in plain else _ref(k, defs, k.__name__) for k in kinds]}

    return Codec(write, read, schema)


@cache
def _parts(kind: type) -> Mapping[str, Codec]:
    """Return the codecs of a dataclass's fields that are written."""
    hints = get_type_hints(kind)
    parts = {f.name: codec_for(hints[f.name]) for f in fields(kind) if f.compare}
    if kind is Step:
        free = _mapping(Codec(_write_free, _read_free, lambda defs: {}))
        parts["values"] = _plain(free.encode, free.decode, type="object")
    return parts


def _class(kind: type) -> Codec:
    parts = _parts(kind)
    needed = {f.name for f in fields(kind) if f.default is MISSING and f.default_factory is MISSING}

    def read(form: Any) -> Any:
        values = upgrade(kind, _object(form))
        for name in values.keys() - parts.keys():
            raise DecodeError(f"the unknown field {name!r} in {kind.__name__}")
        for name in needed - values.keys():
            raise DecodeError(f"no {name!r} in {kind.__name__}")
        return kind(**{name: parts[name].decode(form) for name, form in values.items()})

    return Codec(
        lambda value: {name: part.encode(getattr(value, name)) for name, part in parts.items()},
        read,
        lambda defs: _ref(kind, defs),
    )


def _ref(kind: type, defs: Schema, tag: str = "") -> Schema:
    name = kind.__name__
    if name not in defs:
        defs[name] = {}  # it may be recursive
        defs[name] = class_schema(kind, defs, tag)
    return {"$ref": f"#/$defs/{name}"}
