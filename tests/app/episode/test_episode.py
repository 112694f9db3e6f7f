"""A person runs an episode: from Start to its end, with everything that may be done on the way."""

from __future__ import annotations

import sqlite3
from pathlib import Path
from threading import Event

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest

from app.episode.kept_knowledge import KeptKnowledge
from app.episode.session import SessionStage
from core.belief import BeliefSource, Verdict
from core.episode_state import Phase, PlanRowState
from core.events import EpisodeResult
from core.supervision import SupervisionLevel
from tests.app.conftest import Opened


@pytest.mark.long
def test_that_a_newcomer_sees_a_whole_episode_after_one_press_of_enter(opened: Opened) -> None:
    at = opened(preset="", openness=1.0)
    at.ready()
    assert at.controller.preferences.supervision is None
    at.key(Qt.Key.Key_Return)
    state = at.over()
    assert state.ended is not None and state.ended.result is EpisodeResult.SUCCEEDED
    assert state.supervision.move is SupervisionLevel.WATCH
    assert state.counts.questions > 0 and state.counts.steps >= 12


def test_that_start_pressed_while_the_robot_is_being_made_counts_when_it_is_there(opened: Opened) -> None:
    at = opened(preset="Watch")
    at.do("start")
    assert at.over().ended


@pytest.mark.long
def test_that_start_counts_as_soon_as_the_end_is_shown(
    opened: Opened, monkeypatch: pytest.MonkeyPatch
) -> None:
    closed = Event()
    monkeypatch.setattr(KeptKnowledge, "keep", lambda *parts: closed.wait(60))
    at = opened(preset="Watch")
    at.do("start")
    at.until(lambda: at.state.ended)
    first = at.controller.session
    assert first.stage is SessionStage.RUNNING  # it still writes what is to be kept
    at.do("start")
    closed.set()
    assert at.controller.session is not first
    at.until(lambda: at.state.ended is None and at.state.is_running)


def test_that_each_step_waits_for_its_own_enter(again: Opened) -> None:
    at = again()
    at.start("Approve")
    at.phase(Phase.WAITING)
    assert at.state.counts.steps == 0
    at.key(Qt.Key.Key_Return)
    QTest.keyClick(at.window.windowHandle(), Qt.Key.Key_Return)
    at.until(lambda: at.state.counts.steps == 1)
    for _ in range(3):  # the rest of a double click, or of an impatient person
        QTest.keyClick(at.window.windowHandle(), Qt.Key.Key_Return)
    at.phase(Phase.REVIEWING, Phase.WAITING)
    at.qtbot.wait(100)
    assert at.state.counts.steps == 1


def test_that_an_answer_can_be_corrected_afterwards_and_that_undone(again: Opened) -> None:
    at = again()
    at.start("Approve")
    at.pass_until(lambda: at.state.phase is Phase.WAITING and at.state.cards)
    card = at.state.cards[0]
    assert card.final is not None
    before = at.state.belief
    said = card.query.text_verdict(card.final.verdict)
    at.key(Qt.Key.Key_N if said is Verdict.YES else Qt.Key.Key_Y)
    at.until(lambda: at.state.undo_count == 1)
    at.until(lambda: at.state.belief.source(card.query.atom) is BeliefSource.OPERATOR)
    assert at.state.cards[0].overridden
    at.pass_until(lambda: at.state.phase is Phase.WAITING)
    at.do("undo")
    at.until(lambda: at.state.undo_count == 0)
    at.until(lambda: at.state.belief.verdict(card.query.atom) is before.verdict(card.query.atom))
    assert not at.state.cards[0].overridden


def test_that_a_row_of_the_belief_can_be_set_by_hand(again: Opened) -> None:
    at = again()
    at.start("Approve")
    at.phase(Phase.WAITING)
    belief = at.window.belief
    belief.enter()
    belief.table.selectRow(0)
    atom = belief.selected
    assert atom is not None
    other = at.state.belief.verdict(atom).opposite
    QTest.keyClick(belief.table, Qt.Key.Key_Y if other is Verdict.YES else Qt.Key.Key_N)
    at.until(lambda: at.state.belief.verdict(atom) is other)
    assert at.state.belief.source(atom) is BeliefSource.OPERATOR


def test_that_the_log_says_who_said_what_and_what_the_model_had_said(opened: Opened, tmp_path: Path) -> None:
    at = opened()
    at.start("Approve")
    at.pass_until(lambda: at.state.phase is Phase.REVIEWING)
    card = at.state.cards[0]
    said = card.query.text_verdict(card.model.verdict)  # type: ignore[union-attr]
    at.key(Qt.Key.Key_N if said is Verdict.YES else Qt.Key.Key_Y)
    at.do("use")
    at.until(lambda: at.state.counts.overrides == 1)
    at.do("end")
    at.over()
    at.window.close()
    with sqlite3.connect(tmp_path / "log.db") as db:
        bodies = [row[0] for row in db.execute("select body from record order by number")]
    answered = next(b for b in bodies if '"raw_reply"' in b and card.query.text not in b and "call" in b)
    reviewed = [b for b in bodies if at.controller.by in b and '"operator"' in b]
    assert card.model.verdict.value in answered  # type: ignore[union-attr]
    assert reviewed


def test_that_space_pauses_and_resumes(again: Opened) -> None:
    at = again(preset="Watch", pace=0.02)
    at.start("Watch")
    at.until(lambda: at.state.counts.steps >= 1)
    at.key(Qt.Key.Key_Space)
    at.until(lambda: at.state.paused)
    at.phase(Phase.WAITING)
    steps = at.state.counts.steps
    at.qtbot.wait(150)
    assert at.state.counts.steps == steps
    at.key(Qt.Key.Key_S)
    at.until(lambda: at.state.counts.steps == steps + 1)
    at.phase(Phase.WAITING)
    at.key(Qt.Key.Key_Space)
    assert at.over().ended


def test_that_a_space_in_a_text_field_is_a_space(again: Opened) -> None:
    at = again(preset="Watch", pace=30.0)
    at.start("Watch")
    at.phase(Phase.ACTING)
    at.window.belief.focus_search()
    field = at.window.focusWidget()
    QTest.keyClicks(field, "inside mug")
    assert field.text() == "inside mug"
    assert not at.state.paused
    at.window.belief.clear()
    assert not field.text()  # it would hide rows of the next episode


def test_that_a_breakpoint_waits_for_a_person(again: Opened) -> None:
    at = again()
    at.console.bindings.set_breakpoints(frozenset({"openit"}))
    at.start("Assist")
    state = at.phase(Phase.WAITING)
    assert state.proposal is not None and state.proposal.step is not None
    assert state.proposal.step.name == "openit"
    steps = state.counts.steps
    at.qtbot.wait(100)
    assert at.state.counts.steps == steps


def test_that_a_breakpoint_is_set_on_the_selected_step_with_a_key(again: Opened) -> None:
    at = again()
    at.start("Approve")
    at.phase(Phase.WAITING)
    at.window.plan.enter()
    at.window.plan.select_relative(1)
    QTest.keyClick(at.window.plan.list, Qt.Key.Key_F9)
    step = (
        at.state.plan_rows[1].step
        if at.window.plan.list.currentIndex().row() == 1
        else at.state.plan_rows[0].step
    )
    assert at.window.plan.breakpoints == {str(step)}
    QTest.keyClick(at.window.plan.list, Qt.Key.Key_F9)
    assert not at.window.plan.breakpoints


def test_that_another_step_can_be_chosen_and_what_cannot_be_done_says_why(again: Opened) -> None:
    at = again()
    at.start("Approve")
    at.phase(Phase.WAITING)
    at.key(Qt.Key.Key_C)
    dialog = at.controller.dialog
    assert dialog is not None
    can = dialog._list.items
    assert can and all(item.enabled for item in can)
    dialog._planned = can[-1].key
    dialog._show()
    assert dialog._list.current.key == can[-1].key, "what is planned comes first"
    dialog._search.setText("fill")
    off = [item for item in dialog._list.items if not item.enabled]
    assert off and all("needs" in item.note for item in off)
    dialog._search.setText("")
    other = next(item for item in dialog._list.items if item.key != at.state.proposal.step)  # type: ignore[union-attr]
    dialog._take(other.key)
    at.until(lambda: at.state.counts.steps == 1)
    assert at.state.last_step is not None and at.state.last_step.step == other.key
    assert any(line.note == "chosen by you" or line.state is PlanRowState.DONE for line in at.state.plan_rows)


def test_that_a_new_plan_is_shown_beside_the_old_one_and_may_be_left(again: Opened) -> None:
    at = again(openness=1.75, seed=1)
    at.start("Approve")
    at.pass_until(lambda: at.state.phase is Phase.OFFERED)
    state = at.state
    assert state.offered_change is not None
    assert at.window.plan.head.isVisible()
    offered = [r for r in at.window.plan.list.steps.rows if r.fresh]
    assert offered
    at.key(Qt.Key.Key_O)
    at.until(lambda: at.state.offered_change is None)
    assert at.state.plan_count == 1


def test_that_the_dials_may_be_turned_at_any_moment(again: Opened) -> None:
    at = again(pace=0.3)
    at.start("Watch")
    at.phase(Phase.ACTING)
    dial = at.window.supervision._all["move"]
    dial.setFocus()
    for _ in range(2):
        QTest.keyClick(dial, Qt.Key.Key_Down)
    at.until(lambda: at.state.supervision.move is SupervisionLevel.APPROVE)
    at.phase(Phase.WAITING)
    assert (
        at.controller.preferences.supervision is not None
        and at.controller.preferences.supervision.move is SupervisionLevel.APPROVE
    )


def test_that_in_manual_nothing_is_asked_of_the_model(again: Opened) -> None:
    at = again()
    at.start("Manual")
    at.pass_until(lambda: at.state.phase is Phase.REVIEWING)
    assert all(c.model is not None and c.model.verdict is Verdict.UNKNOWN for c in at.state.cards)
    assert at.state.counts.model_seconds == 0


def test_that_a_goal_can_be_put_together_in_words(again: Opened) -> None:
    at = again(preset="Watch")
    at.ready()
    at.do("goal")
    dialog = at.controller.dialog
    assert dialog is not None
    at.until(dialog.isVisible)
    assert dialog._facts.items[0].text == dialog._words.text() == "the water is boiling"
    at.until(lambda: QGuiApplication.focusWindow() is dialog.windowHandle())
    at.key(Qt.Key.Key_Return)  # out with it
    assert not dialog._use.isEnabled() and dialog._use.toolTip()
    QTest.keyClicks(dialog._search, "cabinet not closed")
    assert dialog._facts.items[0].text == "the cabinet is wide open"
    at.key(Qt.Key.Key_Return)
    assert dialog._words.text() == "the cabinet is wide open"
    assert dialog._facts.current.trailing_text == "in the goal"
    QTest.mouseClick(dialog._use, Qt.MouseButton.LeftButton)
    at.ready()
    at.until(lambda: "the cabinet is wide open" in at.window.decision.views[0].reason.lines[0])
    at.start("Watch")
    state = at.over()
    assert [str(g) for g in state.started.goal] == ["(not (closed cabinet-n-01_1))"]  # type: ignore[union-attr]
    assert state.ended is not None and state.ended.result is EpisodeResult.SUCCEEDED


@pytest.mark.long
def test_that_start_again_runs_the_same_once_more(again: Opened) -> None:
    at = again(preset="Watch")
    at.start("Watch")
    first = at.over()
    at.do("start")
    at.until(lambda: at.state.episode != first.episode and at.state.ended)
    assert at.state.counts.steps == first.counts.steps


def test_that_where_a_persons_word_leaves_no_plan_its_undo_is_offered_first(again: Opened) -> None:
    at = again()
    at.start("Approve")
    at.pass_until(lambda: at.state.phase is Phase.WAITING)
    belief = at.window.belief
    water = next(e.atom for e in at.state.belief if e.atom.predicate == "insource")
    at.console.bindings.correct((belief.operator_answer(water, Verdict.NO),))
    at.phase(Phase.HELP_NEEDED)
    at.until(lambda: at.window.decision.primary.text() == "Undo")
    assert "Undo your correction" in at.window.decision.views[0].accessibleName()
    at.read()
    at.window.decision.primary.click()
    at.pass_until(lambda: at.state.phase is Phase.WAITING)
    assert at.state.belief.verdict(water) is Verdict.YES
