"""An export from the review: how far it is, cancelled, impossible."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from app.review.export_process import export_in_process
from core.errors import Cancelled, ConsoleError
from core.stop_token import StopToken
from tests.app.review.conftest import Reader


@pytest.mark.long
def test_that_the_selection_is_exported(reader: Reader, ids: list[str], tmp_path: Path) -> None:
    to, told = tmp_path / "out.html", list[str]()
    reader.review.episode_actions.reported.connect(told.append)  # the title may show something else by then
    reader.review.episode_actions.write((ids[0],), to)
    reader.until(lambda: told)
    assert "out.html" in told[0] and reader.review.exporting.isHidden()
    assert ids[0] in to.read_text()


def test_that_a_long_export_shows_how_far_it_is_and_can_be_cancelled(reader: Reader, tmp_path: Path) -> None:
    review, to = reader.review, tmp_path / "pipe.jsonl"
    os.mkfifo(to)  # which nobody reads, so that it never ends
    review.episode_actions.write((), to)
    reader.until(review.exporting.isVisible)
    assert review.exporting.label.text() == "Exporting"
    reader.listed()  # goes on
    review.episode_actions.write((), tmp_path / "second.jsonl")
    assert "One export at a time" in review._title.text()
    review.exporting.cancel.click()
    assert review.exporting.isHidden()
    review.episode_actions.write((), to)  # another may begin
    reader.until(review.exporting.isVisible)
    began = time.monotonic()
    reader.at.window.close()
    assert time.monotonic() - began < 5 and not reader.at.console.left_behind


@pytest.mark.long
def test_that_a_cancelled_export_leaves_no_half_file(tmp_path: Path, ids: list[str]) -> None:
    to, cancel, parts = tmp_path / "out.jsonl", StopToken(), list[tuple[int, int]]()

    def told(done: int, of: int) -> None:
        parts.append((done, of))
        cancel.end("by the person")

    with pytest.raises(Cancelled):
        export_in_process(tmp_path / "log.db", tuple(ids) * 20_000, to, cancel, told)
    assert parts[0][1] == 60_000 and not list(tmp_path.glob("*out*")) + list(tmp_path.glob(".out*"))


def test_that_what_cannot_be_exported_is_told_in_a_sentence(tmp_path: Path, ids: list[str]) -> None:
    with pytest.raises(ConsoleError, match="cannot be written"):
        export_in_process(tmp_path / "log.db", (), tmp_path / "no" / "out.jsonl", StopToken(), print)
