"""Panels by their entries: ours in their places, another one's beside the plan."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtWidgets import QLabel

from app.panels import PANELS
from core.plugins import PLUGINS_VARIABLE
from tests.app.conftest import Opened

EXAMPLES = Path(__file__).parents[3] / "docs" / "examples" / "plugins"
BROKEN = """
from core.registry import Entry
def make(**_):
    raise ValueError("no scale")
ENTRIES = {"panels": [Entry("gauge", "Gauge", "", make)]}
"""


def test_that_the_window_has_a_dock_for_each_entry(opened: Opened) -> None:
    at = opened()
    assert tuple(at.window.docks) == PANELS.names()
    assert at.window.others == ()


def test_that_a_panel_of_ones_own_is_a_tab_on_the_plan_and_follows_the_story(
    opened: Opened, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(PLUGINS_VARIABLE, str(EXAMPLES))
    at = opened(preset="Watch")
    rate, plan = at.window.docks["rate"], at.window.docks["plan"]
    assert rate in at.window.tabifiedDockWidgets(plan) and rate.isVisibleTo(at.window)
    assert "Rate" in [action.text() for action in at.window._panels_menu.actions()]
    at.start()
    asked = at.over().counts.questions
    at.until(lambda: any(f"{asked} in " in words.text() for words in rate.findChildren(QLabel)))


def test_that_a_panel_that_cannot_be_made_says_so_in_its_place(
    opened: Opened, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "gauge.py").write_text(BROKEN)
    monkeypatch.setenv(PLUGINS_VARIABLE, str(tmp_path))
    at = opened()
    (gauge,) = at.window.others
    assert gauge.has_placeholder and "no scale" in gauge.empty_state.accessibleName()
    at.ready()


@pytest.mark.long
def test_that_no_tab_on_the_plan_lies_over_the_review(
    opened: Opened, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(PLUGINS_VARIABLE, str(EXAMPLES))
    at = opened()
    at.ready()
    at.do("episodes")
    room, plan = at.console.review, at.window.docks["plan"]
    at.window.reset_layout()
    at.until(plan.isVisible)
    seen = at.window.childAt(plan.geometry().center())
    assert seen is room or room.isAncestorOf(seen)
