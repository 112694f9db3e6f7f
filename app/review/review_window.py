"""The review of the log, over the window's panels; the top bar and its stop button stay usable."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

from PySide6.QtCore import QTimer, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QSizePolicy, QStackedWidget

from app.commands import Choice
from app.controls.badge import Badge, SegmentedControl
from app.controls.button import Button
from app.controls.layout import Separator, Surface, column, label, row
from app.controls.progress_line import ProgressLine
from app.controls.room import Room
from app.controls.tooltip import set_tooltip
from app.main_window import MainWindow
from app.presentation.formatting import spaced
from app.review.blind_queue import BlindReviewQueue
from app.review.compare_page import ComparePage
from app.review.counterfactual_line import CounterfactualLine
from app.review.episode_actions import EpisodeActions
from app.review.episode_list.episode_list_panel import PAGE, EpisodeListPanel
from app.review.fork_controller import ForkController
from app.review.keys import PLAY, REVIEW, opened, press
from app.review.loaded_episode import LoadedEpisode, fork_text, open_episode, with_pixels
from app.review.log_worker import LogHandles, LogWorker, Progress
from app.review.past_lookup import PastLookup
from app.review.replay_bar import ReplayBar
from app.review.replay_page import ReplayPage
from app.theme import tokens as t
from core.belief import Verdict
from core.config import ComponentFactory, Settings
from core.events import ModelConsulted
from core.log.labels import AnswerLabel, add_label, labels
from core.review import catalog
from core.review.groups import facet_values, groups
from core.review.replay import RecordedQuestion

LIST = 316
LOOK = 5000  # ms between two looks for new episodes
REPLAY, COMPARE = range(2)
PAGES = ("Replay", "Compare")


class ReviewWindow(Room):
    """The review. GUI thread only. `toggle` opens and closes it; the log is opened when it is first shown."""

    wished = Signal(object, object)  # the records up to this moment, and its Frame

    def __init__(
        self,
        window: MainWindow,
        library: LogWorker,
        by: str,
        make: ComponentFactory,
        is_in_use: Callable[[Settings], bool],
    ) -> None:
        super().__init__(window, "Review of the log", window.set_overlay)
        self.by = by
        self.library = library
        self.library.failed.connect(self.show_fault)
        self.working, self.exporting = ProgressLine(), ProgressLine()
        self.library.progressed.connect(self.working.show_progress)
        self.working.cancelled.connect(self.library.cancel)
        self.episode_list, self.replay, self.compare = EpisodeListPanel(), ReplayPage(by), ComparePage()
        self.bar, self._look = ReplayBar(self.replay.player), QTimer(self, interval=LOOK)
        self.bar.selected = lambda: self.replay.belief.selected
        self.bar.timeline.thumbnail = self.replay.picture_at
        episodes, replay, bar = self.episode_list, self.replay, self.bar
        self.episode_actions = EpisodeActions(library, episodes, replay, window, by)
        self.episode_actions.progressed.connect(self.exporting.show_progress)
        self.exporting.cancelled.connect(self.episode_actions.cancel_export)
        self.fork_controller = ForkController(replay, by, bar.fork)
        self.queue = BlindReviewQueue(library, episodes, replay, by)
        self.forked = self.fork_controller.forked
        self.past = PastLookup(library, replay.questions)
        self.line = CounterfactualLine(library, make, is_in_use)
        replay.plan.add_below(self.line)
        replay.questions.reask.clicked.connect(self.episode_actions.ask_again)
        self._build()
        self._listen()

    def _build(self) -> None:
        badge, self._fork_badge = Badge(), Badge()
        badge.show_as("clock", "REVIEW")
        self._fork_badge.show_as("fork", "FORK")
        self._fork_badge.hide()
        self._title = label("", "small", "muted")
        self._pages = SegmentedControl(PAGES, 0, "Page")
        close = Button("Back to live", "undo", "Ctrl+L", "quiet", t.H_CONTROL)
        close.clicked.connect(self.toggle)
        head = Surface("surface", "b")
        head.setFixedHeight(44)
        right = (self.exporting, self.working, self._pages, close)
        head.setLayout(row(badge, self._fork_badge, self._title, 1, *right, margins=(t.M, 0, t.S, 1)))
        left = Surface()
        left.setFixedWidth(LIST)
        left.setLayout(column(self.episode_list.header, self.episode_list))
        self._stack = QStackedWidget()
        for page in (self.replay, self.compare):
            self._stack.addWidget(page)
        below = Surface()
        below.setLayout(column(Separator(), self.bar.header, self.bar))
        below.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)  # of what is plotted
        self._below = below
        body = row(left, Separator(vertical=True), (self._stack, 1), spacing=0)
        self.setLayout(column(head, (body, 1), below))

    def _listen(self) -> None:
        e, b = self.episode_list, self.bar
        self._look.timeout.connect(self._look_for_more)
        e.searched.connect(self.refresh)
        e.page_wanted.connect(self._page)
        e.selected.connect(self._selected)
        e.opened.connect(self.open)
        e.compare.clicked.connect(self.compare_selected)
        e.report.clicked.connect(self.episode_actions.report)
        e.more.clicked.connect(self.episode_actions.open_menu)
        self._pages.currentChanged.connect(self._turned)
        self.compare.opened.connect(lambda episode, index: self.open(episode, index=index))
        self.replay.player.moved.connect(self._moved)
        b.forked.connect(self.fork_controller.open_menu)
        b.marked.connect(self.episode_actions.note_here)
        self.replay.labelled.connect(self._labelled)
        self.replay.blind_changed.connect(self._blinded)
        for reporter in (self.episode_actions, self.fork_controller, self.queue):
            reporter.reported.connect(self.show_title)
        for reporter in (self.episode_actions, self.fork_controller):
            reporter.failed.connect(self.show_fault)
        self.episode_actions.changed.connect(self.refresh)
        self.queue.loaded.connect(self.show_opened)
        self.line.opened.connect(self.show_moment)
        self.line.changed.connect(self.refresh)

    # --- open and closed ---------------------------------------------------------------------------------

    def enter(self) -> None:
        self.episode_list.enter()
        self.refresh()
        self._look.start()

    def leave(self) -> None:
        self._look.stop()
        self.replay.player.pause()

    def close_log(self) -> bool:
        """Make deletions permanent and close the log. Return True if no thread is left."""
        self.replay.player.pause()
        done = (self.line.close_task(), self.episode_actions.close(), self.library.close())
        return all(done)

    # --- the list ----------------------------------------------------------------------------------------

    def refresh(self) -> None:
        """Reload the list and its statistics."""
        which = self.episode_list.which
        self.library.submit(lambda d, _: d.store.count(which), self.episode_list.show_total, key="count")
        self._statistics()
        self.library.submit(lambda d, _: facet_values(d.store), self.episode_list.show_facets, key="facets")

    def _look_for_more(self) -> None:
        """Take up the episodes that another program logs meanwhile."""
        e, which = self.episode_list, self.episode_list.which

        def counted(total: int) -> None:
            if total != e.total:
                self.refresh()

        self.library.submit(lambda d, _: d.store.count(which), counted, key="look")

    def _page(self, page: int) -> None:
        e = self.episode_list
        which, order, down = e.which, e.order, e.descending

        def read(d: LogHandles, _: Progress) -> tuple[catalog.EpisodeListEntry, ...]:
            return catalog.page(d.store, which, order, down, PAGE, page * PAGE)

        self.library.submit(read, lambda entries: e.set_page(page, entries), key=f"page {page}")

    def _selected(self) -> None:
        self.episode_list.compare.setEnabled(len(self.episode_list.ids) == 2)
        self._statistics()

    def _statistics(self) -> None:
        chosen = self.episode_list.chosen
        self.library.submit(
            lambda d, _: groups(d.store, chosen, ()),
            lambda found: self.episode_list.show_statistics(found, len(chosen.ids)),
            key="statistics",
        )

    # --- an episode --------------------------------------------------------------------------------------

    def open(self, episode: str, number: int | None = None, index: int | None = None) -> None:
        """Show the episode just after record `number`, at moment `index`, or where `show_episode` begins."""

        def show(opened: LoadedEpisode) -> None:
            self.show_opened(opened, number)
            if index is not None:
                self.replay.player.go(index)

        self.library.submit(
            lambda d, progress: open_episode(d, episode, progress), show, "Opening the episode", "open"
        )

    def show_moment(self, episode: str, number: int | None = None) -> None:
        """Show the episode as `open` does, over the live panels if need be."""
        if self.isHidden():
            self.toggle()
        self.open(episode, number)

    def show_opened(self, opened: LoadedEpisode, number: int | None = None) -> None:
        self._pages.setCurrentIndex(REPLAY)
        self.bar.set_vocabulary(opened.vocabulary)
        self.replay.show_episode(opened, number)
        self.bar.show_timeline()
        s, ended = opened.summary, opened.replay.final_state
        self.episode_list.model.highlight(s.episode)
        self.line.show_episode(s.episode if s.result else "", s.overrides or 0, ended.embodiment)
        self._show_episode_title()

    def _show_episode_title(self) -> None:
        if self.replay.opened is None:
            return
        s = self.replay.opened.summary
        self._fork_badge.setVisible(bool(s.parent))
        set_tooltip(self._fork_badge, fork_text(s))
        self.show_title(f"{spaced(s.task)} · {s.robot}, {s.answerer}, seed {s.seed} · {s.episode}")

    def _blinded(self, on: bool) -> None:
        """Cover all that tells how an answer came out: results in the list, marks on the timeline."""
        self.episode_list.cover(on)
        self._below.setVisible(not on and self._stack.currentWidget() is self.replay)
        if on:
            self._fork_badge.hide()
            self.show_title("Blind review")
        else:
            self._show_episode_title()

    def _moved(self) -> None:
        if self.replay.opened is not None and not self.replay.blind:
            self.past.before = self.replay.opened.summary.episode
            self.past.look()

    def _labelled(self, question: RecordedQuestion, verdict: Verdict, blind: bool) -> None:
        if self.replay.opened is None:
            return
        episode = self.replay.opened.summary.episode

        def work(d: LogHandles, _: Progress) -> tuple[AnswerLabel, ...]:
            add_label(d.store, episode, question.number, question.place, verdict, self.by, blind)
            return labels(d.store, episode)

        self.library.submit(work, self.replay.show_labels)

    def show_wish(self) -> None:
        """Show on a sheet what the words of this episode had been made of by this moment."""
        opened, player = self.replay.opened, self.replay.player
        records = opened.replay.records[: player.index] if opened and not self.replay.blind else ()
        wished = any(isinstance(r.event, ModelConsulted) and r.event.purpose[:5] == "wish " for r in records)
        if opened is None:
            self.show_fault("Open the episode of a wish first: Enter in the list.")
        elif not wished:
            self.show_fault("Nobody had made a wish of words by this moment.")
        else:
            self.wished.emit(records, with_pixels(player.state, opened).frame)

    # --- pages -------------------------------------------------------------------------------------------

    def compare_selected(self) -> None:
        ids = self.episode_list.ids
        if len(ids) == 2:
            self.compare_two(*ids)
        else:
            self.show_title("Select two episodes in the list to compare them")

    def compare_two(self, left: str, right: str) -> None:
        def work(d: LogHandles, progress: Progress) -> tuple[LoadedEpisode, LoadedEpisode]:
            return open_episode(d, left, progress), open_episode(d, right, progress)

        def show(both: tuple[LoadedEpisode, LoadedEpisode]) -> None:
            self._pages.setCurrentIndex(COMPARE)
            self.compare.show_two(*both)
            self.show_title("Two episodes, steps side by side")

        self.library.submit(work, show, "Opening both episodes", "open")

    def _turned(self, page: int) -> None:
        self.replay.player.pause()
        self._stack.setCurrentIndex(page)
        self._below.setVisible(page == REPLAY and not self.replay.blind)

    # --- saying ------------------------------------------------------------------------------------------

    def show_title(self, words: str) -> None:
        self._title.setText(words)

    def show_fault(self, reason: str) -> None:
        self._title.setText(reason)
        set_tooltip(self._title, reason)

    # --- keys --------------------------------------------------------------------------------------------

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if not press(REVIEW, self, event) and not (self.replaying and press(PLAY, self.bar, event)):
            super().keyPressEvent(event)

    @property
    def replaying(self) -> bool:
        return self._stack.currentWidget() is self.replay

    def choices(self) -> Iterator[Choice]:
        """Return what the keys do here, as the palette lists it."""
        bar = ((c, self.bar, opened(self)) for c in PLAY)
        for c, on, reason in (*bar, *((c, self, c.disabled_reason(self)) for c in REVIEW)):
            yield Choice(c.text, c.tooltip, c.key, partial(c.act, on), c.icon, reason)
