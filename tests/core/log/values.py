"""Random events, made from the dataclasses' own types, so that a new kind is covered by itself."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from enum import Enum
from functools import cache
from types import MappingProxyType, NoneType, UnionType
from typing import Any, Union, get_args, get_origin, get_type_hints

from hypothesis import strategies as st

from core.belief import Atom
from core.log.integrity.validation import MAX_NUMBER
from core.planning_model import Step

_words = st.text(max_size=8)
_most = round(MAX_NUMBER)
_integers = st.integers(-_most, _most)
_floats = st.floats(-MAX_NUMBER, MAX_NUMBER) | st.sampled_from([float("inf"), float("-inf")])
_json = st.recursive(
    st.none() | st.booleans() | _integers | _floats | _words,
    lambda inner: st.lists(inner, max_size=3).map(tuple),
    max_leaves=4,
)


@cache
def events(kind: Any) -> st.SearchStrategy[Any]:
    """Values of a type: a kind of event, or anything that stands in one."""
    plain = {str: _words, int: _integers, bool: st.booleans(), float: _floats, NoneType: st.none()}
    if kind in plain:
        return plain[kind]
    origin, args = get_origin(kind), get_args(kind)
    if origin in (Union, UnionType):
        return st.one_of(*map(events, args))
    if origin is tuple:
        if args[-1] is Ellipsis:
            return st.lists(events(args[0]), max_size=3).map(tuple)
        return st.tuples(*map(events, args))
    if origin is Mapping:
        return st.dictionaries(_words, events(args[1]), max_size=3).map(MappingProxyType)
    if issubclass(kind, Enum):
        return st.sampled_from(kind)
    if kind is Atom:
        return st.builds(Atom, _words, st.lists(_words, max_size=3).map(tuple))
    if kind is Step:
        values = st.dictionaries(_words, _json, max_size=2)
        return st.builds(Step, _words, st.lists(_words, max_size=3).map(tuple), values.map(MappingProxyType))
    hints = get_type_hints(kind)
    return st.builds(kind, **{f.name: events(hints[f.name]) for f in dataclasses.fields(kind) if f.compare})
