"""A situation told in the window, the suggestion that follows, and what a person makes of it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from app.dialogs.edit_change import EditChangeDialog
from app.dialogs.knowledge import KnowledgeDialog
from app.presentation.belief_rows import belief_rows
from app.presentation.suggestions import suggestion_faces, waiting_suggestion
from app.review.compare_page import knowledge_differences
from core.config import EpisodeComponents, Settings
from core.episode_state import EpisodeState, Phase, SuggestionState
from core.events import ActionProposed
from core.knowledge.changes import AddObject, AllowSubstitute
from core.log.export.report import report
from core.log.knowledge_store import KnowledgeStore
from core.log.store import Store
from core.review.fork import fork_at_record, fork_factory
from core.text.vocabulary import Vocabulary
from tests.app.conftest import Driver, Opened
from tests.app.episode.test_real import real
from tests.app.suggesting import BOWL, DIRTY, FORBID, LEARNT, USELESS, Suggesting, make


def told(at: Driver, sentence: str = DIRTY) -> None:
    """Tell a situation by key, as a person does while an episode waits for approval."""
    at.start("Approve")
    at.pass_until(lambda: at.window.actions_["approve"].isEnabled() and at.state.plan_count)
    at.key(Qt.Key.Key_D)
    line = at.window.questions.situation_line.line
    at.until(line.hasFocus)
    line.setText(sentence)
    QTest.keyClick(at.window.windowHandle(), Qt.Key.Key_Return)
    at.until(lambda: at.state.situations)


def suggested(opened: Opened) -> Driver:
    at = opened(make=make)
    told(at)
    at.until(lambda: waiting_suggestion(at.state) is not None)
    at.read()
    at.controller.refresh()
    return at


def test_that_enter_in_the_line_tells_the_bar_offers_one_key_each_and_a_refusal_changes_nothing(
    again: Opened,
) -> None:
    at = suggested(again)
    (situation,) = at.state.situations
    assert (situation.sentence, situation.by) == (DIRTY, at.controller.by)
    assert at.state.counts.steps == 0 and not at.window.questions.situation_line.line.text()
    (card,) = (c for c in at.window.questions.suggestions.views if not c.isHidden())
    assert card.face is not None and card.face.waiting
    assert card.changes[0].face.text == "“fill” now needs: the movable is not dirty"
    assert card.changes[0].face.pddl == "fill: (not (is_dirty ?movable))"
    assert "is not suitable" in card.changes[0].face.reason and "bowl" in card.face.effect
    bar, actions = at.window.decision, at.window.actions_
    at.until(lambda: bar.primary.text() == "Accept change")
    assert [b.text() for b in bar.others if b.isVisible()] == ["Edit…", "Refuse", "End"]
    assert not any(actions[id].isEnabled() for id in ("approve", "step", "choose"))
    assert bar.views[1].reason.head == f"“{DIRTY}”"
    assert bar.views[2].reason.word == "IF YOU ACCEPT" and "plan" in bar.views[2].reason.head
    at.key(Qt.Key.Key_S)
    assert waiting_suggestion(at.state) is not None, "none of the keys means a step"
    at.key(Qt.Key.Key_O)
    at.until(lambda: at.state.suggestions[-1].state is SuggestionState.REFUSED)
    assert not at.state.knowledge and BOWL in at.state.refused_changes


def test_that_an_accepted_change_is_in_force_and_can_be_taken_back(again: Opened) -> None:
    at = suggested(again)
    at.key(Qt.Key.Key_Return)
    at.until(lambda: at.state.knowledge == LEARNT)
    at.until(lambda: at.state.undo_count == 1 and waiting_suggestion(at.state) is None)
    face = suggestion_faces(at.state, Vocabulary())[0]
    assert face.outcome.startswith("Accepted by") and "Ctrl+Z" in face.outcome
    at.do("undo")
    at.until(lambda: not at.state.knowledge)
    assert at.state.suggestions[0].state is SuggestionState.UNDONE


def editing(at: Driver) -> EditChangeDialog:
    at.key(Qt.Key.Key_E)
    at.until(lambda: isinstance(at.controller.dialog, EditChangeDialog))
    dialog = at.controller.dialog
    assert isinstance(dialog, EditChangeDialog)
    return dialog


@pytest.mark.long
def test_that_a_person_chooses_another_substitute_and_leaves_a_part_out(again: Opened) -> None:
    at = suggested(again)
    dialog = editing(at)
    assert not dialog.fault and dialog._accept.isEnabled()
    dialog._substituted(1)
    assert AllowSubstitute("jar", "mug") in dialog.changes
    dialog._keep(0, False)
    assert "a predicate that the domain does not have" in dialog.fault and not dialog._accept.isEnabled()
    dialog._keep(1, False)
    assert not dialog.fault
    dialog._accept.click()
    at.until(lambda: at.state.suggestions[-1].state is SuggestionState.EDITED)
    changes = [learnt.change for learnt in at.state.knowledge]
    assert changes[0] == AllowSubstitute("jar", "mug") and isinstance(changes[1], AddObject)
    assert at.state.knowledge[0].evidence[0].by == at.controller.by


@pytest.mark.long
def test_that_a_new_word_is_taken_over_wherever_it_is_used(again: Opened) -> None:
    at = suggested(again)
    dialog = editing(at)
    dialog._typed(0, "predicate", "is_filthy")
    assert str(dialog.changes[1].fact) == "(is_filthy mug-n-04_1)" and not dialog.fault  # type: ignore[union-attr]
    dialog._typed(1, "fact", "is_filthy")
    assert "is no fact" in dialog.fault
    at.do("refuse_change")
    at.until(lambda: at.controller.dialog is None)


def test_that_a_situation_of_no_use_says_why_and_changes_nothing(again: Opened) -> None:
    at = again(make=make)
    told(at, USELESS)
    at.until(lambda: any(not c.isHidden() for c in at.window.questions.suggestions.views))
    face = at.window.questions.suggestions.views[0].face
    assert face is not None and "names nothing that the robot knows" in face.fault
    assert waiting_suggestion(at.state) is None and not at.state.suggestions


def test_that_a_method_without_situations_says_so(again: Opened) -> None:
    at = again()
    at.start("Approve")
    at.pass_until(lambda: at.window.actions_["approve"].isEnabled())
    tell = at.window.actions_["tell"]
    assert not tell.isEnabled() and "takes no situations" in tell.toolTip()
    assert not at.window.questions.situation_line.isVisible()


@pytest.mark.long
def test_that_what_a_person_admitted_is_kept_read_and_removed(opened: Opened, tmp_path) -> None:
    at = suggested(opened)
    at.key(Qt.Key.Key_Return)
    at.until(lambda: at.state.knowledge)
    at.do("end")
    at.over()
    store = KnowledgeStore(tmp_path / "knowledge")
    at.until(lambda: store.load("household"))
    assert [one.learnt.change for one in store.load("household")] == [FORBID, BOWL]
    assert {one.by for one in store.load("household")} == {at.controller.by}
    at.controller.prepare(at.controller.settings)
    at.start("Approve")
    at.until(lambda: at.state.is_running and at.state.knowledge)
    assert at.state.started is not None and at.state.started.knowledge[0].episode
    at.do("knowledge")
    dialog = at.controller.dialog
    assert isinstance(dialog, KnowledgeDialog)
    at.until(lambda: dialog._kept)
    dialog._to.setText(str(tmp_path / "learnt.pddl"))
    dialog._export_all()
    at.until(lambda: "Written to" in dialog._said.text())
    assert "is_dirty" in (tmp_path / "learnt.pddl").read_text()
    assert "served in 1 episode, refused 0 times" in dialog._list.items[0].note
    assert dialog._switch.text() == "Forget"
    dialog._switch.click()
    at.until(lambda: not store.load("household")[0].kept)
    at.until(lambda: dialog._switch.text() == "Keep")
    dialog._switch.click()
    at.until(lambda: store.load("household")[0].kept)
    dialog._remove_current()
    at.until(lambda: len(store.load("household")) == 1)
    dialog.reject()


@pytest.mark.long
def test_that_past_replay_compare_fork_and_report_carry_the_change(opened: Opened, tmp_path) -> None:
    at = suggested(opened)
    at.key(Qt.Key.Key_Return)
    at.until(lambda: at.state.knowledge and waiting_suggestion(at.state) is None)
    mark = next(m for m in at.state.marks if m.kind == "revised")
    at.until(lambda: at.controller.session.records >= mark.record)
    at.console.past.show_record(at.state, mark.record - 2, mark.start)
    at.until(lambda: at.console.past.state is not None)
    at.until(lambda: not at.console.past_view._to_show)
    past_card = at.console.past_view.panels["questions"].suggestions.views[0]  # type: ignore[attr-defined]
    assert past_card.face.waiting
    assert [v.face.pddl for v in past_card.changes][1] == "types: bowl - mug"
    at.do("end")
    at.over()
    episode, review = at.state.episode, at.console.review
    at.do("episodes")
    review.open(episode)
    at.until(lambda: review.replay.opened is not None)
    opened_, player = review.replay.opened, review.replay.player
    assert opened_ is not None
    number = next(
        r.number
        for r in opened_.replay.records
        if isinstance(r.event, ActionProposed) and r.event.proposal.suggestion
    )
    player.go(opened_.replay.index_of_record(number))
    card = review.replay.questions.suggestions.views[0]
    assert card.face is not None and card.face.waiting and len(card.changes) == len(LEARNT)
    assert not review.replay.questions.situation_line.isVisible()
    player.go(len(opened_.replay))
    assert card.face.outcome.startswith("Accepted by")
    fork = fork_at_record(opened_.replay.records, opened_.replay.records[-2].number)
    parts = fork_factory(make)(fork)
    parts.close()
    assert parts.knowledge.changes == LEARNT
    assert any(t.name == "bowl" and t.type == "mug" for t in parts.task.problem.domain.types)
    store = Store.open(tmp_path / "log.db")
    page = report(store, episode)
    store.close()
    assert "A bowl counts as a mug" in page or "a bowl counts as a mug" in page
    assert "types: bowl - mug" in page and "told a situation: “the mug is dirty”" in page
    assert knowledge_differences(at.state, EpisodeState()).startswith(
        "learnt on the left: a bowl counts as a mug"
    )


def make_real(settings: Settings, *rest: Any) -> EpisodeComponents:
    parts = real(settings, *rest)
    return replace(parts, method=Suggesting(parts.domain_spec, parts.task.problem))


def test_that_on_real_a_person_decides_whatever_the_levels_say(opened: Opened) -> None:
    at = opened(make=make_real, preset="Watch")
    at.start()
    at.phase(Phase.WAITING)
    assert at.state.embodiment == "REAL"
    at.window.questions.situation_line.line.setText(DIRTY)
    at.window.questions.situation_line._submit()
    at.until(lambda: waiting_suggestion(at.state) is not None)
    at.controller.refresh()
    at.until(lambda: at.window.decision.primary.text() == "Accept change")
    at.qtbot.wait(100)
    assert waiting_suggestion(at.state) is not None and not at.state.knowledge
    at.key(Qt.Key.Key_Return)
    at.until(lambda: at.state.knowledge)
    assert at.state.counts.steps == 0 and at.state.suggestions[0].by == at.controller.by


@pytest.mark.long
def test_that_the_shipped_method_suggests_a_bowl_and_reaches_the_goal_with_it(opened: Opened) -> None:
    options = {"robot.stock": "bowl,dishwasher", "robot.chance": "0"}
    at = opened(Settings(task="serve_water", method="cowp", seed=1, options=options))
    told(at, "the cup is dirty")
    at.until(lambda: waiting_suggestion(at.state) is not None)
    at.do("accept_change")
    at.until(lambda: at.state.knowledge)
    at.pass_until(lambda: at.state.ended)
    assert at.state.ended is not None and at.state.ended.true_goal is True
    assert any(isinstance(learnt.change, AllowSubstitute) for learnt in at.state.knowledge)


def test_that_a_model_says_what_it_sees_and_a_person_whether_it_is_so(opened: Opened) -> None:
    options = {"robot.stock": "bowl", "robot.situation": "the cup is dirty"}
    at = opened(Settings(task="serve_water", method="cowp", seed=1, options=options))
    at.start("Approve")
    at.until(lambda: waiting_suggestion(at.state) is not None)
    at.window.questions.situation_line.look.click()
    at.phase(Phase.REVIEWING)
    at.until(lambda: at.state.cards[0].query.text == "The model sees: the cup is dirty. Is that so?")
    rows = belief_rows(at.state, Vocabulary(), frozenset())
    assert not any(row.atom.predicate == "situation" for row in rows)
    at.read()
    at.key(Qt.Key.Key_Y)
    at.until(lambda: len(at.state.situations) == 2)
    assert "simulated language model" in at.state.situations[-1].by
