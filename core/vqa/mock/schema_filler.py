"""Fill a JSON schema with given answers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from core.vqa.mock.request_guard import HttpError

MAX_DEPTH = 20
MAX_VALUES = 20_000
MAX_LIST_DEPTH = 5  # depth up to which a list has an item for each question


def fill_schema(schema: Mapping[str, Any], words: Sequence[str]) -> object:
    """Return a value that the schema allows. `words` are "yes", "no" and "skip"; a list has an item for each.

    Supported: type, properties, items, minItems, maxItems, enum, const, anyOf, oneOf, allOf, and $ref within
    the schema. Lengths, patterns and ranges are not. Raises HttpError for an endless schema.
    """
    return _SchemaFiller(schema, words).value(schema, 0, 0)


class _SchemaFiller:
    def __init__(self, root: Mapping[str, Any], words: Sequence[str]) -> None:
        self._root, self._words, self._left = root, words, MAX_VALUES

    def value(self, schema: object, place: int, depth: int) -> object:
        """Return the value for the question at `place`."""
        self._left -= 1
        if depth > MAX_DEPTH or self._left < 0:
            raise HttpError(400, "the schema asks for more than this server gives", param="response_format")
        if not isinstance(schema, Mapping):
            return self._words[place]
        if "$ref" in schema:
            return self.value(self._resolved(str(schema["$ref"])), place, depth + 1)
        for either in ("anyOf", "oneOf", "allOf"):
            if options := [o for o in schema.get(either, ()) if o != {"type": "null"}]:
                return self.value(options[0], place, depth + 1)
        if "const" in schema:
            return schema["const"]
        if schema.get("enum"):
            return self._one_of(schema["enum"], place)
        kinds = schema.get("type", "object" if "properties" in schema else "string")
        kind = next((k for k in kinds if k != "null"), "null") if isinstance(kinds, list) else kinds
        if kind == "object":
            return self._object(schema, place, depth)
        if kind == "array":
            last = len(self._words) - 1
            wanted = max(len(self._words) if depth < MAX_LIST_DEPTH else 1, int(schema.get("minItems", 0)))
            count = min(wanted, int(schema.get("maxItems", wanted)))
            return [self.value(schema.get("items"), min(n, last), depth + 1) for n in range(count)]
        word = self._words[place]
        return {"string": word, "boolean": word == "yes", "integer": place + 1, "number": place + 1}.get(kind)

    def _object(self, schema: Mapping[str, Any], place: int, depth: int) -> dict[str, object]:
        """Fill an object; outside a list, its yes/no properties take the words in turn."""
        found: dict[str, object] = {}
        for name, inner in schema.get("properties", {}).items():
            found[name] = self.value(inner, min(place, len(self._words) - 1), depth + 1)
            place += depth == 0 and _is_yes_no(inner)
        return found

    def _one_of(self, options: Sequence[object], place: int) -> object:
        word = self._words[place]
        return next((o for o in options if isinstance(o, str) and o.lower() == word), options[0])

    def _resolved(self, reference: str) -> object:
        found: object = self._root
        for step in reference.removeprefix("#").split("/"):
            if step:
                if not isinstance(found, Mapping) or step not in found:
                    raise HttpError(400, f"the schema has no {reference[:100]!r}", param="response_format")
                found = found[step]
        return found


def _is_yes_no(schema: object) -> bool:
    return isinstance(schema, Mapping) and (schema.get("type") == "boolean" or "enum" in schema)
