"""The replay page: the panels at one moment of a logged episode, and the review card."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtGui import QImage, QResizeEvent
from PySide6.QtWidgets import QWidget

from app.controls.badge import Chip
from app.controls.button import Button
from app.controls.layout import Separator, Surface, column, row
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
from app.widgets.panel import EmptyState, Panel
from app.widgets.plan.plan_panel import PlanPanel
from app.widgets.questions.card_view import CardView
from app.widgets.questions.question_panel import QuestionPanel
from core.belief import Verdict
from core.episode_state import EpisodeState
from core.log.labels import AnswerLabel
from core.review.replay import RecordedQuestion
from core.review.review_queue import shuffled

LOW = 450  # px below which there is room for the reviewer's card alone
HIDDEN = (
    *("lock", "Judge the picture, not the model's answer"),
    "List, belief, plan and timeline are hidden during blind review, and the order is shuffled.",
)


class ReplayQuestions(QuestionPanel):
    """The same cards as live, without the picture that the camera panel shows; a verdict becomes a label and
    changes nothing that happened.
    """

    PICTURED = False
    labelled = Signal(int, object)  # the question's number, Verdict about its text

    def _judged(self, view: CardView, verdict: Verdict) -> None:
        if view.card is not None:
            self._focus.focus(view)
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


class ShrinkableArea(QWidget):
    """Takes the height that the reviewer's card leaves, whatever the panels inside would need."""

    def __init__(self) -> None:
        super().__init__()
        self.setMinimumHeight(1)

    def hasHeightForWidth(self) -> bool:
        return False


class ReplayPage(Surface):
    labelled = Signal(object, object, bool)  # Question, Verdict of the atom, blind
    blind_changed = Signal(bool)
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
        self._queued: tuple[int, ...] = ()  # questions that a blind review asks here, shuffled
        self._queue = (0, 0)  # how many of the review came before them, of how many
        self.belief.undo.hide()
        self.camera.video.toggled.connect(self._on_video_toggled)
        self.questions.labelled.connect(self._card_labelled)
        self.review.card.judged.connect(self.judge)
        self.review.blind.toggled.connect(self._on_blind_toggled)
        self._believed, self._covered = self._with_head(self.belief), EmptyState()
        self._covered.show_as(*HIDDEN)
        self._covered.hide()
        middle = column((self._with_head(self.camera), 1), Separator(), (self._believed, 1))
        left, right = (self._with_head(panel) for panel in (self.questions, self.plan))
        self._below = ShrinkableArea()
        self._below.setLayout(row((left, 1), Separator(vertical=True), (right, 1), spacing=0))
        side = column(self._with_head(self.review), Separator(), (self._below, 1), (self._covered, 1), 0)
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
        self._show_parts()

    def _show_parts(self) -> None:
        """Show what there is room for, and in a blind review only the picture and the card."""
        below = self._covered if self.blind else self._below
        for part in (self._below, self._covered):  # without room the card's own buttons would be cut off
            part.setVisible(part is below and self.height() >= LOW)
        self._believed.setVisible(not self.blind)

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
        """Show the episode just after record `number`, else at its first contradiction or failed step, else
        at its end.
        """
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
        self.player.load(opened.replay)
        if number is not None:
            self.player.go(opened.replay.index_of_record(number))
        elif trouble := opened.replay.first_trouble:
            self.player.go(trouble.index)

    def show_queued(self, keys: tuple[AnswerKey, ...], before: int, of: int) -> None:
        """Ask these questions of the shown episode, blind."""
        place = {answer_key(q): i for i, q in enumerate(self._questions)}
        self._queued = tuple(place[key] for key in keys if key in place)
        self._queue = before, of
        if not self._queued:
            self.queue_finished.emit()
            return
        self.question_index = self._queued[0]
        self.review.blind.setChecked(True)
        self._go_to_question()

    @property
    def _questions(self) -> tuple[RecordedQuestion, ...]:
        """Those asked, then those that a blind review alone asks."""
        return self.opened.replay.questions + self.opened.replay.unasked if self.opened else ()

    def show_labels(self, labels: tuple[AnswerLabel, ...]) -> None:
        self._labels = latest_labels(labels)
        self._show_card()

    def refresh(self) -> None:
        """Show the playhead's moment in every panel."""
        if self.opened is None:
            return
        if self.blind:
            self._show_card()
            return
        state = with_pixels(self.player.state, self.opened)
        for panel in self.panels:
            panel.display(state)
        self.belief.header.note.set_note("the belief at this moment")
        if not self.camera.showing_video:
            self.camera.header.note.set_note(f"{clock(state.now)} · in step with the timeline")
        if self._following:
            self._follow(state)
        self._show_card()

    def picture_at(self, seconds: float) -> QImage | None:
        """Return the still of this moment, None in a blind review."""
        if self.opened is None or self.blind:
            return None
        replay = self.opened.replay
        return still(with_pixels(replay.state_at(replay.index_at(seconds)), self.opened).frame)

    def _follow(self, state: EpisodeState) -> None:
        """Show the latest question asked so far on the card."""
        questions = self.opened.replay.questions if self.opened else ()
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
        questions = self._questions
        return questions[self.question_index] if 0 <= self.question_index < len(questions) else None

    def _show_card(self) -> None:
        if self.opened is None:
            return
        question, replay = self.question, self.opened.replay
        if question is None:
            self.review.card.show_question(None, None, None, None)
            self.review.header.note.set_note("no question was asked up to this moment")
            return
        mine = self._labels.get(answer_key(question), {})
        hidden = self.blind and self.by not in mine
        state = with_pixels(replay.state_at(question.index), self.opened)
        image = still(state.frame) if state.frame and state.frame.id == question.frame else None
        # The robot has a box of what it sees: that there is one, or where, would tell the answer.
        box = box_of(state.boxes, question.query.atom.args) if image is not None and not hidden else None
        words = agreement(replay.questions, self._labels, self.by) if not hidden else ""
        unasked = question.model.is_unasked
        words = words or (
            "nobody asked this: for the data set" if unasked else "your answers calibrate the model"
        )
        if self.question_index in self._queued:
            self.camera.show_picture_only(state)
            before, of = self._queue
            place = before + self._queued.index(self.question_index)
            done, back = frozenset(range(place)), place > before
            head, progress = "Blind review", ReviewProgress(place, of, done, words, back)
        else:
            place, of = self.question_index, len(replay.questions)
            done = frozenset(i for i, q in enumerate(replay.questions) if self._is_mine(q))
            back = bool(self._label_order)
            head, progress = "Question", ReviewProgress(place, of, done, words, back)
        self.review.card.show_question(
            question_view(place + 1, question, mine, hidden, f"{head}  ·  {place + 1} of {of}"),
            progress,
            image,
            box,
        )
        note = "model and operator are hidden" if hidden else "your answers are kept apart from what happened"
        self.review.header.note.set_note(note)

    def step_question(self, by: int) -> None:
        """Go to another question; in a blind review the episode goes to where it was asked."""
        if self.opened is None or not self.opened.replay.questions:
            return
        if self.question_index in self._queued:
            place = self._queued.index(self.question_index) + by
            if place >= len(self._queued):
                self.queue_finished.emit()
            else:
                self.question_index = self._queued[max(0, place)]
                self._go_to_question()
            return
        self.question_index = max(0, min(self.question_index + by, len(self.opened.replay.questions) - 1))
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
        if self.blind and self._is_mine(question):
            self.review.header.note.set_note("your blind answer stays: you have seen the model's", "doubt")
            return
        self._label_order.append(answer_key(question))
        self.labelled.emit(
            question, question.query.atom_verdict(verdict), self.blind and not self._is_mine(question)
        )

    def _is_mine(self, question: RecordedQuestion) -> bool:
        """Return True if this reviewer has labelled it."""
        return self.by in self._labels.get(answer_key(question), {})

    def answered(self) -> None:
        """Show the label that is now in the log; in a blind review, Enter or J goes to the next question."""
        self._show_card()

    def undo_label(self) -> None:
        """Go back to the question labelled last, to label it again, the last label counts; in a queue to
        the question before.
        """
        if self.question_index in self._queued:
            self.step_question(-1)
            return
        if self.opened is None or not self._label_order:
            return
        last = self._label_order.pop()
        places = [i for i, q in enumerate(self._questions) if answer_key(q) == last]
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
            if not self._queued:
                self._queue_all()
            self.question_index = self._queued[0] if self._queued else -1
            self._go_to_question()
        else:
            self.player.limit, self._queued = None, ()
            self.player.go(self.player.index)
        self._show_parts()
        self.blind_changed.emit(self.blind)

    def _queue_all(self) -> None:
        """Ask what this reviewer has not labelled yet in the shown episode, or all of it again; first what
        was asked then.
        """
        assert self.opened is not None
        places = range(len(self._questions))
        fresh = [i for i in places if not self._is_mine(self._questions[i])]
        order = shuffled(fresh or places, f"{self.by} {self.opened.summary.episode}")
        self._queued = tuple(sorted(order, key=lambda i: self._questions[i].model.is_unasked))
        self._queue = 0, len(self._queued)
