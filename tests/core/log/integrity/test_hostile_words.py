"""Words that a model, a server or another log put into an episode stay words wherever they are shown."""

from __future__ import annotations

import csv
import json
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

from core.errors import LogError
from core.events import DomainChanged, Event, Notice, StopRequested
from core.log.codec import read_event, write_event
from core.log.export import registry, report
from core.log.recorder import Recorder
from core.log.store import Store
from core.reason import NO_REASON
from tests.core.log import made

SCRIPT = "\"'><script>alert(1)</script><img src=x onerror=alert(1)>"


def poisoned(event: Event, word: str) -> Event:
    """The event with this word in every place that takes any."""
    kind, form = type(event).__name__, json.loads(write_event(event))

    def put(part: Any) -> None:
        for key, old in list(part.items() if isinstance(part, dict) else enumerate(part)):
            if isinstance(old, dict | list):
                put(old)
            elif isinstance(old, str):
                part[key] = word
                try:
                    read_event(kind, json.dumps(form))
                except LogError:
                    part[key] = old

    put(form)
    if "settings" in form:
        form["settings"] |= {word: word}
    if "frame" in form:  # no picture has such a name
        form["frame"] = form["frame"] | {"id": ""} if isinstance(form["frame"], dict) else form["frame"]
    return read_event(kind, json.dumps(form))


def logged(path: Path, word: str) -> str:
    """A log with an episode in which everybody says this."""
    events = [*made.episode(2, False, "ada", truth=True)]
    changed = DomainChanged(1, "x", "y", True, NO_REASON)
    events[-1:-1] = [StopRequested(1, "key", "ada"), Notice("fault", "x"), changed]
    with Recorder.open(path) as recorder:
        given = list(recorder.record_events(poisoned(event, word) for event in events))
    return given[0].episode


class Page(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.attributes: set[str] = set()
        self.policy = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.attributes |= {name for name, _ in attrs}
        if ("http-equiv", "Content-Security-Policy") in attrs:
            self.policy = dict(attrs)["content"] or ""


def test_that_no_word_becomes_a_part_of_the_report(tmp_path: Path) -> None:
    id = logged(tmp_path / "log.db", SCRIPT)
    plain = logged(tmp_path / "plain.db", "word")
    pages = []
    for name, episode in (("log.db", id), ("plain.db", plain)):
        with Store.open(tmp_path / name, read_only=True) as store:
            text = report.report(store, episode)
        page = Page()
        page.feed(text)
        pages.append(page)
    assert text.count("word") > 40
    assert pages[0].tags == pages[1].tags and pages[0].attributes == pages[1].attributes
    assert "script" not in pages[0].tags and "onerror" not in pages[0].attributes


def test_that_the_report_s_policy_lets_nothing_act_and_its_own_style_apply(tmp_path: Path) -> None:
    from base64 import b64encode
    from hashlib import sha256

    id = logged(tmp_path / "log.db", "word")
    with Store.open(tmp_path / "log.db", read_only=True) as store:
        text = report.report(store, id)
    page = Page()
    page.feed(text)
    style = text.partition("<style>")[2].partition("</style>")[0]
    own = b64encode(sha256(style.encode()).digest()).decode()
    assert "default-src 'none'" in page.policy and f"style-src 'sha256-{own}'" in page.policy
    assert "unsafe" not in page.policy and "script-src" not in page.policy
    assert text.index("Content-Security-Policy") < text.index("<style>") < text.index("<title>word") + 10_000


@pytest.mark.parametrize("word", ["=1+1", "+a", "-a", "@SUM(A1)", "\t=1", "\r=1", "  =1", "＝1"])
def test_that_no_cell_of_a_table_is_a_formula(tmp_path: Path, word: str) -> None:
    logged(tmp_path / "log.db", word)
    with Store.open(tmp_path / "log.db", read_only=True) as store:
        for view in registry.VIEWS:
            registry.export_table(store, view, tmp_path / "out.csv")
            with (tmp_path / "out.csv").open(newline="", encoding="utf-8") as file:
                cells = [cell for row in csv.reader(file) for cell in row]
            assert not [c for c in cells if c.strip() == word.strip()]
    assert f"'{word}" in cells or view != "episodes"


def test_that_a_negative_number_stays_a_number() -> None:
    assert registry._cell(-1.5) == -1.5 and registry._cell(None) is None
    assert registry._cell("(inside mug)") == "(inside mug)"
