"""What the live panels show out of the log: past answers, and the episode without its overrides."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import Qt

from core.belief import Verdict
from core.episode_state import Phase
from tests.app.conftest import Driver, Opened
from tests.robots.remote.served import serving

SHORT = {"openness": 0.0, "max_steps": 3}


def override_one(at: Driver) -> None:
    """Answer the first question otherwise than the model, and let the rest pass."""
    at.start("Approve")
    at.pass_until(lambda: at.state.phase is Phase.REVIEWING)
    card = at.window.questions.focused_card
    assert card is not None and card.model is not None
    yes = card.query.text_verdict(card.model.verdict) is Verdict.YES
    at.key(Qt.Key.Key_N if yes else Qt.Key.Key_Y)
    at.until(lambda: at.state.counts.overrides == 1)
    at.pass_until(lambda: at.state.ended)


@pytest.mark.long
def test_that_an_ended_episode_is_tried_without_its_override_and_the_fork_opens(opened: Opened) -> None:
    at = opened(**SHORT)
    line, view = at.console.live_links.line, at.console.live_links.past.view
    assert line.isHidden() and view.isHidden()
    override_one(at)
    card, parent = at.window.questions.focused_card, at.state.episode
    assert card is not None and card.model is not None
    at.until(lambda: view.past and view.past.predicate == card.query.atom.predicate)
    assert view.past.model == card.model.by and view.isHidden() is (not view.past.judged)
    at.until(lambda: not line.isHidden())
    assert line.label.text() == "Without your override?"
    line.button.click()
    at.until(lambda: line.running)
    line.button.click()
    assert line.label.text() == "Cancelled: nothing was found out"
    at.until(lambda: not line.running)
    line.button.click()
    at.until(lambda: line.found)
    assert line.label.text() == line.found.sentence
    assert line.found.sentence.startswith("Without your override: ") and line.found.episode != parent
    line.button.click()
    replay = at.console.review.replay
    at.until(lambda: replay.opened and replay.opened.summary.episode == line.found.episode)


@pytest.mark.long
def test_that_only_the_robot_elsewhere_that_is_in_use_is_tried_without_the_override(
    opened: Opened, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its log says that what is at an address is a simulator, which counts only if a person says so now."""
    with serving("symbolic", tmp_path) as server:
        options = {f"robot.{name}": value for name, value in server.options.items()}
        at = opened(robot="remote", options=options, **SHORT)
        line = at.console.live_links.line
        override_one(at)
        at.until(lambda: not line.isHidden())
        with monkeypatch.context() as patch:
            patch.setattr(line, "_is_in_use", lambda settings: False)
            line.button.click()
            at.until(lambda: "Nobody has chosen the robot 'remote'" in line.label.text())
        line.button.click()
        at.until(lambda: line.found)
        at.console.window.close()
