"""An export that somebody else wrote: refused, bounded, and whole once it is taken in."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from core.errors import ConsoleError
from core.events import Record
from core.log.export import jsonl
from core.log.integrity.verify import verify
from core.log.store import Store
from tests.core.log import made
from tests.core.log.closed_log import only


def exported(path: Path, change: Callable[[str], str]) -> Path:
    to = path.with_name("out.jsonl")
    with Store.open(path, read_only=True) as store:
        jsonl.export(store, [only(store)], to)
    to.write_text(change(to.read_text()))
    return to


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('"episode":"2', '"episode":"../2'),
        ('"number":5,', '"number":300000000,'),
        ('"number":5,', '"number":5e9,'),
        ('"wall":1', '"wall":1e30'),
        ('"monotonic":', '"monotonic":1e30'),
        (f'"id":"{made.LARGE.id}"', '"id":"../../canary"'),
        ('"seconds":0.5', '"seconds":1e300'),
        ('{"picture": "', '{"picture": "../'),
        ('"answers":[', '"answers":' + "[" * 5000),
    ],
)
def test_that_an_import_refuses_what_no_export_writes(path: Path, tmp_path: Path, old: str, new: str) -> None:
    source = exported(path, lambda text: text.replace(old, new))
    assert new in source.read_text()
    with Store.open(tmp_path / "new.db") as store:
        with pytest.raises(ConsoleError) as caught:
            jsonl.import_file(store, source)
        assert "\n" not in str(caught.value) and len(str(caught.value)) < 600
        assert store.count() == 0
    assert {p.name for p in tmp_path.iterdir()} == {"log", "new.db"}


def test_that_a_line_without_an_end_takes_no_memory(
    path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(jsonl, "MAX_LINE_CHARS", 10_000)
    source = exported(path, lambda text: text + "x" * 20_000)
    with Store.open(tmp_path / "new.db") as store, pytest.raises(ConsoleError, match="is longer than"):
        jsonl.import_file(store, source)


def test_that_what_comes_in_is_whole_and_chained(path: Path, tmp_path: Path) -> None:
    source = exported(path, lambda text: text)
    with Store.open(tmp_path / "new.db") as store:
        assert len(jsonl.import_file(store, source)) == 1
        report = verify(store)
        assert (report.is_intact, report.unchained) == (True, 0)
        with Store.open(path, read_only=True) as old:
            records: list[list[Record]] = [list(s.records(only(s))) for s in (store, old)]
        assert records[0] == records[1]
