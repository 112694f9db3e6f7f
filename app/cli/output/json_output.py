"""The output of `--json`. Scripts read its keys, so they stay when fields are renamed."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from enum import Enum

# The keys that are not the fields' names. Classes go by name, so that none is imported here.
KEYS: Mapping[str, Mapping[str, str]] = {
    "Agreement": {"both_decided": "both"},
    "DomainFinding": {"severity": "level", "subject": "about", "problem": "lack", "consequence": "costs"},
    "EpisodeSummary": {"reason": "why"},
    "LogFinding": {"problem": "what"},
    "RunSummary": {"reason": "why"},
    "Parameter": {"kind": "shape", "minimum": "least", "maximum": "most"},
    "PruneResult": {"episodes_without_video": "films"},
    "VerificationReport": {"interrupted": "broken_off", "unfinished": "killed"},
}


def print_json(value: object) -> None:
    """Print a value with its dataclasses on one line."""
    print(json.dumps(_plain(value)))


def json_object(value: object) -> dict[str, object]:
    """Return a dataclass as a JSON object, with nested values."""
    found = _plain(value)
    assert isinstance(found, dict)
    return found


def _plain(value: object) -> object:
    if is_dataclass(value) and not isinstance(value, type):
        keys = KEYS.get(type(value).__name__, {})
        return {keys.get(f.name, f.name): _plain(getattr(value, f.name)) for f in fields(value)}
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, Mapping):
        return {key: _plain(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(each) for each in value]
    return value
