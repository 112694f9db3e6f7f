"""Where the eye looked, on the question's card."""

from pathlib import Path
from types import MappingProxyType

import numpy as np
import pytest
from PySide6.QtGui import QImage
from pytestqt.qtbot import QtBot

from app.widgets.questions.heat_map import overlay_heat
from app.widgets.questions.question_panel import QuestionPanel
from core.belief import Answer, Atom, BeliefSource, Query, Verdict
from core.episode_state import EpisodeState, QuestionCard
from core.pictures import make_frame
from core.vqa.data_files import user_dir
from tests.core.log.made import started
from tests.core.vqa.eye.kit import RED, tiny_eye

LIT = Atom("lit", ("lamp_1",))


def asked(by: str) -> EpisodeState:
    frame = make_frame(RED.copy(), "eye", 0.0, "here")
    said = Answer(LIT, Verdict.YES, BeliefSource.MODEL, "yes (100 %)", 1, frame.id, by, 1.0)
    card = QuestionCard(1, 1, Query(LIT, "Is the lamp on?"), frame.id, said, said)
    settings = MappingProxyType({"answerer": "eye"})
    return EpisodeState(started=started(**settings), turn=1, frame=frame, cards=(card,))


@pytest.fixture
def panel(qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> QuestionPanel:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    tiny_eye(user_dir("eye") / "mine")
    panel = QuestionPanel()
    qtbot.addWidget(panel)
    panel.resize(400, 300)
    return panel


def test_that_the_card_shows_where_it_looked_while_wanted(qtbot: QtBot, panel: QuestionPanel) -> None:
    panel.display(asked("tiny 1"))
    (view,) = panel.card_views
    assert view.gaze == "" and view.foot.text().endswith(" · tiny 1")
    panel.gaze.toggle()
    qtbot.waitUntil(lambda: isinstance(view.gaze, QImage))
    assert isinstance(view.gaze, QImage) and view.gaze.size() == view.image.size()  # type: ignore[union-attr]
    panel.gaze.toggle()
    assert view.gaze == ""


def test_that_another_answerer_is_said_not_to_show_it(qtbot: QtBot, panel: QuestionPanel) -> None:
    panel.display(asked("gpt-4"))
    panel.gaze.toggle()
    (view,) = panel.card_views
    qtbot.waitUntil(lambda: "gpt-4 is no eye on this machine" in str(view.gaze))


def test_that_what_counted_is_lit_and_the_rest_dark() -> None:
    heat = np.zeros((20, 30), np.float32)
    heat[5, 5] = 1
    lit = overlay_heat(RED, heat)
    assert lit.pixelColor(5, 5).lightness() > 2 * lit.pixelColor(20, 15).lightness()
