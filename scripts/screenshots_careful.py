"""The scene of `careful`: its hypotheses, a question to the operator, the end, and the forecast."""

from __future__ import annotations

from core.config import Settings
from core.episode_state import Phase
from scripts.screenshot_session import ScreenshotSession

SETTINGS = Settings(
    task="halve_egg", robot="symbolic", method="careful", answerer="symmetric-34", seed=1, pace=0.05
)


def careful(s: ScreenshotSession) -> None:
    """An episode in which every third answer is wrong."""
    with s.window(SETTINGS, "Assist"):
        s.do("setup")
        s.wait_until(lambda: s.at.controller.dialog.forecast.result, 120)  # type: ignore[union-attr]
        s.save_screenshots("careful_setup")
        s.at.controller.dialog.reject()  # type: ignore[union-attr]
        s.do("start")
        s.pass_until(
            lambda: s.state.phase is Phase.REVIEWING and any((c.query.worth or 0) > 3 for c in s.state.cards)
        )
        s.wait(1.0)
        s.save_screenshots("careful_asks")
        s.pass_until(lambda: s.state.ended)
        s.wait(0.5)
        s.save_screenshots("careful_ended")
