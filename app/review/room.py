"""Review: the log's episodes over the window's panels. The top bar stays, and its stop works."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QEvent, QObject, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QStackedWidget, QWidget

from app.parts.badge import Badge, Segments
from app.parts.button import Button, Tool
from app.parts.layout import Rule, Surface, column, label, row
from app.parts.tip import set_tooltip
from app.review.bar import ReplayBar
from app.review.compare import Compare
from app.review.deeds import Deeds
from app.review.forking import Forking
from app.review.library import Desktop, Library, Progress
from app.review.many import Many, import_charts
from app.review.opened import Opened, open_episode
from app.review.queue import Queue
from app.review.replay import Replay
from app.review.shelving import Shelving
from app.theme import tokens as t
from app.widgets.episodes import PAGE, EpisodesPanel
from app.window import Window
from core.belief import Verdict
from core.episode_state import TimelineMark
from core.log.labels import AnswerLabel, labels
from core.log.labels import add_label as put_label
from core.review import catalog
from core.review.replay import RecordedQuestion

LIST = 316
PAGES = ("Replay", "Compare", "Charts")


def _nothing(_: None) -> None:
    """Nothing is shown of it."""


class Review(Surface):
    """Screen's thread only. `toggle` opens and closes it; the log is opened when it is first shown."""

    shown = Signal(bool)

    def __init__(self, window: Window, path: Path, by: str) -> None:
        super().__init__("surface")
        self.setParent(window)
        self.window_, self.by = window, by
        self.library = Library(path)
        self.library.failed.connect(self.say_fault)
        self.library.worked.connect(self._worked)
        self.list, self.replay, self.compare = EpisodesPanel(), Replay(by), Compare()
        self.bar = ReplayBar()
        self.shelving, self.forking, self.many = Shelving(self), Forking(self), Many(self)
        self.queue = Queue(self)
        self.deeds = Deeds(self)
        self.forked = self.forking.forked
        self._build()
        self._listen()
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAccessibleName("Review of the log")
        self.hide()
        window.installEventFilter(self)

    def _build(self) -> None:
        badge = Badge()
        badge.show_as("clock", "REVIEW, read only")
        self._title = label("", "small", "muted")
        self._busy, self._cancel = label("", "small", "muted"), Tool("close", "Cancel")
        self._cancel.hide()
        self._pages = Segments(PAGES, 0, "Page")
        close = Button("Back to live", "undo", "Ctrl+L", "quiet", t.H_CONTROL)
        close.clicked.connect(self.toggle)
        self._cancel.clicked.connect(self._cancelled)
        head = Surface("surface", "b")
        head.setFixedHeight(44)
        line = row(badge, self._title, 1, self._busy, self._cancel, self._pages, close, spacing=t.S)
        line.setContentsMargins(t.M, 0, t.S, 1)
        head.setLayout(line)
        left = Surface()
        left.setFixedWidth(LIST)
        left.setLayout(column(self.list.header, self.list))
        self._stack = QStackedWidget()
        for page in (self.replay, self.compare):
            self._stack.addWidget(page)
        below = Surface()
        below.setLayout(column(Rule(), self.bar.header, self.bar))
        below.setFixedHeight(156)
        self._below = below
        body = row(left, Rule(vertical=True), self._stack, spacing=0)
        body.setStretch(2, 1)
        whole = column(head, body, below)
        whole.setStretch(1, 1)
        self.setLayout(whole)

    def _listen(self) -> None:
        e, b, player = self.list, self.bar, self.replay.player
        e.searched.connect(self.refresh)
        e.wanted.connect(self._page)
        e.selected.connect(self._selected)
        e.opened.connect(self.open)
        e.compare.clicked.connect(self.many.compare_selected)
        e.charts.clicked.connect(self.show_charts)
        e.more.clicked.connect(self.shelving.open_menu)
        self._pages.changed.connect(self._turned)
        self.compare.opened.connect(self._open_at)
        player.moved.connect(self._moved)
        player.turned.connect(self._played)
        b.play.connect(player.toggle)
        b.stepped.connect(player.step)
        b.hurried.connect(player.hurry)
        b.jumped.connect(self.jump)
        b.sought.connect(player.seek)
        b.picked.connect(self._picked)
        b.forked.connect(self.forking.open_menu)
        b.marked.connect(self.shelving.note_here)
        self.replay.labelled.connect(self._labelled)

    # --- open and closed ---------------------------------------------------------------------------------

    def toggle(self) -> None:
        on = self.isHidden()
        self.setVisible(on)
        if on:
            self._place()
            self.raise_()
            self.window_.covered_by(self)
            self.list.enter()
            self.refresh()
            self.library.ask(import_charts, _nothing)
        else:
            self.replay.player.pause()
            self.window_.covered_by(None)
            self.window_.setFocus()
        self.shown.emit(on)

    def close_log(self) -> bool:
        """Deletions become good. Returns whether nothing is left behind."""
        self.replay.player.pause()
        return self.library.close()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if watched is self.window_ and event.type() is QEvent.Type.Resize:
            self._place()
        return False

    def _place(self) -> None:
        w, h = self.window_.width(), self.window_.height()
        self.setGeometry(0, t.H_TOP, w, h - t.H_TOP - t.H_STATUS)

    # --- the list ----------------------------------------------------------------------------------------

    def refresh(self) -> None:
        """The list anew, and what it adds up to."""
        which = self.list.which
        self.library.ask(lambda d, _: d.store.count(which), self.list.show_total, key="count")
        self._statistics()
        if self._stack.currentWidget() is self.many.charts:
            self.many.draw()

    def _page(self, page: int) -> None:
        e = self.list
        which, order, down = e.which, e.order, e.descending

        def read(d: Desktop, _: Progress) -> tuple[catalog.EpisodeListEntry, ...]:
            return catalog.page(d.store, which, order, down, PAGE, page * PAGE)

        self.library.ask(read, lambda entries: e.put(page, entries), key=f"page {page}")

    def _selected(self) -> None:
        self.list.compare.setEnabled(len(self.list.ids) == 2)
        self._statistics()

    def _statistics(self) -> None:
        which = self.list.which
        ids = () if self.list.all_selected or len(self.list.ids) < 2 else self.list.ids
        self.library.ask(
            lambda d, _: catalog.statistics(d.store, which, ids),
            lambda found: self.list.show_statistics(found, bool(ids)),
            key="statistics",
        )

    # --- an episode --------------------------------------------------------------------------------------

    def open(self, episode: str, number: int | None = None) -> None:
        self.library.ask(
            lambda d, progress: open_episode(d, episode, progress),
            lambda opened: self.show_opened(opened, number),
            "Opening the episode",
            "open",
        )

    def _open_at(self, episode: str, index: int) -> None:
        self.library.ask(
            lambda d, progress: open_episode(d, episode, progress),
            lambda opened: self._show_at(opened, index),
            "Opening the episode",
            "open",
        )

    def _show_at(self, opened: Opened, index: int) -> None:
        self.show_opened(opened, None)
        self.replay.player.go(index)

    def show_opened(self, opened: Opened, number: int | None) -> None:
        self._pages.choose(0)
        self.bar.speak(opened.naming)
        self.bar.show_tape(opened.tape.seconds, opened.tape.final_state.marks)
        self.replay.show_episode(opened, number)
        s = opened.summary
        child = f" · fork of {s.parent}" if s.parent else ""
        self.say(f"{s.task.replace('_', ' ')} · {s.robot}, {s.answerer}, seed {s.seed}{child} · {s.episode}")

    def _moved(self) -> None:
        player, blind = self.replay.player, self.replay.blind
        hidden = f"hidden until you answer Q{self.replay._at + 1}" if blind and player.limit else ""
        self.bar.hide_later(hidden)
        self.bar.display(player.story)

    def _played(self) -> None:
        self.bar.show_play(self.replay.player.playing, self.replay.player.speed)

    def _picked(self, mark: TimelineMark) -> None:
        self.replay.player.pause()
        self.replay.player.go(self.replay.player.tape.index_of_record(mark.record))

    @property
    def replaying(self) -> bool:
        """Whether the page of one episode is shown."""
        return self._stack.currentWidget() is self.replay

    def jump(self, kind: str, back: bool = False) -> None:
        if not self.replay.player.jump((kind,), back):
            self.bar.header.note.say(f"no {kind} {'before' if back else 'after'} this")

    def _labelled(self, question: RecordedQuestion, verdict: Verdict, blind: bool) -> None:
        if self.replay.opened is None:
            return
        episode = self.replay.opened.summary.episode

        def work(d: Desktop, _: Progress) -> tuple[AnswerLabel, ...]:
            put_label(d.store, episode, question.number, question.place, verdict, self.by, blind)
            return labels(d.store, episode)

        self.library.ask(work, self.replay.show_labels)

    # --- pages -------------------------------------------------------------------------------------------

    def turn_page(self, page: int) -> None:
        self._pages.choose(page)

    def add_page(self, page: QWidget) -> None:
        self._stack.addWidget(page)

    def show_charts(self) -> None:
        self._pages.choose(2)

    def _turned(self, page: int) -> None:
        self.replay.player.pause()
        if page == 2:
            self.say("Of all episodes that the list shows")
            self.many.show_charts()
        self._stack.setCurrentIndex(page)
        self._below.setVisible(page == 0)

    # --- saying ------------------------------------------------------------------------------------------

    def say(self, words: str) -> None:
        self._title.setText(words)

    def say_fault(self, why: str) -> None:
        self._title.setText(why)
        set_tooltip(self._title, why)

    def _worked(self, what: str, done: int, of: int) -> None:
        self._cancel.setVisible(bool(what))
        self._busy.setText(f"{what} {done} of {of}" if of else f"{what} {done}" if done else what)

    def _cancelled(self) -> None:
        self.library.cancel()

    # --- keys --------------------------------------------------------------------------------------------

    def event(self, event: QEvent) -> bool:
        """With the focus here no key reaches the live episode, but Esc (the stop) and those with Ctrl."""
        if isinstance(event, QKeyEvent) and event.type() is QEvent.Type.ShortcutOverride:
            free = Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.AltModifier
            if event.key() != Qt.Key.Key_Escape and not event.modifiers() & free:
                event.accept()
                return True
        return bool(super().event(event))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if not self.key(event.key(), event.modifiers()):
            super().keyPressEvent(event)

    def key(self, key: int, modifiers: Qt.KeyboardModifier) -> bool:
        """Whether the key does something here."""
        return self.deeds.do(key, modifiers)
