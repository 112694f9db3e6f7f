"""Where the panels are: the arm's layout, the two that a person leaves, the timeline's height."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QByteArray, Qt
from PySide6.QtGui import QImage
from pytestqt.qtbot import QtBot

from app import panel_layout
from app.main_window import MainWindow
from app.panel_layout import TIMELINE
from app.widgets.presented_panel import PresentedPanel


@pytest.fixture
def window(qtbot: QtBot) -> MainWindow:
    window = MainWindow()
    qtbot.addWidget(window)
    window.show()
    return window


def sized(window: MainWindow, qtbot: QtBot, width: int, height: int) -> None:
    window.resize(width, height)
    qtbot.waitUntil(lambda: (window.width(), window.height()) == (width, height))
    qtbot.wait(20)


def beside(window: MainWindow) -> list[str]:
    """Return the visible panels above the timeline by column and height."""
    docks = {n: d for n, d in window.docks.items() if n != "timeline" and not d.visibleRegion().isEmpty()}
    return sorted(docks, key=lambda n: (docks[n].x(), docks[n].y()))


def test_that_more_height_goes_to_the_panels(
    window: MainWindow, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    timeline, camera = window.docks["timeline"], window.docks["camera"]
    sized(window, qtbot, 1440, 900)
    high = camera.height()
    assert timeline.height() == pytest.approx(TIMELINE, abs=4)
    sized(window, qtbot, 1920, 1080)
    assert timeline.height() == pytest.approx(TIMELINE, abs=4) and camera.height() >= high + 170
    monkeypatch.setattr(panel_layout, "held", lambda _: True)
    window.resizeDocks([timeline], [260], Qt.Orientation.Vertical)
    qtbot.wait(20)
    monkeypatch.undo()
    left = timeline.height()
    assert left > TIMELINE + 20
    sized(window, qtbot, 1600, 1000)
    assert timeline.height() == pytest.approx(left, abs=4), "the person made it so high"


def test_that_pictures_grow_with_the_window(
    window: MainWindow, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    sized(window, qtbot, 1280, 800)
    camera = window.camera
    live = camera.picture.height()
    sized(window, qtbot, 1920, 1080)
    assert camera.picture.height() > live + 50
    assert camera.width() > 0.38 * window.width(), "what is spare is mostly the camera's"
    monkeypatch.setattr(panel_layout, "held", lambda _: True)
    window.resizeDocks([window.docks["belief"]], [600], Qt.Orientation.Horizontal)
    qtbot.wait(20)
    dragged = camera.width()
    sized(window, qtbot, 1900, 1080)
    assert camera.width() == pytest.approx(dragged, abs=25), "the person has dragged a border"


@pytest.mark.parametrize(
    ("width", "columns"),
    [
        (1280, ["camera", "questions", "belief", "plan"]),
        (1440, ["camera", "questions", "belief", "plan", "robot"]),
        (1920, ["camera", "questions", "belief", "plan", "robot"]),
    ],
)
def test_that_an_arm_is_beside_the_plan_where_there_is_room(
    window: MainWindow, qtbot: QtBot, width: int, columns: list[str]
) -> None:
    sized(window, qtbot, width, 900)
    window.layout_.show_for(True)
    qtbot.wait(20)
    assert beside(window) == columns
    stacked = window.docks["belief"].x() == window.docks["questions"].x()
    assert stacked is (width >= 1440)
    assert not window.docks["robot"].isHidden()


def test_that_the_default_layout_follows_the_width_until_a_person_changes_it(
    window: MainWindow, qtbot: QtBot
) -> None:
    sized(window, qtbot, 1920, 900)
    window.layout_.show_for(True)
    narrow = ["camera", "questions", "belief", "plan"]
    sized(window, qtbot, 1280, 800)
    assert beside(window) == narrow and not window.docks["robot"].isHidden()
    sized(window, qtbot, 1920, 900)
    assert beside(window) == [*narrow, "robot"]
    window.docks["belief"].close()
    sized(window, qtbot, 1280, 800)
    assert beside(window) == ["camera", "questions", "plan", "robot"]


def test_that_a_default_layout_of_the_last_session_follows_the_width(
    window: MainWindow, qtbot: QtBot
) -> None:
    sized(window, qtbot, 1920, 900)
    window.layout_.show_for(True)
    next_session = MainWindow()
    qtbot.addWidget(next_session)
    next_session.resize(1920, 900)
    next_session.restore(QByteArray(), *window.layout_.states)
    next_session.show()
    next_session.layout_.show_for(True)
    sized(next_session, qtbot, 1920, 900)
    assert beside(next_session) == ["camera", "questions", "belief", "plan", "robot"]
    sized(next_session, qtbot, 1280, 800)
    assert beside(next_session) == ["camera", "questions", "belief", "plan"]


def test_that_each_kind_of_robot_keeps_the_layout_that_a_person_left(
    window: MainWindow, qtbot: QtBot
) -> None:
    sized(window, qtbot, 1440, 900)
    window.docks["belief"].close()
    window.layout_.show_for(True)
    assert not window.docks["belief"].isHidden()
    window.docks["questions"].close()
    window.layout_.show_for(False)
    assert window.docks["belief"].isHidden() and not window.docks["questions"].isHidden()
    plain, with_arm = window.layout_.states
    window.reset_layout()
    window.restore(QByteArray(), plain, with_arm)
    assert window.docks["belief"].isHidden()
    window.layout_.show_for(True)
    assert window.docks["questions"].isHidden()


def test_that_a_picture_that_has_grown_gives_way_again(window: MainWindow, qtbot: QtBot) -> None:
    window.camera.picture.show_image(QImage(256, 256, QImage.Format.Format_RGB888))
    sized(window, qtbot, 1920, 1080)
    for step in range(1, 5):
        window.resize(1920 - 160 * step, 1080 - 70 * step)
        qtbot.wait(1)
    qtbot.wait(20)
    dock, camera = window.docks["camera"], window.camera
    assert camera.height() + camera.header.height() <= dock.height()
    assert dock.geometry().bottom() < window.docks["timeline"].geometry().top()


def test_that_visitors_read_question_and_plan_from_four_metres_and_the_layout_comes_back(
    window: MainWindow, qtbot: QtBot
) -> None:
    sized(window, qtbot, 1440, 900)
    before, height = beside(window), window.docks["timeline"].height()
    window.present(True)
    sized(window, qtbot, 1920, 1080)
    assert beside(window) == ["camera", "questions"] and window.supervision.isHidden()
    seen = window.docks["questions"].widget()
    assert isinstance(seen, PresentedPanel)
    assert seen.question.font().pixelSize() >= window.height() // 20 > seen.step.font().pixelSize() > 30
    assert window.docks["camera"].width() == pytest.approx(window.width() / 2, rel=0.1)
    window.present(False)
    window.resize(1440, 900)
    qtbot.wait(50)
    assert beside(window) == before and not window.supervision.isHidden()
    assert window.docks["timeline"].height() == pytest.approx(height, abs=4)
    assert window.docks["questions"].widget() is window.questions
