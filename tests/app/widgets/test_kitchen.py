"""The window beside the real kitchen: live pictures, a stop in mid-motion, 2,000 turns."""

from __future__ import annotations

import resource
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from core.belief import Answer, BeliefSource, Query, Verdict
from core.config import EpisodeComponents, Settings, ignore
from core.episode_state import Phase
from core.events import EpisodeResult
from core.ports import Frame, ModelCall, StepStatus
from core.stop_token import StopToken
from core.supervision import WATCH, SupervisionLevels
from main import make_components
from tests.app.conftest import SYMBOLIC, Driver, Opened

KITCHEN = Settings(robot="kitchen", answerer="perfect", seed=3, pace=0.2)


@pytest.mark.long
@pytest.mark.gl
def test_that_an_episode_in_the_kitchen_is_seen_live_and_its_last_picture_stays(opened: Opened) -> None:
    at = opened(settings=KITCHEN, preset="Watch")
    at.ready()
    at.do("start")
    at.until(lambda: at.state.counts.steps >= 3 and at.window.camera.shown > 10)
    assert at.window.camera.picture.image is not None
    assert at.state.frame is not None and at.state.frame.rgb is not None
    at.do("end")
    at.controller.stop()
    state = at.over()
    assert state.ended is not None and state.ended.result is EpisodeResult.ENDED
    at.until(lambda: at.window.camera.frame_age is None)
    assert at.window.camera.picture.image is not None, "it stays, and says that it is not live"


def test_that_a_stop_freezes_the_kitchen_and_is_measured(opened: Opened) -> None:
    at = opened(settings=replace(KITCHEN, pace=5.0, pictures=False), preset="Watch")
    at.start("Watch")
    at.phase(Phase.ACTING)
    at.controller.stop()
    at.phase(Phase.STOPPED)
    assert at.state.last_step is not None and at.state.last_step.result.status is StepStatus.HALTED
    at.until(lambda: at.state.stop is not None and at.state.stop.seconds is not None)
    assert at.window.top.stop.phase == "stopped"


class ContraryAnswerer:
    """Answers of every door that it is closed, so that the robot opens it again for ever."""

    name = "contrary"

    def answer(self, frame: Frame, queries: Sequence[Query], turn: int, cancel: StopToken) -> ModelCall:
        answers = []
        for q in queries:
            verdict = Verdict.YES if q.atom.predicate == "closed" else q.expected
            answers.append(Answer(q.atom, verdict, BeliefSource.MODEL, "yes", turn, frame.id, self.name))
        return ModelCall(tuple(answers), "yes", self.name)


def contrary(
    settings: Settings, notify: Callable[[str], None] = ignore, supervision: SupervisionLevels = WATCH
) -> EpisodeComponents:
    return replace(make_components(settings, notify), answerer=ContraryAnswerer())


@pytest.mark.long
def test_that_2000_turns_take_no_more_than_a_fifth_more_memory_than_200(opened: Opened) -> None:
    at: Driver = opened(settings=replace(SYMBOLIC, max_steps=3000), make=contrary, preset="Watch")
    at.start("Watch")
    began, figures = time.monotonic(), {}
    for turns in (200, 2000):
        at.qtbot.waitUntil(lambda turns=turns: at.state.turn >= turns, timeout=900_000)
        pages = int(Path("/proc/self/statm").read_text().split()[1])
        figures[turns] = pages * resource.getpagesize() / 1e6
    print(
        f"\n{figures[200]:.0f} MB after 200 turns, {figures[2000]:.0f} MB after 2,000, "
        f"{time.monotonic() - began:.0f} s"
    )
    at.do("end")
    at.over()
    assert figures[2000] < 1.2 * figures[200]
