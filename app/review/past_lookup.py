"""Look up, off the GUI thread, what a model answered before about the predicate of a question."""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QImage

from app.review.log_worker import LogHandles, LogWorker, Progress
from app.widgets.camera.frame_images import image
from app.widgets.questions.past_answers import PastAnswersView
from app.widgets.questions.question_panel import QuestionPanel
from core.errors import BadValue, LogError
from core.pictures import decode_picture
from core.ports import Frame
from core.review.past_answers import PastAnswers, past_answers

Found = tuple[PastAnswers, dict[str, QImage]]


class PastLookup(QObject):
    """Shows the past of the focused question below a panel's cards. GUI thread only."""

    opened = Signal(str, int)  # episode, record number

    def __init__(self, library: LogWorker, panel: QuestionPanel) -> None:
        super().__init__(panel)
        self._library, self._panel = library, panel
        self.before = ""  # only episodes logged before this one; "": all
        self._asked: tuple[str, str, str] | None = None
        self.view = PastAnswersView()
        self.view.opened.connect(self.opened)
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
            self.view.show_past(None, {})
            return
        name, predicate, before = asked

        def work(d: LogHandles, _: Progress) -> Found:
            past = past_answers(d.store, name, predicate, before)
            return past, {p.frame: found for p in past.latest if (found := _picture(d, p.frame)) is not None}

        self._library.submit(work, lambda found: self._show(asked, found), key=f"past {id(self)}")

    def _show(self, asked: tuple[str, str, str], found: Found) -> None:
        if asked == self._asked:
            self.view.show_past(*found)


def _picture(d: LogHandles, frame: str) -> QImage | None:
    if not frame:
        return None
    try:
        return image(Frame(frame, rgb=decode_picture(d.store.picture(frame))))
    except (LogError, BadValue):  # it is no longer in the log, or is none
        return None
