"""The question panel: every question of the turn as a card. Agreeing and disagreeing take one key each."""

from __future__ import annotations

import time
from collections.abc import Mapping
from types import MappingProxyType

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtGui import QImage, QResizeEvent

from app.controls.button import ToolButton
from app.controls.layout import ViewStack, column, label, scroll_area, wrap_layout
from app.presentation.asked import Asked, asked
from app.presentation.card_words import BEFORE, head_note
from app.presentation.decision_section import suspicious, to_judge
from app.presentation.formatting import pending_cards
from app.presentation.suggestions import SuggestionViewModel, suggestion_faces
from app.presentation.what_if import Draft, EffectPreview, if_answered, operator_answer, other_answer
from app.theme import tokens as t
from app.widgets.consulted import ConsultedView
from app.widgets.panel import Panel
from app.widgets.questions.card_focus import CardFocus
from app.widgets.questions.card_view import CardContents, CardView
from app.widgets.questions.heat_map import HeatMaps
from app.widgets.questions.situation_line import SituationLine
from app.widgets.questions.suggestion_card import SuggestionCard
from core.belief import Answer, Atom, Verdict
from core.episode_state import EpisodeState, QuestionCard

AT_ONCE = 2  # cards of earlier turns that are made in one turn of the event loop


class QuestionPanel(Panel):
    """The questions of this turn, and below them those of earlier turns.

    Keeps a person's verdicts as a draft until `answers` submits them.
    """

    EMPTY = ("eye", "Nothing was asked yet", "Questions become cards here: picture first, then answer.")
    NONE = ("eye", "No questions in this turn", "The model was asked nothing about this picture.")
    AHEAD = 6  # cards that are made with the panel
    PICTURED = True  # each card has the picture that was asked about
    corrected = Signal(object)  # tuple[Answer, ...]: after they had counted
    drafted = Signal()  # the draft is another
    answered = Signal()  # the draft answers all that a person must, so that it can count
    refused = Signal(str)  # why an answer was not taken
    lit_changed = Signal()  # the keys answer another question

    def __init__(self) -> None:
        self.reask = ToolButton("eye", "Ask the focused question again, of another model (A)")
        self.gaze = ToolButton("gaze", "Where the eye looked, for the focused question (W)", checkable=True)
        super().__init__("Questions", self.gaze, self.reask)
        self.gaze.toggled.connect(self._show_gaze)
        self.situation_line = SituationLine()
        self.situation_line.hide()
        self._heat_maps = HeatMaps()
        self._heat_maps.changed.connect(self._show_gaze)
        self.by = ""
        self.effect_preview: EffectPreview | None = None
        self._state = EpisodeState()
        self._draft = Draft()
        self._contents = CardContents(self._draft)
        self._current, self._earlier = ViewStack(self._make_view), ViewStack(self._make_view)
        self._earlier_key: tuple[object, ...] = ()  # what the earlier cards were last made from
        self.calls, self.suggestions = ViewStack(ConsultedView), ViewStack(SuggestionCard)
        self._said: tuple[str, ...] | None = None
        self._earlier_head = label("Earlier turns", "caption", "muted")
        self._earlier_head.setContentsMargins(t.M, t.S, t.M, t.XS)
        now = (stack.layout for stack in (self.suggestions, self._current, self.calls))
        cards = column(*now, self._earlier_head, self._earlier.layout, 1)
        self._area = scroll_area(wrap_layout(cards))
        self._area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._focus = CardFocus(self._area, self._current, self._earlier)
        self._focus.changed.connect(self._show_keys)
        self._focus.changed.connect(self.lit_changed)
        self._focus.placed.connect(self._show_gaze)
        self._focus.placed.connect(self._share_room)
        self.set_body(self._area)
        self.set_foot(self.situation_line)
        for stack in (self._current, self._earlier):
            stack.views_for(self.AHEAD)
            stack.views_for(0)
        self.clear()

    def display(self, state: EpisodeState) -> None:
        before, self._state = self._state, state
        if (before.review_count, before.offer_count) != (state.review_count, state.offer_count):
            self._focus.taken = time.monotonic() if self._focus.chosen else self._focus.taken
            self._focus.chosen = False  # what waits now was not there when the person chose
        self._contents.update(state)
        if not pending_cards(state):
            self._draft.clear()
        faces = suggestion_faces(state, self.vocabulary)
        if not (state.cards or state.consultations or state.earlier_cards or faces):
            self._show_none(state)
            return
        self.hide_placeholder()
        self._show_suggestions(faces)
        self._show_cards()
        calls = state.consultations
        for view, call in zip(self.calls.views_for(len(calls)), calls, strict=True):
            view.show_call(call)
        known = ("belief", "plan_rows", "phase", "ended")
        if self._focus.view is not None and any(getattr(state, k) is not getattr(before, k) for k in known):
            self._focus.view.refresh_preview()
            self._share_room()

    def _show_none(self, state: EpisodeState) -> None:
        """Show a placeholder before the first question, or in a turn without questions."""
        self.calls.views_for(0)
        words = self.NONE if state.turn and state.phase not in BEFORE else self.EMPTY
        if not self.has_placeholder or (state.started is not None and words != self._said):
            self._said = words
            self.show_placeholder(*words)
            self.header.note.set_note("")

    def _show_suggestions(self, faces: tuple[SuggestionViewModel, ...]) -> None:
        """Show what was told and suggested in this turn; what begins to wait for a person comes into view."""
        fresh = False
        for card, face in zip(self.suggestions.views_for(len(faces)), faces, strict=True):
            fresh |= face.waiting and (card.face is None or not card.face.waiting)
            card.show_face(face)
            card.show()
        if fresh:
            self._area.verticalScrollBar().setValue(0)

    # --- the cards ---------------------------------------------------------------------------------------

    def _show_cards(self) -> None:
        state = self._state
        cards = sorted(state.cards, key=lambda card: not suspicious(card))  # doubts on top
        fresh = [c.number for c in cards] != [v.card.number for v in self._current.views if v.card]
        held = self._focus.card
        self._contents.show(self._current.views_for(len(cards)), cards)
        self._show_earlier()
        if fresh:
            self._focus.focus_first(held, state)
        elif held and held.model is None and self._focus.card and self._focus.card.model:
            self._focus.since = time.monotonic()
        self._focus.follow(self.asked.card)
        self._show_keys()
        self._show_gaze()
        self._share_room()
        self.header.note.set_note(*head_note(state))

    def _show_earlier(self) -> None:
        """Show the cards of earlier turns anew, if they or what rests on them have changed."""
        state = self._state
        key = state.earlier_cards, state.belief.entries, state.is_running
        if self._earlier_key and all(a is b for a, b in zip(key, self._earlier_key, strict=True)):
            return
        self._earlier_head.setVisible(bool(state.earlier_cards))
        cards = state.earlier_cards[: len(self._earlier.made) + AT_ONCE]
        self._contents.show(self._earlier.views_for(len(cards)), cards)
        if len(cards) < len(state.earlier_cards):
            QTimer.singleShot(0, self, self._show_earlier)  # to make many at once would hold Esc up
        else:
            self._earlier_key = key

    def _make_view(self) -> CardView:
        view = CardView(self.PICTURED)
        view.effect_preview = self._preview
        view.judged.connect(self._clicked)
        view.entered.connect(self._focus.choose)
        view.left.connect(self.select_relative)
        return view

    @property
    def card_views(self) -> list[CardView]:
        """Return the cards that are shown, those of this turn first."""
        return self._focus.views

    def _show_gaze(self) -> None:
        """Show on the focused card where the eye looked, if a person wants to see it."""
        for view in self.card_views:
            found: QImage | str = ""
            if self.gaze.isChecked() and view is self._focus.view and view.card and view.card.model:
                card, model = view.card, view.card.model
                found = self._heat_maps.of(model.by, card.frame, view.image, card.query.atom)
            view.show_gaze(found)

    def _share_room(self) -> None:
        self._focus.share_room(self.calls.height + self.suggestions.height)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._share_room()

    # --- judging -----------------------------------------------------------------------------------------

    def judge(self, verdict: Verdict, shown: Asked) -> str:
        """Draft a verdict about the text of the question that was shown, then focus the next card.

        Return why not, "" if it is done. A question that has only just got the focus is left alone: the key
        was meant for the one before it.
        """
        now, view = self.asked, self._focus.view
        if refusal := now.refusal(verdict):
            return refusal
        pending = now.card is not None and now.card.pending
        if view is None or not now.same_question(shown) or not self._focus.was_read(pending):
            return "the question has only just come up"
        self._judged(view, verdict)
        return ""

    def _clicked(self, view: CardView, verdict: Verdict) -> None:
        """Choose this card, and answer it."""
        self._focus.choose(view)
        if refusal := self.asked.refusal(verdict):
            self.refused.emit(refusal)
        else:
            self._judged(view, verdict)

    def _judged(self, view: CardView, verdict: Verdict) -> None:
        card = view.card
        if card is None:
            return
        about = card.query.atom_verdict(verdict)
        if card.pending:
            self._draft.set(card.query.atom, about)
            self._show_draft()
            self._go_on()
        else:
            self._focus.chosen = False  # it is answered
            self.corrected.emit((operator_answer(card, about, self.by, turn=self._state.turn),))

    def _go_on(self) -> None:
        """Light the next question that a person must answer; with the last one, all answers count."""
        numbers = {c.number for c in to_judge(pending_cards(self._state)) if c.query.atom not in self.draft}
        left = [v for v in self._current.views if v.card and v.card.number in numbers]
        if left:
            self._focus.focus(left[0])
        else:
            self.answered.emit()

    def adopt(self, card: QuestionCard, verdict: Verdict, said: str) -> None:
        """Draft another model's verdict about the card's atom as the person's own; `said` names
        that model.
        """
        if card.pending:
            self._draft.set(card.query.atom, verdict, said)
            self._show_draft()
        else:
            self.corrected.emit((operator_answer(card, verdict, self.by, said),))

    def _show_draft(self) -> None:
        self._show_cards()
        self.drafted.emit()

    def undo_draft(self) -> bool:
        """Undo the last drafted verdict. Return False if there is none."""
        undone = self._draft.undo()
        if undone:
            self._show_draft()
        return undone

    @property
    def draft(self) -> Mapping[Atom, Verdict]:
        """Return the person's verdicts that are not yet submitted."""
        return MappingProxyType(self._draft.verdicts)

    def answers(self) -> tuple[Answer, ...]:
        """Return the answers that count if submitted now, in the order of the queries."""
        return self._draft.answers(pending_cards(self._state), self.by)

    def _preview(self, view: CardView) -> str:
        """Return what the other answer would change, and its key; "" where the keys answer nothing."""
        card = self.asked.card
        if self.effect_preview is None or card is None or view is not self._focus.view:
            return ""
        return other_answer(view.card, self._state, self.answers(), self.by, self.effect_preview)

    def if_answered(self, verdict: Verdict) -> tuple[Answer, ...]:
        """Return what would count if the focused question were answered so; () if it cannot be."""
        return if_answered(self.asked.card, verdict, self._state, self.answers(), self.by)

    # --- the focus ---------------------------------------------------------------------------------------

    @property
    def asked(self) -> Asked:
        """Return what is asked now, and what the keys answer."""
        return asked(self._state, self.focused_card, self._focus.chosen)

    def _show_keys(self) -> None:
        """Show the keys on the card that they answer, and on no other."""
        card = self.asked.card
        for view in self.card_views:
            view.show_keys(card is not None and view is self._focus.view)
        if self._focus.view is not None:
            self._focus.view.refresh_preview()

    @property
    def focused_card(self) -> QuestionCard | None:
        """Return the focused question's card."""
        return self._focus.card

    def highlight(self, answer: Answer) -> None:
        """Focus the card of this answer, if it is still there."""
        for view in self.card_views:
            if view.card and (view.card.query.atom, view.card.turn) == (answer.atom, answer.turn):
                self._focus.choose(view)

    def enter(self) -> None:
        if self._focus.view is not None:
            self._focus.view.setFocus()

    def select_relative(self, by: int) -> bool:
        self._focus.move(by)
        if self.isAncestorOf(self.focusWidget() or self):
            self.enter()
        return bool(self.card_views)
