"""Below the cards: how often was this model right here before? Looked up off the GUI thread."""

from __future__ import annotations

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QSizePolicy

from app.controls.badge import Icon
from app.controls.layout import Surface, label, row
from app.controls.tooltip import set_tooltip
from app.presentation.formatting import answerer_name
from app.review.log_worker import LogHandles, LogWorker, Progress
from app.theme import tokens as t
from app.widgets.questions.question_panel import QuestionPanel
from core.review.past_answers import PastAnswers, past_answers
from core.text.plural import plural

FEW = 10  # judged answers below which the share is only hinted at


class PastAnswersView(Surface):
    """Hidden until there is something to tell."""

    def __init__(self) -> None:
        super().__init__("surface", "t")
        self.past: PastAnswers | None = None
        self._words = label("", "small", wrap=True)
        self.setLayout(row(Icon("clock", size=14), (self._words, 1), margins=(t.M, t.S, t.M, t.S)))
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Minimum)
        self.hide()

    def show_past(self, past: PastAnswers | None) -> None:
        self.past = past
        if past is not None and past.judged:
            self._words.say(summary(past), "muted" if past.judged < FEW else "text")
            low, high = (100 * share for share in past.interval)
            set_tooltip(self, f"{past.model}: between {low:.0f} and {high:.0f} % of such answers are right.")
            self.setAccessibleName(summary(past))
        self.setVisible(past is not None and past.judged > 0)


def summary(past: PastAnswers) -> str:
    """Return words such as "gpt was right 41 of 52 times about such a question"."""
    times = f"{past.right} of {plural(past.judged, 'time')}"
    return f"{answerer_name(past.model)} was right {times} about such a question"


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
