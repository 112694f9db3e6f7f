"""The replay page: one episode in the live panels, all of the same moment, and the reviewer's card."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QWidget

from app.parts.badge import Chip
from app.parts.button import Button
from app.parts.layout import Rule, Surface, column, holder, row
from app.pictures import box_of, still
from app.review.card import ReviewCard
from app.review.opened import Opened, pictured
from app.review.player import Player
from app.review.recorded import Recorded
from app.review.reviewing import Key, Progress, agreement, key, latest, seen
from app.widgets.belief import BeliefPanel
from app.widgets.card import CardView
from app.widgets.panel import Panel
from app.widgets.plan import PlanPanel
from app.widgets.questions import Questions
from app.words import clock
from core.belief import Verdict
from core.episode_state import EpisodeState
from core.log.labels import AnswerLabel
from core.review.replay import RecordedQuestion

LOW = 450  # px below which there is room for the reviewer's card alone
HIDDEN = ("lock", "Hidden until you answer", "You judge the picture, not what was made of it.")


class Asked(Questions):
    """The same cards as live; a verdict about one is a label, and changes nothing that happened."""

    labelled = Signal(int, object)  # the question's number, Verdict about its text

    def _judged(self, view: CardView, verdict: Verdict) -> None:
        if view.card is not None:
            self._light(view)
            self.labelled.emit(view.card.number, verdict)


class ReviewPanel(Panel):
    """The card of one question, blind or not."""

    def __init__(self) -> None:
        self.blind, self.all = Chip("Blind review"), Button("All in the list", "lock", "Q", "quiet", 24)
        self.all.setToolTip("Blind review of every question that you have not answered, in the list (Q)")
        super().__init__("Review", self.all, self.blind)
        self.card = ReviewCard()
        body = QWidget()
        body.setLayout(column(self.card))
        self.fill(body)

    def display(self, story: EpisodeState) -> None:
        """The card follows the question, not the story."""


class Replay(Surface):
    labelled = Signal(object, object, bool)  # Question, Verdict of the atom, blind
    drained = Signal()  # the last question of the queue in this episode is left

    def __init__(self, by: str) -> None:
        super().__init__()
        self.by = by
        self.player = Player(self)
        self.player.moved.connect(self.show_moment)
        self.camera, self.belief, self.questions = Recorded(), BeliefPanel(), Asked()
        self.plan, self.review = PlanPanel(), ReviewPanel()
        self.opened: Opened | None = None
        self._at = 0  # the question on the card
        self._following = True  # the card goes with the playhead
        self._labels: dict[Key, dict[str, AnswerLabel]] = {}
        self._order: list[Key] = []  # what was labelled here, the last one last
        self._queued: tuple[int, ...] = ()  # questions that a queue over many episodes asks here
        self._queue = (0, 0)  # how many of the queue came before them, of how many
        self.belief.undo.hide()
        self.questions.again.hide()
        self.camera.film.toggled.connect(self._filmed)
        self.questions.labelled.connect(self._card_labelled)
        self.review.card.judged.connect(self.judge)
        self.review.blind.toggled.connect(self._blinded)
        middle = column(self._with_head(self.camera), Rule(), self._with_head(self.belief))
        middle.setStretch(0, 1)
        middle.setStretch(2, 1)
        below = row(
            self._with_head(self.questions), Rule(vertical=True), self._with_head(self.plan), spacing=0
        )
        below.setStretch(0, 1)
        below.setStretch(2, 1)
        self._below = holder(below)
        right = column(self._with_head(self.review), Rule(), self._below)
        right.setStretch(2, 1)
        right.addStretch(0)  # takes what is left where that is hidden
        whole = row(middle, Rule(vertical=True), right, spacing=0)
        whole.setStretch(0, 38)
        whole.setStretch(2, 62)
        self.setLayout(whole)
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
        self.review.tell("page", "No episode is open", "Enter or a double click in the list opens one.")

    def show_episode(self, opened: Opened, number: int | None = None) -> None:
        """At its end, or right after the record of this number."""
        self.opened = opened
        self._at, self._following, self._queued = 0, True, ()
        self._order.clear()
        self._labels = latest(opened.labels)
        for panel in self.panels:
            panel.naming = opened.naming
        self.review.untell()
        self.review.blind.blockSignals(True)
        self.review.blind.setChecked(False)
        self.review.blind.blockSignals(False)
        self.camera.film.setEnabled(True)
        self.camera.load(opened.clips)
        self.player.load(opened.tape)
        if number is not None:
            self.player.go(opened.tape.index_of_record(number))

    def show_queued(self, keys: tuple[Key, ...], before: int, of: int) -> None:
        """Ask these questions of the episode that was just shown, blind."""
        questions = self.opened.tape.questions if self.opened else ()
        self._queued = tuple(i for i, q in enumerate(questions) if key(q) in keys)
        self._queue = before, of
        if not self._queued:
            self.drained.emit()
            return
        self.review.blind.setChecked(True)
        self._at = self._queued[0]
        self._go_to_question()

    def show_labels(self, labels: tuple[AnswerLabel, ...]) -> None:
        self._labels = latest(labels)
        self._show_card()

    def show_moment(self) -> None:
        """Every panel shows the playhead's moment."""
        if self.opened is None:
            return
        story = pictured(self.player.story, self.opened)
        if not story.cards:
            self.questions.forget()  # live, those of the last turn stay for a while; here the moment counts
        for panel in self.panels:
            if self.blind and panel in (self.belief, self.questions):
                panel.tell(*HIDDEN)
                panel.header.note.say("")
            else:
                panel.display(story)
        if not self.blind:
            self.belief.header.note.say("as it was believed then")
        if not self.camera.filming:
            self.camera.header.note.say(f"{clock(story.now)} · in step with the timeline")
        if self._following and not self.blind:
            self._follow(story)
        self._show_card()

    def _follow(self, story: EpisodeState) -> None:
        """The card shows the latest question asked by now."""
        questions = self.opened.tape.questions if self.opened else ()
        asked = [i for i, q in enumerate(questions) if q.index < self.player.index]
        if asked:
            turn = questions[asked[-1]].turn
            same = [i for i in asked if questions[i].turn == turn]
            self._at = self._at if self._at in same else same[0]
        else:
            self._at = -1  # none yet: the next one is the first

    # --- one question ------------------------------------------------------------------------------------

    @property
    def question(self) -> RecordedQuestion | None:
        questions = self.opened.tape.questions if self.opened else ()
        return questions[self._at] if 0 <= self._at < len(questions) else None

    def _show_card(self) -> None:
        if self.opened is None:
            return
        question, tape = self.question, self.opened.tape
        if question is None:
            self.review.card.show_question(None, None, None, None)
            self.review.header.note.say("no question was asked up to this moment")
            return
        mine = self._labels.get(key(question), {})
        hidden = self.blind and self.by not in mine
        of = len(tape.questions)
        head = f"{'Blind review' if self.blind else 'Question'}  ·  {self._at + 1} of {of}"
        story = pictured(tape.state_at(question.index), self.opened)
        image = still(story.frame) if story.frame and story.frame.id == question.frame else None
        box = box_of(story.boxes, question.query.atom.args) if image is not None else None
        done = frozenset(i for i, q in enumerate(tape.questions) if self.by in self._labels.get(key(q), {}))
        words = agreement(tape.questions, self._labels, self.by)
        words = words or "your answers calibrate the model"
        progress = Progress(self._at, of, done, words)
        if self._at in self._queued:
            before, whole = self._queue
            place = before + self._queued.index(self._at)
            head = f"Blind review of the list  ·  {place + 1} of {whole}"
            progress = Progress(place, whole, frozenset(range(place)), words)
        self.review.card.show_question(seen(self._at + 1, question, mine, hidden, head), progress, image, box)
        note = "model and operator are hidden" if hidden else "your answers are kept apart from what happened"
        self.review.header.note.say(note)

    def turn_to(self, by: int) -> None:
        """To another question; blind, the episode goes to where it was asked."""
        if self.opened is None or not self.opened.tape.questions:
            return
        if self._at in self._queued:
            place = self._queued.index(self._at) + by
            if place >= len(self._queued):
                self.drained.emit()
            else:
                self._at = self._queued[max(0, place)]
                self._go_to_question()
            return
        self._at = max(0, min(self._at + by, len(self.opened.tape.questions) - 1))
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
        """A reviewer's verdict about the question's text."""
        question = self.question
        if question is None:
            return
        self._order.append(key(question))
        self.labelled.emit(question, question.query.atom_verdict(verdict), self._hidden(question))

    def _hidden(self, question: RecordedQuestion) -> bool:
        return self.blind and self.by not in self._labels.get(key(question), {})

    def answered(self) -> None:
        """The label is in the log: blind, Enter or J goes on to the next; the card shows what was said."""
        self._show_card()

    def back(self) -> None:
        """To the question that was labelled last, to be labelled again; the last word counts."""
        if self.opened is None or not self._order:
            return
        last = self._order.pop()
        places = [i for i, q in enumerate(self.opened.tape.questions) if key(q) == last]
        if places:
            self._at = places[0]
            self._go_to_question()

    def _card_labelled(self, number: int, verdict: Verdict) -> None:
        self._at = max(0, number - 1)
        self._show_card()
        self.judge(verdict)

    def toggle_film(self) -> None:
        """Where there is one, and the picture need not be judged as the model got it."""
        if self.opened is not None and self.opened.clips and not self.blind:
            self.camera.film.toggle()

    def _filmed(self, on: bool) -> None:
        if on and not self.player.playing:
            self.player.play()
        self.show_moment()

    def _blinded(self) -> None:
        if self.opened is None:
            return
        self.camera.film.setEnabled(not self.blind)
        if self.blind:
            fresh = (
                i
                for i, q in enumerate(self.opened.tape.questions)
                if self.by not in self._labels.get(key(q), {})
            )
            self._at = next(fresh, 0)
            self._go_to_question()
        else:
            self.player.limit, self._queued = None, ()
            for panel in (self.belief, self.questions):
                panel.untell()
            self.player.go(self.player.index)
