"""The scenes of looking back and ahead: a ghost future, a cause, a summary, the past, a fork."""

from __future__ import annotations

from core.belief import Verdict
from core.config import Settings
from core.episode_state import Phase
from scripts.screenshot_session import ScreenshotSession

SETTINGS = Settings(robot="kitchen", answerer="gpt-4.1-household", seed=5, pace=0.2)


def moments(s: ScreenshotSession) -> None:
    with s.window(SETTINGS, "Assist"):
        s.do("start")
        s.pass_until(lambda: s.state.phase is Phase.REVIEWING and s.state.turn >= 3)
        card = s.at.window.questions.focused_card
        assert card is not None
        expected = card.query.text_verdict(card.query.expected)
        s.at.ghosts.show(Verdict.YES if expected is Verdict.NO else Verdict.NO)
        s.wait_until(lambda: s.at.window.time.timeline._ghost, 20)
        s.save_screenshots("ghost")
        s.at.ghosts.hide()
        s.pass_until(lambda: s.state.phase is Phase.OFFERED and s.state.contradictions)
        s.do("trace")
        s.save_screenshots("cause")
        s.do("meanwhile")
        s.save_screenshots("handover")
        s.at.handover.view.hide()
        s.at.past.show_turn(s.state, 2)
        s.wait_until(lambda: s.at.past.state is not None and not s.at.past_view._to_show)
        s.save_screenshots("past")
        s.at.past.show_now()
        s.do("end")
        s.wait_until(lambda: s.state.ended)
        review = s.at.review
        s.do("episodes")
        s.wait_until(lambda: review.episode_list.model.rowCount() and review.episode_list.model.entry(0))
        review.open(s.state.episode)
        s.wait_until(lambda: review.replay.opened is not None)
        review.fork_controller.here()
        s.wait_until(lambda: s.state.started and "parent" in s.state.started.settings, 30)
        s.wait(1.0)
        s.save_screenshots("fork")
        s.do("end")
        s.at.controller.stop()
        s.wait_until(lambda: s.state.ended)
