"""Look up, off the GUI thread, what a model answered before about the predicate of a question."""

from __future__ import annotations

from PySide6.QtCore import QObject

from app.review.log_worker import LogHandles, LogWorker, Progress
from app.widgets.questions.past_answers import PastAnswersView
from app.widgets.questions.question_panel import QuestionPanel
from core.review.past_answers import PastAnswers, past_answers


class PastLookup(QObject):
    """Shows the past of the focused question below a panel's cards. GUI thread only."""

    def __init__(self, library: LogWorker, panel: QuestionPanel) -> None:
        super().__init__(panel)
        self._library, self._panel = library, panel
        self.before = ""  # only episodes logged before this one; "": all
        self._asked: tuple[str, str, str] | None = None
        self.view = PastAnswersView()
        panel.add_below(self.view)
        panel.lit_changed.connect(self.look)

    def look(self) -> None:
        """Look up the focused question, unless its past is shown already."""
        card = self._panel.focused_card
        model = card.model if card is not None else None
        asked = (model.by, model.atom.predicate, self.before) if model is not None and model.by else None
        if asked == self._asked:
            return
        self._asked = asked
        if asked is None:
            self.view.show_past(None)
            return
        name, predicate, before = asked

        def work(d: LogHandles, _: Progress) -> PastAnswers:
            return past_answers(d.store, name, predicate, before)

        self._library.submit(work, lambda found: self._show(asked, found), key=f"past {id(self)}")

    def _show(self, asked: tuple[str, str, str], found: PastAnswers) -> None:
        if asked == self._asked:
            self.view.show_past(found)
