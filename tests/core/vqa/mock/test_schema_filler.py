"""What fits a schema that a client asks for."""

from __future__ import annotations

from typing import Any

import pytest

from core.vqa.endpoint.chat_format import SCHEMA
from core.vqa.mock.reply_sources import fill_schema
from core.vqa.mock.request_schema import HttpError


def test_that_our_own_schema_is_kept_to() -> None:
    schema: Any = SCHEMA["json_schema"]
    assert fill_schema(schema["schema"], ["yes", "no"]) == {
        "answers": [{"number": 1, "answer": "yes"}, {"number": 2, "answer": "no"}]
    }


@pytest.mark.parametrize(
    ("schema", "value"),
    [
        ({}, "yes"),
        ({"type": "boolean"}, True),
        ({"enum": ["NO", "YES"]}, "YES"),
        ({"enum": ["maybe", 3]}, "maybe"),
        ({"const": 7}, 7),
        ({"type": ["null", "string"]}, "yes"),
        ({"anyOf": [{"type": "null"}, {"type": "boolean"}]}, True),
        ({"type": "array", "items": {"type": "boolean"}}, [True, False]),
        ({"type": "array", "items": {"type": "string"}, "minItems": 3}, ["yes", "no", "no"]),
        ({"type": "array", "items": {"type": "string"}, "maxItems": 1}, ["yes"]),
        ({"properties": {"a": {"type": "boolean"}, "b": {"enum": ["yes", "no"]}}}, {"a": True, "b": "no"}),
        ({"$ref": "#/$defs/x", "$defs": {"x": {"type": "boolean"}}}, True),
    ],
)
def test_that_a_value_fits_its_schema(schema: dict[str, Any], value: object) -> None:
    assert fill_schema(schema, ["yes", "no"]) == value


@pytest.mark.parametrize(
    "schema",
    [
        {"$ref": "#"},
        {"$ref": "#/nowhere"},
        {"type": "object", "properties": {"a": {"$ref": "#"}}},
        {"type": "array", "minItems": 1000, "items": {"type": "array", "minItems": 1000}},
        {"type": "array", "minItems": 10**9},
    ],
)
def test_that_a_schema_without_an_end_is_refused(schema: dict[str, Any]) -> None:
    with pytest.raises(HttpError, match=r"."):
        fill_schema(schema, ["yes"])
