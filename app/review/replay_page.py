"""The replay page: the panels at one moment of a logged episode, and the review card."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtGui import QResizeEvent

from app.controls.badge import Chip
from app.controls.button import Button
from app.controls.layout import Separator, Surface, column, row, wrap_layout
from app.presentation.formatting import clock
from app.review.loaded_episode import LoadedEpisode, with_pixels
from app.review.player import Player
from app.review.question_view import (
    AnswerKey,
    ReviewProgress,
    agreement,
    answer_key,
    latest_labels,
    question_view,
)
from app.review.replay_camera import ReplayCamera
from app.review.review_card import ReviewCard
from app.widgets.belief.belief_panel import BeliefPanel
from app.widgets.camera.frame_images import box_of, still
from app.widgets.panel import Panel
from app.widgets.plan.plan_panel import PlanPanel
from app.widgets.questions.card_view import CardView
from app.widgets.questions.question_panel import QuestionPanel
from core.belief import Verdict
from core.episode_state import EpisodeState
from core.log.labels import AnswerLabel
from core.review.replay import RecordedQuestion

LOW = 450  # px below which there is room for the reviewer's card alone
HIDDEN = ("lock", "Hidden until you answer", "Judge the picture, not the model's answer.")


class ReplayQuestions(QuestionPanel):
    """The same cards as live; a verdict becomes a label and changes nothing that happened."""

    labelled = Signal(int, object)  # the question's number, Verdict about its text

    def _judged(self, view: CardView, verdict: Verdict) -> None:
        if view.card is not None:
            self._focus_view(view)
            self.labelled.emit(view.card.number, verdict)


class ReviewPanel(Panel):
    """The review card of one question, blind or not."""

    def __init__(self) -> None:
        self.blind, self.all = Chip("Blind review"), Button("All in the list", "lock", "Q", "quiet", 24)
        self.all.setToolTip("Blind review of every question that you have not answered, in the list (Q)")
        super().__init__("Review", self.all, self.blind)
        self.card = ReviewCard()
        self.set_body(self.card)

    def display(self, state: EpisodeState) -> None:
        """Do nothing: the card follows the question, not the state."""


class ReplayPage(Surface):
    labelled = Signal(object, object, bool)  # Question, Verdict of the atom, blind
    queue_finished = Signal()  # the last question of the queue in this episode is left

    def __init__(self, by: str) -> None:
        super().__init__()
        self.by = by
        self.player = Player(self)
        self.player.moved.connect(self.refresh)
        self.camera, self.belief, self.questions = ReplayCamera(), BeliefPanel(), ReplayQuestions()
        self.plan, self.review = PlanPanel(), ReviewPanel()
        self.opened: LoadedEpisode | None = None
        self.question_index = 0  # the question on the card
        self._following = True  # the card goes with the playhead
        self._labels: dict[AnswerKey, dict[str, AnswerLabel]] = {}
        self._label_order: list[AnswerKey] = []  # what was labelled here, the last one last
        self._queued: tuple[int, ...] = ()  # questions that a queue over many episodes asks here
        self._queue = (0, 0)  # how many of the queue came before them, of how many
        self.belief.undo.hide()
        self.questions.reask.hide()
        self.camera.video.toggled.connect(self._on_video_toggled)
        self.questions.labelled.connect(self._card_labelled)
        self.review.card.judged.connect(self.judge)
        self.review.blind.toggled.connect(self._on_blind_toggled)
        middle = column((self._with_head(self.camera), 1), Separator(), (self._with_head(self.belief), 1))
        left, right = (self._with_head(panel) for panel in (self.questions, self.plan))
        self._below = wrap_layout(row((left, 1), Separator(vertical=True), (right, 1), spacing=0))
        side = column(self._with_head(self.review), Separator(), (self._below, 1), 0)
        self.setLayout(row((middle, 38), Separator(vertical=True), (side, 62), spacing=0))
        self.show_nothing()

    def _with_head(self, panel: Panel) -> Surface:
        made = Surface()
        made.setLayout(column(panel.header, panel))
        if panel is self.review:
            panel.setFixedHeight(self.review.card.height())
        return made

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._below.setVisible(self.height() >= LOW)  # else the card's own buttons would be cut off

    @property
    def panels(self) -> tuple[Panel, ...]:
        return self.camera, self.belief, self.questions, self.plan

    @property
    def blind(self) -> bool:
        return self.review.blind.isChecked()

    # --- an episode --------------------------------------------------------------------------------------

    def show_nothing(self) -> None:
        self.review.show_placeholder(
            "page", "No episode is open", "Enter or a double click in the list opens one."
        )

    def show_episode(self, opened: LoadedEpisode, number: int | None = None) -> None:
        """Show the episode at its end, or just after record `number`."""
        self.opened = opened
        self.question_index, self._following, self._queued = 0, True, ()
        self._label_order.clear()
        self._labels = latest_labels(opened.labels)
        for panel in self.panels:
            panel.vocabulary = opened.vocabulary
        self.review.hide_placeholder()
        self.review.blind.blockSignals(True)
        self.review.blind.setChecked(False)
        self.review.blind.blockSignals(False)
        self.camera.video.setEnabled(True)
        self.camera.load(opened.clips)
        self.player.load(opened.tape)
        if number is not None:
            self.player.go(opened.tape.index_of_record(number))

    def show_queued(self, keys: tuple[AnswerKey, ...], before: int, of: int) -> None:
        """Ask these questions of the shown episode, blind."""
        questions = self.opened.tape.questions if self.opened else ()
        self._queued = tuple(i for i, q in enumerate(questions) if answer_key(q) in keys)
        self._queue = before, of
        if not self._queued:
            self.queue_finished.emit()
            return
        self.review.blind.setChecked(True)
        self.question_index = self._queued[0]
        self._go_to_question()

    def show_labels(self, labels: tuple[AnswerLabel, ...]) -> None:
        self._labels = latest_labels(labels)
        self._show_card()

    def refresh(self) -> None:
        """Show the playhead's moment in every panel."""
        if self.opened is None:
            return
        state = with_pixels(self.player.state, self.opened)
        for panel in self.panels:
            if self.blind and panel in (self.belief, self.questions):
                panel.show_placeholder(*HIDDEN)
                panel.header.note.set_note("")
            else:
                panel.display(state)
        if not self.blind:
            self.belief.header.note.set_note("the belief at this moment")
        if not self.camera.showing_video:
            self.camera.header.note.set_note(f"{clock(state.now)} · in step with the timeline")
        if self._following and not self.blind:
            self._follow(state)
        self._show_card()

    def _follow(self, state: EpisodeState) -> None:
        """Show the latest question asked so far on the card."""
        questions = self.opened.tape.questions if self.opened else ()
        asked = [i for i, q in enumerate(questions) if q.index < self.player.index]
        if asked:
            turn = questions[asked[-1]].turn
            same = [i for i in asked if questions[i].turn == turn]
            self.question_index = self.question_index if self.question_index in same else same[0]
        else:
            self.question_index = -1  # none yet: the next one is the first

    # --- one question ------------------------------------------------------------------------------------

    @property
    def question(self) -> RecordedQuestion | None:
        questions = self.opened.tape.questions if self.opened else ()
        return questions[self.question_index] if 0 <= self.question_index < len(questions) else None

    def _show_card(self) -> None:
        if self.opened is None:
            return
        question, tape = self.question, self.opened.tape
        if question is None:
            self.review.card.show_question(None, None, None, None)
            self.review.header.note.set_note("no question was asked up to this moment")
            return
        mine = self._labels.get(answer_key(question), {})
        hidden = self.blind and self.by not in mine
        of = len(tape.questions)
        head = f"{'Blind review' if self.blind else 'Question'}  ·  {self.question_index + 1} of {of}"
        state = with_pixels(tape.state_at(question.index), self.opened)
        image = still(state.frame) if state.frame and state.frame.id == question.frame else None
        box = box_of(state.boxes, question.query.atom.args) if image is not None else None
        done = frozenset(
            i for i, q in enumerate(tape.questions) if self.by in self._labels.get(answer_key(q), {})
        )
        words = agreement(tape.questions, self._labels, self.by)
        words = words or "your answers calibrate the model"
        progress = ReviewProgress(self.question_index, of, done, words)
        if self.question_index in self._queued:
            before, whole = self._queue
            place = before + self._queued.index(self.question_index)
            head = f"Blind review of the list  ·  {place + 1} of {whole}"
            progress = ReviewProgress(place, whole, frozenset(range(place)), words)
        self.review.card.show_question(
            question_view(self.question_index + 1, question, mine, hidden, head), progress, image, box
        )
        note = "model and operator are hidden" if hidden else "your answers are kept apart from what happened"
        self.review.header.note.set_note(note)

    def step_question(self, by: int) -> None:
        """Go to another question; in a blind review the episode goes to where it was asked."""
        if self.opened is None or not self.opened.tape.questions:
            return
        if self.question_index in self._queued:
            place = self._queued.index(self.question_index) + by
            if place >= len(self._queued):
                self.queue_finished.emit()
            else:
                self.question_index = self._queued[max(0, place)]
                self._go_to_question()
            return
        self.question_index = max(0, min(self.question_index + by, len(self.opened.tape.questions) - 1))
        self._go_to_question()

    def _go_to_question(self) -> None:
        question = self.question
        if question is None:
            return
        if self.blind:
            self.player.limit = question.index
            self.player.pause()
            self.player.go(question.index)
        else:
            self.player.limit = None
            self.player.go(question.index + 1)

    def judge(self, verdict: Verdict) -> None:
        """Label the question with a verdict about its text."""
        question = self.question
        if question is None:
            return
        self._label_order.append(answer_key(question))
        self.labelled.emit(question, question.query.atom_verdict(verdict), self._hidden(question))

    def _hidden(self, question: RecordedQuestion) -> bool:
        return self.blind and self.by not in self._labels.get(answer_key(question), {})

    def answered(self) -> None:
        """Show the label that is now in the log; in a blind review, Enter or J goes to the next question."""
        self._show_card()

    def undo_label(self) -> None:
        """Go back to the question labelled last, to label it again; the last label counts."""
        if self.opened is None or not self._label_order:
            return
        last = self._label_order.pop()
        places = [i for i, q in enumerate(self.opened.tape.questions) if answer_key(q) == last]
        if places:
            self.question_index = places[0]
            self._go_to_question()

    def _card_labelled(self, number: int, verdict: Verdict) -> None:
        self.question_index = max(0, number - 1)
        self._show_card()
        self.judge(verdict)

    def toggle_video(self) -> None:
        """Show or hide the video, if there is one and the still need not be judged as the model got it."""
        if self.opened is not None and self.opened.clips and not self.blind:
            self.camera.video.toggle()

    def _on_video_toggled(self, on: bool) -> None:
        if on and not self.player.playing:
            self.player.play()
        self.refresh()

    def _on_blind_toggled(self) -> None:
        if self.opened is None:
            return
        self.camera.video.setEnabled(not self.blind)
        if self.blind:
            fresh = (
                i
                for i, q in enumerate(self.opened.tape.questions)
                if self.by not in self._labels.get(answer_key(q), {})
            )
            self.question_index = next(fresh, 0)
            self._go_to_question()
        else:
            self.player.limit, self._queued = None, ()
            for panel in (self.belief, self.questions):
                panel.hide_placeholder()
            self.player.go(self.player.index)
