"""MCAP read back with the mcap library, the pictures decoded by the schema that stands in the file."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import given as given_
from hypothesis import strategies as st

from core.events import EVENT_TYPES, FrameCaptured, Record
from core.log.codec import read_record, write_record
from core.log.export.foxglove import record_schema
from core.log.recorder import Recorder
from core.log.store import Store
from tests.core.log import made
from tests.core.log.values import events
from tests.sampling import some

pytest.importorskip("mcap_protobuf")

from core.log.export import foxglove


@pytest.fixture
def given(tmp_path: Path) -> list[Record]:
    with Recorder.open(tmp_path / "log.db") as recorder:
        return list(recorder.record_events(made.episode(3, True, "ada")))


def read(path: Path) -> dict[str, list[tuple[int, object]]]:
    """Time and message by topic: JSON as bytes, Protobuf decoded."""
    from mcap.reader import make_reader
    from mcap_protobuf.decoder import DecoderFactory

    topics: dict[str, list[tuple[int, object]]] = {}
    decoders = DecoderFactory()
    with path.open("rb") as file:
        for schema, channel, message in make_reader(file, validate_crcs=True).iter_messages():
            decode = decoders.decoder_for(channel.message_encoding, schema)
            value = decode(message.data) if decode else message.data
            topics.setdefault(channel.topic, []).append((message.log_time, value))
    return topics


def test_that_every_record_and_picture_comes_back(given: list[Record], tmp_path: Path) -> None:
    to = tmp_path / "out.mcap"
    with Store.open(tmp_path / "log.db", read_only=True) as store:
        assert foxglove.export(store, given[0].episode, to) == len(given)
        pngs = [store.picture(r.event.frame.id) for r in given if isinstance(r.event, FrameCaptured)]
    topics = read(to)
    records = [read_record(data.decode()) for t, rows in topics.items() if "records" in t for _, data in rows]  # type: ignore[attr-defined]
    assert sorted(records, key=lambda r: r.number) == given
    images = topics["/camera/top"]
    assert [image.data for _, image in images] == pngs  # type: ignore[attr-defined]
    assert {image.format for _, image in images} == {"png"}  # type: ignore[attr-defined]
    assert topics["/log"][-1][1].message.startswith("false claim: ")  # type: ignore[attr-defined]


def schemas(path: Path) -> dict[str, object]:
    from mcap.reader import make_reader

    with path.open("rb") as file:
        summary = make_reader(file).get_summary()
        assert summary is not None
        by_id = {s.id: s for s in summary.schemas.values()}
        channels = [c for c in summary.channels.values() if c.topic.startswith("/records/")]
        return {c.topic: json.loads(by_id[c.schema_id].data) for c in channels}


def test_that_each_channel_says_what_its_records_look_like(given: list[Record], tmp_path: Path) -> None:
    to = tmp_path / "out.mcap"
    with Store.open(tmp_path / "log.db", read_only=True) as store:
        foxglove.export(store, given[0].episode, to)
    by_topic = schemas(to)
    assert set(by_topic) == {f"/records/{type(r.event).__name__}" for r in given}
    for topic, rows in read(to).items():
        for _, data in rows if topic in by_topic else ():
            schema: Any = by_topic[topic]
            assert wrong(json.loads(data), schema, schema) == ""  # type: ignore[call-overload]


@pytest.mark.parametrize("kind", some(EVENT_TYPES, 6))
@settings(max_examples=8, deadline=None, suppress_health_check=list(HealthCheck))
@given_(data=st.data())
def test_that_a_schema_takes_every_record_of_its_kind_and_no_other(kind: str, data: st.DataObject) -> None:
    record = Record("e", 1, 2.0, 3.0, data.draw(events(EVENT_TYPES[kind])))
    form, schema = json.loads(write_record(record)), record_schema(kind)
    assert wrong(form, schema, schema) == ""
    event = form["event"]
    for change in ({"number": "1"}, {"event": {**event, "colour": 1}}, {"event": {**event, "kind": "x"}}):
        assert wrong({**form, **change}, schema, schema)


def wrong(form: Any, schema: Any, top: Any) -> str:
    """Where a form does not follow a schema, of the keywords that ours use; "" where it does."""
    if "$ref" in schema:
        return wrong(form, top["$defs"][schema["$ref"].removeprefix("#/$defs/")], top)
    if "anyOf" in schema:
        found = [wrong(form, part, top) for part in schema["anyOf"]]
        return "" if "" in found else "; ".join(found)
    types = {"string": str, "integer": int, "number": (int, float), "boolean": bool, "null": type(None)}
    kind = types | {"object": dict, "array": list}
    if not isinstance(form, kind[schema["type"]]) or (isinstance(form, bool) and schema["type"] != "boolean"):
        return f"{form!r} is no {schema['type']}"
    if form not in schema.get("enum", [form]) or form != schema.get("const", form):
        return f"{form!r} is none of {schema}"
    parts: list[str] = []
    if isinstance(form, dict):
        named, rest = schema.get("properties", {}), schema.get("additionalProperties", True)
        parts += [f"no {name}" for name in schema.get("required", ()) if name not in form]
        for name, value in form.items():
            if name in named or rest is not True:
                parts.append(f"{name} is too much" if not (named.get(name) or rest) else "")
                parts.append(wrong(value, named.get(name) or rest, top) if named.get(name) or rest else "")
    if isinstance(form, list):
        each = schema.get("prefixItems") or [schema["items"]] * len(form)
        parts += [wrong(value, part, top) for value, part in zip(form, each, strict=True)]
    return "; ".join(filter(None, parts))


def test_that_times_follow_the_clock_that_never_jumps(given: list[Record], tmp_path: Path) -> None:
    to = tmp_path / "out.mcap"
    with Store.open(tmp_path / "log.db", read_only=True) as store:
        foxglove.export(store, given[0].episode, to)
    times = sorted(at for rows in read(to).values() for at, _ in rows)
    assert times[0] == pytest.approx(given[0].wall * 1e9, abs=1e6)
    assert times[-1] - times[0] == pytest.approx((given[-1].monotonic - given[0].monotonic) * 1e9, abs=1e5)
