"""Ask another model, wording or prompt the same question about the same picture.

The reply is only shown beside the original; it counts when a person adopts it, as an override.
"""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import QSize, Signal

from app.controls.button import Button
from app.controls.layout import column, label, row
from app.controls.list_picker import ListPicker, PickerItem
from app.controls.text import TextField
from app.dialogs.answerer.model_fields import ModelFields
from app.dialogs.overlay_dialog import OverlayDialog
from app.episode.budget_prompt import format_price
from app.main_window import MainWindow
from app.presentation.formatting import duration
from app.runtime.background_task import BackgroundTask, Report
from app.theme import tokens as t
from app.theme.states import VERDICT
from app.widgets.camera.frame_images import still
from app.widgets.camera.picture_view import QuestionPicture
from core.belief import Verdict
from core.closing import close_part
from core.config import Settings
from core.episode_state import EpisodeState, QuestionCard
from core.errors import ConsoleError
from core.ports import Frame, ModelCall
from core.stop_token import StopToken
from core.vqa.budget import Meter
from core.vqa.reask import Exchange, reask
from core.vqa.registry import ModelSettings, make_answerer
from core.vqa.replies.cleaning import final_words

SIDE = 208


class ReaskDialog(OverlayDialog):
    """`meter` is the episode's, so that these calls count against its budget."""

    adopted = Signal(object, object, str)  # QuestionCard, Verdict of the atom, the raw reply and its source
    noted = Signal(str)  # for the log

    def __init__(
        self, window: MainWindow, card: QuestionCard, frame: Frame, settings: Settings, meter: Meter
    ) -> None:
        super().__init__(window, "Ask again", "a reply counts only if you adopt it", QSize(860, 640))
        assert card.model is not None
        self._card, self._meter, self._live = card, meter, False
        call = ModelCall((card.model,), card.raw_reply, card.model.by, card.seconds, cost=card.cost)
        self._before = Exchange(card.turn, frame, (card.query,), call)
        self._replies: list[tuple[Exchange, str]] = []
        self._work = BackgroundTask("ask again")
        self._work.done.connect(self._answered)
        self._work.progressed.connect(self._tell)
        self.finished.connect(self._work.cancel)
        name = settings.answerer if "://" in settings.answerer else "openai"
        self._fields = ModelFields(name, settings.model, settings.prompt, settings.picture_size)
        self._fields.changed.connect(lambda: self._tell(""))
        self._words = TextField(card.query.text, "The question")
        self._words.setToolTip("Another wording; it must ask for the same")
        self._ask = Button("Ask", "eye", height=t.H_CONTROL)
        self._ask.activated.connect(self._pressed)
        self._state = label("", "small", "muted", wrap=True)
        self._list = ListPicker("Replies")
        self._list.moved.connect(self._moved)
        self.on_enter = self._pressed
        self._lay_out(frame)
        self.button("Close", self.reject)
        self._adopt = self.button("Adopt as my answer", self._take, "person", primary=True)
        self._show_replies()

    def _lay_out(self, frame: Frame) -> None:
        asking, picture = row(self._ask, (self._state, 1)), QuestionPicture(SIDE)
        picture.show_picture(still(frame), None, whole=True)
        form = column(
            label("Question", "caption", "muted"), self._words, self._fields, asking, 1, spacing=t.S
        )
        self.set_body(row(column(picture, 1), (form, 1), spacing=t.L, margins=(t.XL, t.L, t.L, t.M)))
        self.set_body(column(self._list))

    def display(self, state: EpisodeState) -> None:
        self._live = state.is_running
        now = next((c for c in state.cards if c.number == self._card.number), None)
        if now is not None:
            self._card = now
        self._moved()

    # --- asking ------------------------------------------------------------------------------------------

    def _pressed(self) -> None:
        if self._work.running:
            self._stop("cancelled")
            return
        try:
            self._fields.keep_key()
            self._meter.check_budget()
        except ConsoleError as error:
            self._state.say(str(error), "fault")
            return
        name, prompt, side = self._fields.name, self._fields.prompt, self._fields.side
        model, total = self._fields.model, self._meter
        query = replace(self._card.query, text=self._words.text().strip() or self._card.query.text)
        exchange = replace(self._before, queries=(query,))

        def ask(cancel: StopToken, report: Report) -> Exchange:
            meter = Meter()
            try:
                asking = ModelSettings(model, prompt, side, notify=report)
                answerer = make_answerer(name, asking=asking, meter=meter)
                try:
                    return reask(exchange, answerer, cancel)
                finally:
                    close_part(answerer)
            finally:
                total.add_usage(meter.usage)

        self._ask.relabel("Cancel", "cross")
        self._tell(f"asking {name}")
        self._work.start(ask)

    def _answered(self, result: object) -> None:
        self._stop("")
        if not isinstance(result, Exchange):
            self._state.say(str(result), "fault")
            return
        self._replies.append((result, self._fields.name))
        call, query = result.call, result.queries[0]
        said = "nothing" if call.error else query.text_verdict(call.answers[0].verdict).value
        took = f"{duration(call.seconds)}, {format_price(call.cost)}"
        self.noted.emit(
            f"Asked again, and not counted: {call.by} ({call.prompt}) answers {said} to {query.text!r} about "
            f"{query.atom} in {took}. It said: {call.raw_reply} {call.error}".rstrip()
        )
        self._show_replies()
        if call.error:
            self._state.say(call.error, "fault")

    def _show_replies(self) -> None:
        """Show the original reply first, then the new ones, latest last."""
        items = [self._item(-1, self._before, "in the episode")]
        items += [self._item(i, exchange, name) for i, (exchange, name) in enumerate(self._replies)]
        self._list.show_items(tuple(items), len(self._replies) - 1)

    def _item(self, key: int, exchange: Exchange, where: str) -> PickerItem:
        call, query = exchange.call, exchange.queries[0]
        verdict = query.text_verdict(call.answers[0].verdict)
        state = VERDICT[verdict]
        reworded = "" if query.text == self._card.query.text else query.text
        note = " · ".join(
            filter(None, (where, call.prompt, reworded, f"“{final_words(call.raw_reply, 80)}”"))
        )
        took = f"{duration(call.seconds)} · {format_price(call.cost)}" if call.seconds else ""
        return PickerItem(f"{state.word}: {call.by}", key, note, state.icon, trailing_text=took)

    def _stop(self, words: str) -> None:
        self._work.cancel()
        self._ask.relabel("Ask", "eye")
        self._tell(words)

    def _tell(self, words: str) -> None:
        self._state.say(words, "muted")

    # --- adopting ----------------------------------------------------------------------------------------

    def _chosen(self) -> Exchange | None:
        item = self._list.current
        at = int(str(item.key)) if item is not None else -1
        return self._replies[at][0] if at >= 0 else None

    def _moved(self) -> None:
        exchange = self._chosen()
        unknown = exchange is not None and exchange.call.answers[0].verdict is Verdict.UNKNOWN
        reason = "choose a new reply" if exchange is None else ""
        reason = reason or ("it answers neither yes nor no" if unknown else "")
        reason = reason or ("" if self._live else "no episode runs")
        self._adopt.allow(reason, "Use this verdict as your answer; the log says so")

    def _take(self) -> None:
        exchange = self._chosen()
        if exchange is None or not self._live:
            return
        call, answer = exchange.call, exchange.call.answers[0]
        said = f"adopted from {call.by} ({call.prompt}): {answer.raw_reply}"
        self.adopted.emit(self._card, answer.verdict, said)
        self.accept()
