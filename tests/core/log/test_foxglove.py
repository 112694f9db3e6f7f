"""MCAP read back with the mcap library, the pictures decoded by the schema that stands in the file."""

from __future__ import annotations

from pathlib import Path

import pytest

from core.errors import BadFile
from core.events import Observed, Record
from core.log.codec import read_record
from core.log.recorder import Recorder
from core.log.store import Store
from tests.core.log import made

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
        pngs = [store.picture(r.event.frame.id) for r in given if isinstance(r.event, Observed)]
    topics = read(to)
    records = [read_record(data.decode()) for t, rows in topics.items() if "records" in t for _, data in rows]  # type: ignore[attr-defined]
    assert sorted(records, key=lambda r: r.number) == given
    images = topics["/camera/top"]
    assert [image.data for _, image in images] == pngs  # type: ignore[attr-defined]
    assert {image.format for _, image in images} == {"png"}  # type: ignore[attr-defined]
    assert topics["/log"][-1][1].message.startswith("succeeded")  # type: ignore[attr-defined]


def test_that_times_follow_the_clock_that_never_jumps(given: list[Record], tmp_path: Path) -> None:
    to = tmp_path / "out.mcap"
    with Store.open(tmp_path / "log.db", read_only=True) as store:
        foxglove.export(store, given[0].episode, to)
    times = sorted(at for rows in read(to).values() for at, _ in rows)
    assert times[0] == pytest.approx(given[0].wall * 1e9, abs=1e6)
    assert times[-1] - times[0] == pytest.approx((given[-1].monotonic - given[0].monotonic) * 1e9, abs=1e5)


def test_that_a_file_that_cannot_be_written_is_named(given: list[Record], tmp_path: Path) -> None:
    with Store.open(tmp_path / "log.db", read_only=True) as store, pytest.raises(BadFile, match="no such"):
        foxglove.export(store, given[0].episode, tmp_path / "no such" / "out.mcap")
