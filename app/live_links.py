"""Connect the live panels to the log: past answers, and the episode without its overrides."""

from __future__ import annotations

from collections.abc import Callable

from app.console_controller import ConsoleController
from app.review.counterfactual_line import CounterfactualLine
from app.review.log_worker import LogWorker
from app.review.past_lookup import PastLookup
from core.config import ComponentFactory, Settings


class LiveLinks:
    """Connects the live panels to the log that the review reads. GUI thread only."""

    def __init__(
        self,
        controller: ConsoleController,
        library: LogWorker,
        make: ComponentFactory,
        show_moment: Callable[..., None],
        is_in_use: Callable[[Settings], bool],
    ) -> None:
        self._controller = controller
        self.past = PastLookup(library, controller.window.questions)
        self.line = CounterfactualLine(library, make, is_in_use)
        self.line.opened.connect(show_moment)
        controller.window.plan.add_below(self.line)
        controller.shown.connect(self._look)

    def _look(self) -> None:
        self.past.look()
        state = self._controller.state
        if state.ended is None:
            self.line.show_episode("", 0, "")
        else:
            self.line.show_episode(state.episode, state.counts.overrides, state.embodiment)

    def close(self) -> bool:
        """Cancel what runs. Return True if no thread is left."""
        return self.line.close_task()
