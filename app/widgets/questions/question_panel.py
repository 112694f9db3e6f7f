"""The question panel: every question of the turn as a card. Agreeing and disagreeing take one key each."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from types import MappingProxyType

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QImage, QResizeEvent

from app.controls.badge import Chip
from app.controls.button import ToolButton
from app.controls.layout import column, label, scroll_area, wrap_layout
from app.presentation.decision_section import suspicious, to_judge
from app.presentation.formatting import duration, figures, money, offer_card, pending_cards
from app.presentation.suggestions import SuggestionFace, suggestion_faces
from app.theme import tokens as t
from app.widgets.camera.frame_images import box_of, kept_still, still
from app.widgets.consulted import ConsultedView, Footer
from app.widgets.panel import Panel
from app.widgets.questions.card_stack import CardStack
from app.widgets.questions.card_view import CardView
from app.widgets.questions.card_view_model import CardViewModel, card_view_model
from app.widgets.questions.draft import Draft, operator_answer
from app.widgets.questions.heat_map import HeatMaps
from app.widgets.questions.question_picture import FocusedQuestion
from app.widgets.questions.suggestion_card import SuggestionCard
from app.widgets.questions.tell_line import TellLine
from core.belief import Answer, Atom, Purpose, Verdict
from core.episode_state import EARLIER_CARDS, Consultation, EpisodeState, Phase, QuestionCard
from core.operator import PlanChange
from core.ports import BoundingBox
from core.text.plural import plural

WHY = {
    Purpose.EFFECT: "effect of last step",
    Purpose.PRECONDITION: "needed next",
    Purpose.UNCERTAIN: "in doubt",
    Purpose.CHECK: "a check",
}
BEFORE = (Phase.IDLE, Phase.LOOKING, Phase.ASKING)  # of a turn's questions
READ = 0.25  # seconds that a question has to have the focus before a key can correct its answer
HOLD = 3.0  # seconds for which a doubtful question keeps the focus though its answer no longer counts
EffectPreview = Callable[[tuple[Answer, ...]], str]  # what these answers would do


class QuestionPanel(Panel):
    """The questions of this turn, and below them those of earlier turns.

    Keeps a person's verdicts as a draft until `answers` submits them.
    """

    EMPTY = (
        "eye",
        "Nothing was asked yet",
        "Each question becomes a card here: picture first, then the answer.",
    )
    NONE = (
        "eye",
        "No questions in this turn",
        "The model was asked nothing about this picture.",
    )
    corrected = Signal(object)  # tuple[Answer, ...]: after they had counted
    drafted = Signal()  # the draft is another
    answered = Signal()  # the draft answers all that a person must, so that it can count
    lit_changed = Signal()  # the keys answer another question

    def __init__(self) -> None:
        self._only = Chip("in doubt 0")
        self.reask = ToolButton("eye", "Ask the focused question again, of another model (A)")
        self.gaze = ToolButton("gaze", "Where the eye looked, for the focused question (W)", checkable=True)
        super().__init__("Questions", self._only, self.gaze, self.reask)
        self.gaze.toggled.connect(self._show_gaze)
        self.tell = TellLine()
        self.tell.hide()
        self._heat_maps = HeatMaps()
        self._heat_maps.changed.connect(self._show_gaze)
        self._only.toggled.connect(self._filter)
        self.by = ""
        self.effect_preview: EffectPreview | None = None
        self._state = EpisodeState()
        self._shown: tuple[QuestionCard, ...] = ()
        self._calls: tuple[Consultation, ...] = ()  # the method's own, of the same turn
        self._draft = Draft()
        self._boxes: dict[str, tuple[BoundingBox, ...]] = {}  # of the latest frames
        self._current, self._earlier = CardStack(self._connect_view), CardStack(self._connect_view)
        self._earlier_key: tuple[object, ...] = ()  # what the earlier cards were last made from
        self._call_views: list[ConsultedView] = []
        self._focused_view: CardView | None = None
        self._focused_since = 0.0  # when another question got the focus other than by the person
        self._offered: PlanChange | None = None  # the offer whose card was focused
        self._said: tuple[str, ...] | None = None
        self._footer = Footer()
        self._earlier_head = label("Earlier turns", "caption", "muted")
        self._earlier_head.setContentsMargins(t.M, t.S, t.M, t.XS)
        self._calls_list, self._suggestion_list = column(), column()
        self.suggestion_cards: list[SuggestionCard] = []
        self._list = column(
            self._suggestion_list,
            self._current.layout,
            self._calls_list,
            self._earlier_head,
            self._earlier.layout,
            1,
        )
        self._area = scroll_area(wrap_layout(self._list))
        self._area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.set_body(self._area, self.tell, self._footer)
        self.header.noted.connect(self._only.toggle)
        self.clear()

    def display(self, state: EpisodeState) -> None:
        before, self._state = self._state, state
        if state.episode != before.episode:
            self._boxes.clear()
        self._shown, self._calls = state.cards, state.consultations
        if state.frame is not None:
            self._boxes[state.frame.id] = state.boxes
            while len(self._boxes) > EARLIER_CARDS:
                del self._boxes[next(iter(self._boxes))]
        if not pending_cards(state):
            self._draft.clear()
        faces = suggestion_faces(state, self.vocabulary)
        if not self._shown and not self._calls and not state.earlier_cards and not faces:
            self._show_none(state)
            return
        self.hide_placeholder()
        self._show_suggestions(faces)
        self._show_cards()
        self._show_calls()
        known = ("belief", "plan_rows", "phase", "ended")
        if self._focused_view is not None and any(getattr(state, k) is not getattr(before, k) for k in known):
            self._focused_view.refresh_preview()
            self._share_room()

    def _show_none(self, state: EpisodeState) -> None:
        """Show a placeholder before the first question, or in a turn without questions."""
        words = self.NONE if state.turn and state.phase not in BEFORE else self.EMPTY
        if not self.has_placeholder or (state.started is not None and words != self._said):
            self._said = words
            self.show_placeholder(*words)
            self.header.note.set_note("")

    def _show_suggestions(self, faces: tuple[SuggestionFace, ...]) -> None:
        """Show what was told and suggested in this turn; what waits for a person comes into view."""
        while len(self.suggestion_cards) < len(faces):
            self.suggestion_cards.append(SuggestionCard())
            self._suggestion_list.addWidget(self.suggestion_cards[-1])
        for card, face in zip(self.suggestion_cards, faces, strict=False):
            fresh = face.waiting and (card.face is None or not card.face.waiting)
            card.show_face(face)
            card.show()
            if fresh:
                self._area.verticalScrollBar().setValue(0)
        for card in self.suggestion_cards[len(faces) :]:
            card.hide()

    def _show_cards(self) -> None:
        state = self._state
        cards = sorted(self._shown, key=lambda card: not suspicious(card))  # doubts on top
        fresh = [c.number for c in cards] != self._current.numbers
        held = self._focused_view.card if self._focused_view is not None else None
        current = bool(state.frame and cards and cards[0].frame == state.frame.id)
        picture = still(state.frame) if current else None
        self._current.show_cards([self._face(card, picture) for card in cards])
        self._show_earlier()
        if fresh:
            self._focus_first(held)
        self._focus_cause()
        self._show_gaze()
        self._share_room()
        self._filter()
        self._show_note()

    def _show_earlier(self) -> None:
        """Show the cards of earlier turns anew, if they or what rests on them have changed."""
        state = self._state
        key = state.earlier_cards, state.belief.entries, state.is_running
        if self._earlier_key and all(a is b for a, b in zip(key, self._earlier_key, strict=True)):
            return
        self._earlier_key = key
        self._earlier_head.setVisible(bool(state.earlier_cards))
        self._earlier.show_cards([self._face(c, kept_still(c.frame)) for c in state.earlier_cards])

    def _face(
        self, card: QuestionCard, picture: QImage | None
    ) -> tuple[QuestionCard, CardViewModel, QImage | None]:
        boxes = self._boxes.get(card.frame, ()) if picture is not None else ()
        box, draft = box_of(boxes, card.query.atom.args), self._draft.verdicts.get(card.query.atom)
        draft = draft if card.pending else None
        face = card_view_model(card, self._state, draft, box, WHY[card.query.purpose])
        return card, face, picture

    def _show_calls(self) -> None:
        while len(self._call_views) < len(self._calls):
            view = ConsultedView()
            self._calls_list.addWidget(view)
            self._call_views.append(view)
        for view, call in zip(self._call_views, self._calls, strict=False):
            view.show_call(call)
        for view in self._call_views[len(self._calls) :]:  # kept for the next turn
            view.hide()
        self._filter()

    def _show_note(self) -> None:
        cards, state = self._shown, self._state
        answered = sum(c.model is not None for c in cards)
        asked = plural(len(cards), "question") if cards else ""
        others = f"{plural(len(self._calls), 'call')} of the method" if self._calls else ""
        none = "" if state.phase in BEFORE else "nothing asked"
        said = ", ".join(filter(None, (asked, others))) or none
        note = f"turn {state.turn} · {said}" if said else f"turn {state.turn}"
        waiting = len(pending_cards(state))
        doubts = sum(map(suspicious, cards))
        if waiting:
            note = f"{waiting} to answer"
        elif answered < len(cards):
            note += " · waiting"
        self.header.note.set_note(note, "doubt" if waiting and doubts else "")
        self._only.rename(f"in doubt {doubts}")
        if cards:
            last = cards[-1]
            took = duration(last.seconds) if last.seconds else ""
            self._footer.show_text(
                last.raw_reply or last.error, " · ".join(filter(None, (took, money(last.cost))))
            )
        elif self._calls:
            self._footer.show_text(self._calls[-1].event.raw_reply, figures(self._calls[-1].event))
        else:
            self._footer.show_text("", "")

    def _connect_view(self, view: CardView) -> None:
        view.effect_preview = self._preview
        view.judged.connect(self._judged)
        view.entered.connect(self._focus_view)
        view.left.connect(self.select_relative)

    @property
    def _shown_views(self) -> list[CardView]:
        return self._current.views + self._earlier.views

    @property
    def calls(self) -> tuple[ConsultedView, ...]:
        """Return the shown cards of the method's own model calls."""
        return tuple(self._call_views[: len(self._calls)])

    def _filter(self) -> None:
        for view in self._shown_views:
            if view.card is not None:
                view.setVisible(not self._only.isChecked() or suspicious(view.card))
        for call in self.calls:
            call.setVisible(not self._only.isChecked() or call.failed)

    # --- judging -----------------------------------------------------------------------------------------

    def judge(self, verdict: Verdict) -> None:
        """Draft a verdict about the focused question's text, then focus the next card.

        A question that has only just got the focus is left alone: the key was meant for the one before it.
        """
        view = self._focused_view
        if view is None or view.card is None:
            return
        if view.card.pending or time.monotonic() - self._focused_since > READ:
            self._judged(view, verdict)

    def _judged(self, view: CardView, verdict: Verdict) -> None:
        card = view.card
        if card is None or card.model is None or not self._state.is_running:
            return
        self._focus_view(view)
        about = card.query.atom_verdict(verdict)
        if card.pending:
            self._draft.set(card.query.atom, about)
            self._show_draft()
            self._go_on()
        elif not self._is_correctable(card):
            self.header.note.set_note("this answer no longer counts", "doubt")
        elif about is not Verdict.UNKNOWN:
            self.corrected.emit((operator_answer(card, about, self.by, turn=self._state.turn),))

    def _is_correctable(self, card: QuestionCard) -> bool:
        """Return True if an answer to this question would change what is believed because of it."""
        return card.turn == self._state.turn or card.counts_in(self._state.belief)

    def _go_on(self) -> None:
        """Light the next question that a person must answer; with the last one, all answers count."""
        numbers = {c.number for c in to_judge(pending_cards(self._state)) if c.query.atom not in self.draft}
        left = [v for v in self._current.views if v.card and v.card.number in numbers]
        if left:
            self._focus_view(left[0])
        else:
            self.answered.emit()

    @property
    def focused_question(self) -> FocusedQuestion | None:
        """Return the question that the keys answer."""
        return self._focused_view.focused_question if self._focused_view is not None else None

    @property
    def focused_card(self) -> QuestionCard | None:
        """Return the focused question's card."""
        return self._focused_view.card if self._focused_view is not None else None

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

    @property
    def drafts(self) -> int:
        return len(self._draft.verdicts)

    def answers(self) -> tuple[Answer, ...]:
        """Return the answers that count if submitted now, in the order of the queries."""
        return self._draft.answers(pending_cards(self._state), self.by)

    def _preview(self, view: CardView) -> str:
        """Return what the other answer would change."""
        card = view.card
        if card is None or card.model is None or self.effect_preview is None or not self._state.is_running:
            return ""
        if not self._is_correctable(card):
            return ""
        said = card.model.verdict
        other = said.opposite if said is not Verdict.UNKNOWN else card.query.expected
        if other is Verdict.UNKNOWN:
            return ""
        mine = operator_answer(card, other, self.by)
        others = tuple(a for a in self.answers() if a.atom != mine.atom)
        effect = self.effect_preview((*others, mine))
        key = {Verdict.YES: "Y", Verdict.NO: "N"}[card.query.text_verdict(other)]
        return f"{key}: {effect}" if effect else ""

    def highlight(self, answer: Answer) -> None:
        """Focus the card of this answer, if it is still there."""
        for view in self._shown_views:
            card = view.card
            if card is not None and (card.query.atom, card.turn) == (answer.atom, answer.turn):
                self._focus_view(view)

    def if_answered(self, verdict: Verdict) -> tuple[Answer, ...]:
        """Return what would count if the focused question were answered so; () if it cannot be."""
        card = self.focused_card
        if card is None or card.model is None or not self._state.is_running or not self._is_correctable(card):
            return ()
        mine = operator_answer(card, card.query.atom_verdict(verdict), self.by, turn=self._state.turn)
        return (*(a for a in self.answers() if a.atom != mine.atom), mine)

    # --- the focus ---------------------------------------------------------------------------------------

    def _focus_view(self, view: CardView) -> None:
        if self._focused_view is not None and self._focused_view is not view:
            self._focused_view.set_focused(False)
        if self._focused_view is not view:
            self._focused_view = view
            self.lit_changed.emit()
        view.set_focused(True)
        self._show_gaze()
        self._share_room()
        self._area.ensureWidgetVisible(view, 0, 0)

    def _show_gaze(self) -> None:
        """Show on the focused card where the eye looked, if a person wants to see it."""
        for view in self._shown_views:
            found: QImage | str = ""
            if self.gaze.isChecked() and view is self._focused_view and view.card and view.card.model:
                card, model = view.card, view.card.model
                found = self._heat_maps.of(model.by, card.frame, view.image, card.query.atom)
            view.show_gaze(found)

    def _focus_first(self, held: QuestionCard | None) -> None:
        """Focus the first doubtful card, or the first.

        The doubtful card `held` keeps the focus while it counts, or if it has only just got it and nothing
        waits for the person: the key that they are about to press is meant for it.
        """
        if not (views := self._shown_views):
            return
        doubted = [v for v in views if v.card and suspicious(v.card) and v.card.pending]
        if not doubted and held is not None and suspicious(held) and self._is_held(held):
            doubted = [v for v in views if v.card and v.card.number == held.number and not v.card.overridden]
        before = held.number if held is not None else None
        view = next(iter(doubted), views[0])
        if view.card is not None and view.card.number != before:
            self._focused_since = time.monotonic()
        self._focus_view(view)
        if self._current.views and view not in self._current.views:
            self._area.ensureWidgetVisible(self._current.views[0], 0, 0)  # what is new is seen first

    def _is_held(self, card: QuestionCard) -> bool:
        return card.counts_in(self._state.belief) or time.monotonic() - self._focused_since < HOLD

    def _focus_cause(self) -> None:
        """Focus, once, the card of the answer because of which a new plan is offered."""
        change, card = self._state.offered_change, offer_card(self._state)
        if change is self._offered or (change is not None and card is None and not self._shown):
            return
        self._offered = change
        for view in self._shown_views:
            if card is not None and view.card is not None and view.card.number == card.number:
                self._focus_view(view)

    def _share_room(self) -> None:
        """Give the picture of the focused card the height that the other cards of this turn leave."""
        current = self._current.views
        others = [v.minimumHeight() for v in current if v is not self._focused_view]
        others += [call.sizeHint().height() for call in self.calls]
        others += [c.sizeHint().height() for c in self.suggestion_cards if not c.isHidden()]
        left = self._area.viewport().height() - sum(others)
        for view in self._shown_views:
            view.set_room(left if view is self._focused_view and view in current else 0)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._share_room()

    def enter(self) -> None:
        if self._focused_view is not None:
            self._focused_view.setFocus()

    def select_relative(self, by: int) -> None:
        shown = [v for v in self._shown_views if v.isVisibleTo(self._area)]
        if shown:
            at = shown.index(self._focused_view) if self._focused_view in shown else -1
            self._focus_view(shown[max(0, min(len(shown) - 1, at + by))])
            if self._focused_view is not None and self.isAncestorOf(self.focusWidget() or self):
                self._focused_view.setFocus()

    def focus_search(self) -> None:
        self._only.toggle()
