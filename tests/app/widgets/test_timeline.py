"""The timeline: its marks are picked, scrubbed, zoomed and painted, however many there are."""

from __future__ import annotations

from dataclasses import replace

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from app.widgets.timeline.timeline import Timeline
from app.widgets.timeline.timeline_panel import describe
from core import events as ev
from core.belief import Answer, Atom, BeliefSource, Verdict
from core.episode_state import LONG_WAIT, EpisodeState, Phase, TimelineMark, TimelineTrack
from core.log.recorder import Recorder
from core.operator import Correct
from core.planning import domain_library
from core.state.missed_effects import MissedEffect
from core.state.state_reducer import fold_records
from core.text.vocabulary import Vocabulary

FOLDER, TASK = domain_library.load_task("boil_water")

STARTED = ev.EpisodeStarted("t", "d", (), (), ())


@pytest.fixture
def timeline(qtbot: QtBot) -> Timeline:
    widget = Timeline()
    qtbot.addWidget(widget)
    widget.resize(1000, 140)
    widget.show()
    return widget


def marks(n: int) -> tuple[TimelineMark, ...]:
    return tuple(
        TimelineMark(TimelineTrack.ACTION, "done", 2.0 * i, 2.0 * i + 1, i, "(openit a c)", i)
        for i in range(n)
    )


def test_that_a_click_picks_the_mark_under_it(qtbot: QtBot, timeline: Timeline) -> None:
    timeline.display(EpisodeState(episode="a", now=20.0, marks=marks(10)))
    x = round(timeline._scale().x(6.5))
    with qtbot.waitSignal(timeline.picked) as picked:
        QTest.mouseClick(timeline, Qt.MouseButton.LeftButton, pos=QPoint(x, 24 + 20 + 10))
    assert picked.args[0].turn == 3
    with qtbot.waitSignal(timeline.picked) as picked:
        QTest.keyClick(timeline, Qt.Key.Key_Right)
    assert picked.args[0].turn == 4


def test_that_a_drag_on_the_axis_scrubs(qtbot: QtBot, timeline: Timeline) -> None:
    timeline.display(EpisodeState(episode="a", now=20.0, marks=marks(10)))
    with qtbot.waitSignal(timeline.scrubbed) as scrubbed:
        QTest.mousePress(timeline, Qt.MouseButton.LeftButton, pos=QPoint(round(timeline._scale().x(5)), 10))
    assert scrubbed.args[0] == pytest.approx(5, abs=0.2)
    QTest.mouseRelease(timeline, Qt.MouseButton.LeftButton)


def test_that_zooming_keeps_the_moment_under_the_pointer(timeline: Timeline) -> None:
    timeline.display(EpisodeState(episode="a", now=100.0, marks=marks(50)))
    before = timeline._scale()
    timeline.zoom(0.5, 60.0)
    after = timeline._scale()
    assert after.end - after.begin == pytest.approx((before.end - before.begin) / 2)
    assert after.x(60.0) == pytest.approx(before.x(60.0), abs=1)
    timeline.follow_latest()
    assert timeline._scale() == before


def test_that_thousands_of_marks_are_painted_and_what_went_wrong_is_not_left_out(timeline: Timeline) -> None:
    many = list(marks(5000))
    many[777] = replace(many[777], kind="failed")
    timeline.length = 10_000.0
    timeline.display(EpisodeState(episode="a", now=10_000.0, marks=tuple(many)))
    image = timeline.grab().toImage()
    x = round(timeline._scale().x(many[777].start))
    shades = [image.pixelColor(x + d, 24 + 20 + 10) for d in range(-3, 3)]
    assert max(c.red() - c.green() for c in shades) > 60


def test_that_only_marks_in_sight_are_looked_at(timeline: Timeline) -> None:
    class Counted(list[TimelineMark]):
        appearance = 0

        def __getitem__(self, at):  # type: ignore[no-untyped-def]
            found = super().__getitem__(at)
            Counted.appearance += len(found) if isinstance(at, slice) else 1
            return found

    timeline.length = 20_000.0
    timeline.display(EpisodeState(episode="a", now=500.0, marks=marks(10_000)))
    lane = timeline._tracks[TimelineTrack.ACTION]
    lane._all = Counted(lane._all)
    timeline._range = (1000.0, 1100.0)
    timeline.grab()
    assert 50 <= Counted.appearance <= 60
    Counted.appearance = 0
    timeline.follow_latest()
    timeline.grab()
    assert Counted.appearance <= timeline.width()


def test_that_a_bar_which_began_before_what_is_in_sight_is_painted(timeline: Timeline) -> None:
    timeline.display(
        EpisodeState(
            episode="a", now=100.0, marks=(TimelineMark(TimelineTrack.ACTION, "done", 1, 90, 1, "(a)", 0),)
        )
    )
    timeline._range = (40.0, 60.0)
    s = timeline._scale()
    assert [m.start for m in timeline._tracks[TimelineTrack.ACTION].visible(s)] == [1]


def test_that_answers_stand_where_they_stood_when_their_call_is_out_of_sight(timeline: Timeline) -> None:
    asked = [TimelineMark(TimelineTrack.QUESTION, "call", 1, 2, 1, "m", 0)]
    asked += [TimelineMark(TimelineTrack.QUESTION, "yes", 2, None, 1, "(a)", i) for i in range(1, 4)]
    timeline.display(EpisodeState(episode="a", now=9.0, marks=tuple(asked)))
    timeline._range = (2.5, 9.0)
    assert timeline._tracks[TimelineTrack.QUESTION].visible(timeline._scale()) == asked


def test_that_marks_that_were_added_are_found(timeline: Timeline) -> None:
    timeline.display(EpisodeState(episode="a", now=10.0, marks=marks(5)))
    timeline.display(EpisodeState(episode="a", now=30.0, marks=marks(15)))
    assert len(timeline._tracks[TimelineTrack.ACTION]) == 15
    timeline.display(EpisodeState(episode="b", now=2.0, marks=marks(1)))
    assert len(timeline._tracks[TimelineTrack.ACTION]) == 1


def test_that_a_long_wait_takes_little_of_the_axis_and_its_moments_are_still_found(
    timeline: Timeline,
) -> None:
    state = EpisodeState(episode="a", now=640.0, marks=marks(5), waits=((10.0, 610.0),))
    timeline.display(state)
    scale = timeline._scale()
    assert scale.begin == 0.0  # 45 s without the wait: nothing has to scroll away
    second = scale.x(1.0) - scale.x(0.0)
    assert scale.x(610.0) - scale.x(10.0) == pytest.approx(LONG_WAIT * second)
    assert scale.x(640.0) - scale.x(610.0) == pytest.approx(30 * second)
    assert scale.time(scale.x(620.0)) == pytest.approx(620.0)
    timeline.zoom(0.5, 620.0)
    assert timeline._scale().x(620.0) == pytest.approx(scale.x(620.0), abs=1)
    timeline.grab()


def test_that_the_playhead_stands_still_while_the_episode_waits(timeline: Timeline) -> None:
    waiting = EpisodeState(episode="a", started=STARTED, phase=Phase.WAITING, since=10.0)
    places = set()
    for now in (16.0, 60.0, 600.0):
        timeline.display(replace(waiting, now=now))
        places.add(round(timeline._scale().x(now)))
    assert len(places) == 1


def test_that_what_a_person_set_is_told_in_words() -> None:
    unseen = Answer(
        Atom("inview", ("agent-n-01_1", "cabinet-n-01_1")), Verdict.NO, BeliefSource.OPERATOR, by="ada"
    )
    decided = ev.DecisionMade(1, 1, Correct((unseen,), by="ada"))
    state = fold_records(Recorder.without_log().record_events([STARTED, decided]))
    assert describe(state.marks[-1], Vocabulary(FOLDER), state).endswith("you: the cabinet is not in view")


def test_that_a_step_without_effect_is_marked_though_it_was_reported_done(timeline: Timeline) -> None:
    state = EpisodeState(episode="a", now=20.0, marks=marks(3))
    missed = replace(state, missed_effects=(MissedEffect(1, Atom("open", ("c",)), Verdict.YES),))
    words = [describe(m, Vocabulary(), missed) for m in state.marks]
    assert ["no effect seen" in w for w in words] == [False, True, False]
    timeline.display(state)
    before = timeline.grab().toImage()
    timeline.display(missed)
    assert timeline.grab().toImage() != before
