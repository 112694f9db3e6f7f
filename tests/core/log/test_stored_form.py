"""What the log stores stays as it is: the bytes of known events, and every name of every kind of record.

After a change that is meant, write the fixtures anew: `python -m tests.core.log.test_stored_form`.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from core.events import EVENT_TYPES
from core.log.codec import read_event, write_event
from core.log.export.foxglove import record_schema
from tests.core.log import made

LOGS = Path(__file__).parents[2] / "fixtures" / "logs"


def written() -> str:
    events = made.episode(3, by="ada")
    return "".join(f"{type(event).__name__}\t{write_event(event)}\n" for event in events)


def names() -> dict[str, list[str]]:
    """Return the keys of each object, and the values of each enumeration, by where they stand."""
    found: dict[str, list[str]] = {}

    def collect(place: str, schema: Any) -> None:
        if isinstance(schema, dict):
            if isinstance(schema.get("properties"), dict):
                found[place] = sorted(schema["properties"])
            if "enum" in schema:
                found[place] = sorted(schema["enum"])
            for key, value in schema.items():
                collect(f"{place}/{key}", value)
        elif isinstance(schema, list):
            for value in schema:
                collect(place, value)

    for kind in EVENT_TYPES:
        schema = record_schema(kind)
        collect(kind, schema["properties"]["event"])
        for name, definition in schema["$defs"].items():
            collect(name, definition)
    return found


def test_that_known_events_are_written_byte_for_byte_as_ever() -> None:
    golden = (LOGS / "events.txt").read_text()
    assert written() == golden
    for line in golden.splitlines():
        kind, text = line.split("\t", 1)
        assert write_event(read_event(kind, text)) == text


def test_that_no_name_that_a_log_may_hold_is_lost() -> None:
    golden: dict[str, list[str]] = json.loads((LOGS / "names.json").read_text())
    now = names()
    assert len(golden) > 50 and set(EVENT_TYPES) <= set(golden)
    lost = {place: sorted(set(known) - set(now.get(place, ()))) for place, known in golden.items()}
    assert {place: gone for place, gone in lost.items() if gone} == {}


if __name__ == "__main__":
    (LOGS / "events.txt").write_text(written())
    (LOGS / "names.json").write_text(json.dumps(names(), indent=0, sort_keys=True) + "\n")
