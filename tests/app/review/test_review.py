"""The log in the real window: list, replay, blind review, compare, charts, fork."""

from __future__ import annotations

import os
import time
from dataclasses import replace
from pathlib import Path
from shutil import copytree

import pytest
from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from app.presentation.formatting import progress_text
from app.review.episode_list.episode_list_model import OPEN
from app.review.export_process import export_in_process
from app.review.keys import ROWS
from app.review.player import Player
from app.review.question_view import answer_key, latest_labels, question_view
from app.review.text_dialog import TextDialog
from core import events as ev
from core.belief import BeliefSource, Verdict
from core.cancel import Cancel
from core.episode_state import Phase
from core.errors import Cancelled, LogError
from core.log.export.report import report
from core.log.labels import labels
from core.log.recorder import Recorder
from core.log.store import Store
from core.ports import all_unknown
from core.review.replay import EpisodeReplay
from tests.app.conftest import Opened
from tests.app.review.conftest import Reader
from tests.core.log import made


@pytest.fixture(scope="module")
def logged(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[str]]:
    """A folder with the log of three episodes; ada overrode the last one."""
    folder, found = tmp_path_factory.mktemp("logged"), []
    with Recorder.open(folder / "log.db") as recorder:
        for by, task in (("", "boil_water"), ("", "halve_egg"), ("ada", "boil_water")):
            *_, last = recorder.record_events(made.episode(6, True, by, task))
            found.append(last.episode)
    return folder, found


@pytest.fixture
def ids(tmp_path: Path, logged: tuple[Path, list[str]]) -> list[str]:
    """In a copy of the log, before the window opens."""
    copytree(logged[0], tmp_path, dirs_exist_ok=True)
    return logged[1]


# --- the list -----------------------------------------------------------------------------------------


def test_that_the_list_shows_the_latest_first_opens_with_enter_and_filters(
    reader: Reader, ids: list[str]
) -> None:
    assert reader.listed() == ids[::-1]
    model, rows = reader.review.episode_list.model, reader.review.episode_list.rows
    reader.until(lambda: rows.currentIndex().isValid())
    assert reader.review.episode_list.ids == () and rows.currentIndex().row() == 0
    rows.setFocus()
    QTest.keyClick(rows, Qt.Key.Key_Return)
    reader.until(lambda: reader.review.replay.opened is not None)
    latest = model.entry(0)
    assert latest is not None and reader.review.replay.opened.summary.episode == latest.summary.episode
    reader.review.episode_list.overridden.click()
    reader.until(lambda: model.rowCount() == 1)
    assert reader.listed() == [ids[2]]


def test_that_the_panels_below_are_not_painted(reader: Reader) -> None:
    """All of them took up to 90 ms on the screen's thread, for which Esc waited."""
    painted: list[QObject] = []

    class Watch(QObject):
        def eventFilter(self, watched: QObject, event: QEvent) -> bool:
            if event.type() is QEvent.Type.Paint:
                painted.append(watched)
            return False

    watch, belief, review = Watch(), reader.at.window.belief, reader.review
    for widget in (belief, review.episode_list):
        widget.installEventFilter(watch)
    belief.repaint()
    review.episode_list.repaint()
    assert review.episode_list in painted and belief not in painted
    review.toggle()
    belief.repaint()
    assert belief in painted
    review.toggle()


def test_that_a_search_finds_by_task_tag_and_note(reader: Reader, ids: list[str]) -> None:
    reader.review.episode_actions.put_tag((ids[0],), "demo")
    reader.review.episode_actions.put_note(ids[1], "look at the lid")
    for words, found in (("demo", [ids[0]]), ("the lid", [ids[1]]), ("halve", [ids[1]])):
        reader.review.episode_list._search.setText(words)
        reader.until(lambda found=found: reader.listed() == found)


def test_that_what_was_deleted_comes_back_until_the_window_closes(
    reader: Reader, ids: list[str], tmp_path: Path
) -> None:
    review = reader.review
    review.episode_list.select(ids[2])
    review.episode_actions.delete()
    reader.until(lambda: reader.listed() == ids[1::-1])
    review.episode_actions.undelete()
    reader.until(lambda: reader.listed() == ids[::-1])
    review.episode_list.select(ids[2])
    review.episode_actions.delete()
    reader.until(lambda: reader.listed() == ids[1::-1])
    reader.at.window.close()
    with Store.open(tmp_path / "log.db", read_only=True) as store:
        assert [s.episode for s in store.episodes()] == ids[1::-1]
        assert store.db.execute("select count(*) from label").fetchone() == (0,)


def test_that_the_selection_is_exported(reader: Reader, ids: list[str], tmp_path: Path) -> None:
    to, told = tmp_path / "out.html", list[str]()
    reader.review.episode_actions.reported.connect(told.append)  # the title may show something else by then
    reader.review.episode_actions.write((ids[0],), to)
    reader.until(lambda: told)
    assert "out.html" in told[0] and reader.review.exporting.isHidden()
    assert ids[0] in to.read_text()


def test_that_a_long_export_shows_how_far_it_is_and_can_be_cancelled(reader: Reader, tmp_path: Path) -> None:
    review, to = reader.review, tmp_path / "pipe.jsonl"
    os.mkfifo(to)  # which nobody reads, so that it never ends
    review.episode_actions.write((), to)
    reader.until(review.exporting.isVisible)
    assert review.exporting.label.text() == "Exporting"
    reader.listed()  # goes on
    review.episode_actions.write((), tmp_path / "second.jsonl")
    assert "One export at a time" in review._title.text()
    review.exporting.cancel.click()
    assert review.exporting.isHidden()
    review.episode_actions.write((), to)  # another may begin
    reader.until(review.exporting.isVisible)
    began = time.monotonic()
    reader.at.window.close()
    assert time.monotonic() - began < 5 and not reader.at.console.left_behind


def test_that_a_cancelled_export_leaves_no_half_file(tmp_path: Path, ids: list[str]) -> None:
    to, cancel, parts = tmp_path / "out.jsonl", Cancel(), list[tuple[int, int]]()

    def told(done: int, of: int) -> None:
        parts.append((done, of))
        cancel.end("by the person")

    with pytest.raises(Cancelled):
        export_in_process(tmp_path / "log.db", tuple(ids) * 20_000, to, cancel, told)
    assert parts[0][1] == 60_000 and not to.exists()


def test_that_what_cannot_be_exported_is_told_in_a_sentence(tmp_path: Path, ids: list[str]) -> None:
    with pytest.raises(LogError, match="cannot be written"):
        export_in_process(tmp_path / "log.db", (), tmp_path / "no" / "out.jsonl", Cancel(), print)


def test_that_an_episode_opens_at_its_first_trouble_and_stays_lit(reader: Reader, ids: list[str]) -> None:
    review = reader.open(ids[2])
    model = review.episode_list.model
    assert review.replay.player.state.counts.contradictions == 1
    assert review.replay.player.index < len(review.replay.player.replay)
    review.episode_list.rows.clearSelection()
    assert [model.data(model.index(i), OPEN) for i in range(3)] == [True, False, False]
    review.refresh()
    assert reader.listed() and model.data(model.index(0), OPEN)
    reader.open(ids[0])  # in which nothing went wrong: its end
    assert review.replay.player.index == len(review.replay.player.replay)


# --- replay -------------------------------------------------------------------------------------------


def test_that_keys_scrub_jump_and_play_and_every_panel_shows_the_moment(
    reader: Reader, ids: list[str]
) -> None:
    review = reader.open(ids[2])
    player, opened = review.replay.player, review.replay.opened
    assert opened is not None
    for index in (len(player.replay), 30, 31, 12, 60):
        player.go(index)
        state = player.replay.state_at(index)
        assert review.replay.belief._state.belief == state.belief
        assert review.replay.plan._state.plan_rows == state.plan_rows
        shown = review.replay.camera._state.frame
        assert (shown.id if shown else "") == (state.frame.id if state.frame else "")
        assert shown is None or shown.rgb is not None
        assert review.bar.timeline._state.now == pytest.approx(state.now)
    reader.key(Qt.Key.Key_Home)
    assert player.index == 1
    reader.key(Qt.Key.Key_Period)
    reader.key(Qt.Key.Key_Period)
    reader.key(Qt.Key.Key_Comma)
    assert player.index == 2
    reader.key(Qt.Key.Key_O)
    assert player.state.counts.overrides == 1
    player.go(1)
    reader.key(Qt.Key.Key_X)
    assert player.state.last_step and player.state.last_step.result.status.value == "failed"
    reader.key(Qt.Key.Key_Home)
    reader.key(Qt.Key.Key_Space)
    assert player.playing
    reader.until(lambda: player.index == len(player.replay) and not player.playing)


def test_that_every_key_in_the_help_does_something(reader: Reader, ids: list[str]) -> None:
    review = reader.open(ids[2])
    for row in ROWS:
        assert row.commands or "Ctrl" in row.printed
        for key_, command in row.commands:
            assert review.key(key_, Qt.KeyboardModifier.NoModifier), command
            if popup := QApplication.activePopupWidget():
                popup.close()
    for dialog in review.window_.findChildren(TextDialog):
        dialog.reject()


def test_that_a_slow_replay_takes_longer(reader: Reader, ids: list[str]) -> None:
    player = Player(reader.review)
    player.load(EpisodeReplay(reader.open(ids[0]).replay.player.replay.records))
    player.go(1)
    player.change_speed(-9)
    assert player.speed < 0.1
    before, began = player.seconds, time.monotonic()
    player.play()
    reader.until(lambda: player.seconds > before)
    player.pause()
    assert player.seconds - before <= player.speed * (time.monotonic() - began) + 1e-6


# --- labels -------------------------------------------------------------------------------------------


def test_that_a_blind_answer_is_kept_apart_and_then_the_model_is_shown(
    reader: Reader, ids: list[str], tmp_path: Path
) -> None:
    review = reader.open(ids[2])
    replay = review.replay
    replay.review.blind.click()
    question = replay.question
    assert question is not None
    reader.key(Qt.Key.Key_N)
    reader.until(lambda: not replay.review.card._face._seen.blind)
    assert any("gpt" in words for _, _, words in replay.review.card._face._seen.lines)
    with Store.open(tmp_path / "log.db", read_only=True) as store:
        (label,) = labels(store, ids[2])
        assert (label.number, label.place, label.blind) == (question.number, question.place, True)
        assert label.verdict is question.query.text_verdict(Verdict.NO)
        assert list(store.records(ids[2])) == list(replay.player.replay.records)
    reader.key(Qt.Key.Key_J)
    face = replay.review.card._face._seen
    assert face is not None and face.blind and face.number == 2
    reader.key(Qt.Key.Key_Backspace)
    assert replay.question is question


def test_that_a_queue_asks_every_unanswered_question_of_the_list_blind(
    reader: Reader, ids: list[str], tmp_path: Path
) -> None:
    review, replay = reader.review, reader.review.replay
    review.episode_list._search.setText("halve")
    reader.until(lambda: reader.listed() == [ids[1]])
    review.episode_list._search.setText("")
    reader.until(lambda: reader.listed() == ids[::-1])
    reader.key(Qt.Key.Key_Q)
    reader.until(lambda: replay.opened and replay.blind)
    first = replay.opened.summary.episode
    assert replay.review.card._face._progress.of == 3 * 24
    for _ in range(24):
        assert replay.review.card._face._seen.blind
        reader.key(Qt.Key.Key_Y)
        reader.until(lambda: not replay.review.card._face._seen.blind)
        reader.key(Qt.Key.Key_J)
    reader.until(lambda: replay.opened.summary.episode != first)
    second = replay.opened.summary.episode
    reader.until(lambda: replay.review.card._face._seen.blind)
    assert replay.review.card._face._progress.at == 24
    reader.key(Qt.Key.Key_U)
    reader.until(lambda: not replay.review.card._face._seen.blind)
    with Store.open(tmp_path / "log.db", read_only=True) as store:
        assert [len(labels(store, id)) for id in (first, second)] == [24, 1]
        assert all(x.blind for id in ids for x in labels(store, id))
    reader.key(Qt.Key.Key_Q)  # begun anew: what was answered is not asked again
    reader.until(lambda: replay.review.card._face._progress.of == 3 * 24 - 25)
    assert replay.opened.summary.episode != first


def test_that_what_the_operator_said_is_told_only_to_one_who_sees(ids: list[str], tmp_path: Path) -> None:
    with Store.open(tmp_path / "log.db") as store:
        replay = EpisodeReplay(list(store.records(ids[2])))
    question = next(q for q in replay.questions if q.operator and q.operator.source is BeliefSource.OPERATOR)
    assert question_view(1, question, {}, True, "").lines == ()
    told = [words for _, _, words in question_view(1, question, {}, False, "").lines]
    assert any(words.startswith("ada set it to") for words in told)
    (nobody,) = all_unknown((question.query,), 1, "", "")
    told = [words for _, _, words in question_view(1, replace(question, model=nobody), {}, False, "").lines]
    assert told[0] == "no model was asked"
    assert latest_labels(()) == {} and answer_key(question) == (question.number, question.place)


# --- compare, charts ----------------------------------------------------------------------------------


def test_that_two_episodes_stand_side_by_side_and_charts_are_of_those_listed(
    reader: Reader, ids: list[str]
) -> None:
    reader.review.multi_episode.compare(ids[0], ids[2])
    reader.until(lambda: reader.review.compare.model.rowCount())
    compare = reader.review.compare
    assert reader.review._stack.currentWidget() is compare
    assert compare.model.first == 5  # the last step failed in one of them
    assert compare.cameras[0]._state.episode == ids[0] and compare.cameras[1]._state.episode == ids[2]
    review = reader.review
    review.show_charts()
    reader.until(lambda: review.multi_episode.charts and review.multi_episode.charts.predicates._tallies)
    everything = sum(x.answers for x in review.multi_episode.charts.predicates._tallies)
    review.episode_list.overridden.click()
    reader.until(
        lambda: sum(x.answers for x in review.multi_episode.charts.predicates._tallies) == everything / 3
    )
    assert review.multi_episode.charts.reliability.bins


# --- beside a live episode ----------------------------------------------------------------------------


def test_that_no_key_of_the_review_reaches_a_live_episode_but_the_stop(
    ids: list[str], opened: Opened
) -> None:
    at = opened()
    at.start("Approve")
    at.phase(Phase.REVIEWING, Phase.WAITING, Phase.OFFERED)
    at.do("episodes")
    reader = Reader(at)
    reader.listed()
    before = at.state.counts.steps, at.state.phase
    for key_ in (Qt.Key.Key_Return, Qt.Key.Key_Y, Qt.Key.Key_S, Qt.Key.Key_R, Qt.Key.Key_Space):
        at.key(key_)
    at.window.top.menu.setFocus()
    for key_ in (Qt.Key.Key_Y, Qt.Key.Key_S, Qt.Key.Key_R):
        at.key(key_)
    at.do("approve")
    QTest.qWait(100)
    assert (at.state.counts.steps, at.state.phase) == before
    assert not at.window.actions_["approve"].isEnabled()
    at.key(Qt.Key.Key_Escape)
    at.until(lambda: at.state.stop)
    at.do("episodes")
    assert at.console.review.isHidden()


def test_that_a_fork_runs_on_as_a_child_in_the_same_window(
    opened: Opened, tmp_path: Path, ids: list[str]
) -> None:
    at = opened(preset="Watch", answerer="gpt-4.1-household", max_steps=6, failure_limit=0)
    at.start("Watch")
    parent = at.over().episode
    at.do("episodes")
    reader = Reader(at)
    review = reader.open(parent)
    acted = [
        i
        for i, r in enumerate(review.replay.player.replay.records, 1)
        if isinstance(r.event, ev.StepFinished)
    ]
    review.replay.player.go(acted[2])
    review.fork_controller.open_menu()
    popup = QApplication.activePopupWidget()
    assert popup is not None and popup.parent() is review.bar.fork and popup.x() > review.width() / 4
    popup.close()
    review.fork_controller.here()
    at.controller.refresh()
    if at.state.started is None:  # else the fork runs, or has even ended, by now
        assert "press Start" not in at.window.status._words.text()
        assert not at.window.actions_["start"].isEnabled()
    at.until(lambda: at.state.episode not in ("", parent) and at.state.ended)
    assert reader.faults == []
    child = at.state
    assert child.started is not None and child.started.settings["parent"] == parent
    assert type(at.controller.settings).__name__ == "Settings"
    with Store.open(tmp_path / "log.db", read_only=True) as store:
        assert store.summary(child.episode).parent == parent
        assert f"<b>Fork</b> of {parent}, after record" in report(store, child.episode)
    assert progress_text(child).startswith("Fork · ")
    at.do("episodes")
    review = reader.open(child.episode)
    assert review._fork_badge.isVisible() and parent in review._fork_badge.toolTip()
    review.multi_episode.compare(parent, child.episode)
    reader.until(lambda: review.compare.model.rowCount())
    assert [", fork" in head.note.text() for head in review.compare._heads] == [False, True]


def test_that_esc_ends_the_restoring_of_a_fork(opened: Opened) -> None:
    at = opened(preset="Watch", max_steps=6, failure_limit=0, openness=0.0)
    at.start("Watch")
    parent = at.over().episode
    at.do("episodes")
    review = Reader(at).open(parent)
    review.replay.player.go(len(review.replay.player.replay.records) - 1)
    review.fork_controller.pace = 60.0
    review.fork_controller.here()
    at.until(lambda: "Restoring the world: step 1 of" in at.window.status._words.text())
    at.key(Qt.Key.Key_Escape)
    at.until(lambda: "The world was not restored. You stopped it." in at.window.status._words.text())


def test_that_a_log_that_cannot_be_opened_is_one_sentence(opened: Opened, tmp_path: Path) -> None:
    at = opened()
    at.ready()
    review = at.console.review
    (tmp_path / "other.db").write_text(
        "this is no database, and it is long enough to be told from an empty one"
    )
    review.library.path = tmp_path / "other.db"
    at.do("episodes")
    at.until(lambda: "is no SQLite database" in review._title.text())


def test_that_charts_judge_by_people_or_by_the_simulator(opened: Opened, tmp_path: Path) -> None:
    with Recorder.open(tmp_path / "log.db") as recorder:
        list(recorder.record_events(made.episode(6, True, "ada", truth=True)))
    at = opened()
    at.ready()
    at.do("episodes")
    reader = Reader(at)
    reader.listed()
    review = reader.review
    review.show_charts()
    reader.until(lambda: review.multi_episode.charts and review.multi_episode.charts.predicates._tallies)
    charts = review.multi_episode.charts
    assert charts is not None
    assert "4 judged by people" in charts._answers.note.text()
    charts.label_sources.choose(1)
    assert "24 known to the simulator" in charts._answers.note.text()
    right = {x.predicate: x.judged_by_simulator.fraction for x in charts.predicates._tallies}
    assert right[made.atom(0).predicate] == 0.0 and right[made.atom(1).predicate] == 1.0
    assert "0 of 6 right" in charts.predicates.accessibleDescription()


def test_that_a_moment_shows_the_same_whatever_was_looked_at_before(reader: Reader, ids: list[str]) -> None:
    replay = reader.open(ids[0]).replay
    assert replay.question is not None
    shown = [view.card for view in replay.questions.card_views]
    assert shown and not replay.questions.has_placeholder
    index = replay.player.index
    replay.player.go(1)  # nothing is asked and nothing planned yet
    assert replay.questions.has_placeholder and replay.plan.has_placeholder and replay.question is None
    reader.key(Qt.Key.Key_Y)
    replay.player.go(index)
    assert [view.card for view in replay.questions.card_views] == shown and replay.question is not None
