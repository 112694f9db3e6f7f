"""One line: how the episode would have gone without a person's overrides, and the button that finds out."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from PySide6.QtCore import Signal

from app.controls.button import Button
from app.controls.layout import Surface, label, row
from app.controls.tooltip import set_tooltip
from app.review.log_worker import LogWorker
from app.runtime.background_task import BackgroundTask, Report
from app.theme import tokens as t
from core import events as ev
from core.config import ComponentFactory, EpisodeComponents, Settings, ignore
from core.errors import ConsoleError
from core.evaluation.outcome import run_trial
from core.ports import Embodiment
from core.review.counterfactual import Counterfactual, find_counterfactual, fork_without_overrides
from core.review.fork import fork_factory
from core.stop_token import StopToken
from core.supervision import WATCH, SupervisionLevels
from core.text.plural import plural

HIGH, END = 36, 3.0  # px; seconds within which a cancelled run has ended
TIP = (
    "Runs the episode again from before the first override, in the simulator, with the model's own answers "
    "and nobody to ask. A real model is asked again, which may cost."
)
FIND, STOP, OPEN = ("Find out", "play"), ("Cancel", "cross"), ("Open it", "fork")


class CounterfactualLine(Surface):
    """Hidden for an episode without overrides, or that is not over. GUI thread only.

    The episode runs on a thread of its own and is logged as a fork. `is_in_use` tells whether a person uses
    the robot of these settings now: one elsewhere is taken for a simulator only then.
    """

    opened = Signal(str)  # the fork
    changed = Signal()  # there is another episode in the log

    def __init__(
        self,
        library: LogWorker,
        make: ComponentFactory,
        is_in_use: Callable[[Settings], bool] = lambda settings: False,
    ) -> None:
        super().__init__("sunken", "t")
        self._library, self._make, self._is_in_use = library, make, is_in_use
        self._episode, self._records = "", tuple[ev.Record, ...]()
        self.found: Counterfactual | None = None
        self.label, self.button = label("", "small", "text", wrap=True), Button(*FIND, "", "quiet", 24)
        self.setMinimumHeight(HIGH)
        self.setLayout(row((self.label, 1), self.button, spacing=t.S, margins=(t.M, t.XS, t.S, t.XS)))
        set_tooltip(self, TIP)
        self.button.clicked.connect(self._clicked)
        self._task = BackgroundTask("counterfactual")
        self._task.progressed.connect(self.label.setText)
        self._task.done.connect(self._done)
        self.hide()

    def show_episode(self, episode: str, overrides: int, world: str) -> None:
        """Offer it for this ended episode of the log. Without overrides or a simulator there is nothing."""
        if episode == self._episode:
            return
        self._task.cancel()
        self._episode, self.found = episode, None
        self.setVisible(bool(overrides and world == Embodiment.SIM.value and episode))
        if not self.isHidden():
            counted = "override" if overrides == 1 else plural(overrides, "override")
            self._show_message(f"Without your {counted}?", FIND)
            self._look()

    def close_task(self) -> bool:
        """Cancel what runs. Return True if its thread has ended."""
        self._task.cancel()
        return self._task.join(END)

    @property
    def running(self) -> bool:
        return self._task.running

    def _show_message(self, words: str, button: tuple[str, str]) -> None:
        self.label.setText(words)
        self.button.relabel(*button)

    def _look(self) -> None:
        episode = self._episode
        self._library.submit(
            lambda d, _: find_counterfactual(d.store, episode),
            lambda found: self._show(episode, found),
            key=f"counterfactual {id(self)}",
        )

    def _show(self, episode: str, found: Counterfactual | None) -> None:
        if found is not None and episode == self._episode:
            self.found = found
            self._show_message(found.sentence, OPEN)

    def _clicked(self) -> None:
        if self.found is not None:
            self.opened.emit(self.found.episode)
        elif self._task.running:
            self._task.cancel()
            self._show_message("Cancelled: nothing was found out", FIND)
        else:
            episode = self._episode
            self._show_message("Reading the episode…", STOP)
            self._library.submit(lambda d, _: tuple(d.store.records(episode)), self._run)

    def _run(self, records: Sequence[ev.Record]) -> None:
        make, log = self._make, self._library.path
        if not records or records[0].episode != self._episode:
            return

        def work(cancel: StopToken, report: Report) -> None:
            fork = fork_without_overrides(records, cancel)
            fork = replace(fork, is_robot_in_use=self._is_in_use(fork))
            report("Running without overrides…")

            def made(
                settings: Settings,
                notify: Callable[[str], None] = ignore,
                supervision: SupervisionLevels = WATCH,
            ) -> EpisodeComponents:
                return fork_factory(make)(settings, report, supervision)

            run_trial(made, fork, log, cancel=cancel)

        self._task.start(work)

    def _done(self, result: ConsoleError | None) -> None:
        if result is not None:
            self._show_message(str(result), FIND)
            return
        self.changed.emit()
        self._look()
