"""The scenes that are seldom seen: a newcomer's pause, Start during an episode, an export, no focus."""

from __future__ import annotations

import tempfile
from dataclasses import replace
from pathlib import Path

from app.command_reasons import just_appeared
from core.belief import Verdict
from core.config import Settings
from core.episode_state import Phase
from core.supervision import SUPERVISION_PRESETS
from scripts.screenshot_session import ScreenshotSession

SETTINGS = Settings(robot="symbolic", answerer="gpt-4.1-household", seed=5, pace=0.05)


def rare(s: ScreenshotSession) -> None:
    with s.window(SETTINGS, ""):
        s.do("start")
        s.wait_until(lambda: s.at.controller.lesson, 60)
        s.save_screenshots("lesson")
        s.at.window.top.show_focus(False)
        s.save_screenshots("no_focus")
        s.at.window.top.show_focus(True)
        again = replace(SETTINGS, task="halve_egg")
        s.at.dialogs._ask_to_end("boil_water", again, SUPERVISION_PRESETS["Watch"])
        s.save_screenshots("start_during")
        s.at.controller.dialog.reject()  # type: ignore[union-attr]
        s.do("end")
        s.wait_until(lambda: s.state.ended)
    with s.window(SETTINGS, "Assist"):
        s.do("start")
        s.pass_until(
            lambda: s.state.phase is Phase.REVIEWING and s.state.turn >= 3 and not just_appeared(s.state)
        )
        if not s.state.ended:
            card = s.at.window.questions.focused_card
            assert card is not None and card.model is not None
            s.do("no" if card.query.text_verdict(card.model.verdict) is Verdict.YES else "yes")
        s.pass_until(lambda: s.state.ended)
        line = s.at.live_links.line
        s.wait_until(line.isVisible)
        line.button.click()
        s.wait_until(lambda: line.found is not None, 60)
        s.save_screenshots("counterfactual")
        review = s.at.review
        s.do("episodes")
        s.wait_until(lambda: review.episode_list.model.rowCount() and review.episode_list.model.entry(0))
        with tempfile.TemporaryDirectory() as folder:
            told = list[str]()
            review.episode_actions.reported.connect(told.append)
            review.episode_actions.write((s.state.episode,), Path(folder) / "episode.html")
            s.wait_until(review.exporting.isVisible)
            s.save_screenshots("exporting")
            s.wait_until(lambda: told)
        s.save_screenshots("exported")
