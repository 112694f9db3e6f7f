"""The scene of the method `cowp`: a situation is told, the suggested change edited, accepted, refused."""

from __future__ import annotations

from dataclasses import replace

from app.presentation.suggestions import waiting_suggestion
from core.config import Settings
from core.episode_state import Phase
from scripts.screenshot_session import ScreenshotSession

OPTIONS = {"robot.stock": "bowl,dishwasher,sponge", "robot.chance": "0"}
SETTINGS = Settings(task="serve_water", method="cowp", seed=1, options=OPTIONS)


def cowp(s: ScreenshotSession) -> None:
    """Serving water, when the cup is dirty."""
    with s.window(SETTINGS, "Approve"):
        _tell(s, "the moon is full")
        s.wait(1.0)
        s.save_screenshots("cowp_no_use")
        _tell(s, "the cup is dirty")
        s.wait_until(lambda: waiting_suggestion(s.state) is not None)
        s.wait(1.0)
        s.save_screenshots("cowp_suggested")
        s.do("edit_change")
        s.wait_until(lambda: s.at.controller.dialog is not None)
        s.save_screenshots("cowp_edit")
        s.at.controller.dialog.reject()  # type: ignore[union-attr]
        s.wait(0.5)
        s.do("accept_change")
        s.wait_until(lambda: s.state.knowledge)
        s.wait(1.0)
        s.save_screenshots("cowp_accepted")
        s.do("knowledge")
        s.wait(0.5)
        s.save_screenshots("cowp_knowledge")
        s.at.controller.dialog.reject()  # type: ignore[union-attr]
        s.pass_until(lambda: s.state.ended)
        s.save_screenshots("cowp_ended")
    with s.window(SETTINGS, "Approve"):
        _tell(s, "the cup is dirty")
        s.wait_until(lambda: waiting_suggestion(s.state) is not None)
        s.wait(0.5)
        s.do("refuse_change")
        s.wait_until(lambda: s.state.refused_changes)
        s.wait(1.0)
        s.save_screenshots("cowp_refused")
        s.do("end")
        s.wait_until(lambda: s.state.ended)
    with s.window(SETTINGS, "Approve"):
        _tell(s, "the cup is dirty")
        s.wait_until(lambda: waiting_suggestion(s.state) is not None)
        s.wait(0.5)
        s.do("edit_change")
        s.wait_until(lambda: s.at.controller.dialog is not None)
        dialog = s.at.controller.dialog
        dialog._typed(0, "predicate", "is_filthy")  # type: ignore[union-attr]
        s.wait(0.3)
        dialog._accept.click()  # type: ignore[union-attr]
        s.wait_until(lambda: s.state.knowledge)
        s.wait(1.0)
        s.save_screenshots("cowp_edited")
        s.do("end")
        s.wait_until(lambda: s.state.ended)
    seen = {**OPTIONS, "robot.situation": "the cup is dirty"}
    with s.window(replace(SETTINGS, options=seen), "Approve"):
        s.do("start")
        s.wait_until(lambda: waiting_suggestion(s.state) is not None)
        s.at.window.questions.situation_line.look.click()
        s.wait_until(lambda: s.state.phase is Phase.REVIEWING)
        s.wait(1.0)
        s.save_screenshots("cowp_look")
        s.do("end")
        s.wait_until(lambda: s.state.ended)


def _tell(s: ScreenshotSession, sentence: str) -> None:
    """Tell a situation while a step waits."""
    if not s.state.is_running:
        s.do("start")
        s.pass_until(lambda: s.state.phase is Phase.WAITING)
    line = s.at.window.questions.situation_line
    line.line.setText(sentence)
    line.line.returnPressed.emit()
