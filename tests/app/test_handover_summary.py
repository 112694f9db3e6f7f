"""Back at the window: a summary below the plan, whose lines show their turns."""

from __future__ import annotations

import pytest

from app import handover_summary
from tests.app.conftest import Opened


def test_that_one_who_comes_back_is_told_and_each_line_shows_its_turn(
    opened: Opened, monkeypatch: pytest.MonkeyPatch
) -> None:
    at = opened(max_steps=4)
    handover, shown = at.console.handover, list[int]()
    monkeypatch.setattr(handover, "_show_turn", lambda state, turn: shown.append(turn))
    handover.on_focus_changed(False)
    at.start("Watch")
    at.over()
    monkeypatch.setattr(handover_summary, "AWAY", 1e9)
    handover.on_focus_changed(True)
    assert handover.view.isHidden()  # not away for long enough
    handover.on_focus_changed(False)
    monkeypatch.setattr(handover_summary, "AWAY", -1.0)
    handover.on_focus_changed(True)
    assert handover.view.isHidden()  # nothing happened meanwhile
    at.window.actions_["meanwhile"].trigger()
    assert not handover.view.isHidden() and 0 < len(handover.view.links) <= 5
    handover.view.links[-1].click()
    assert shown and 0 <= shown[0] <= at.state.turn
