"""For visitors: what is asked and what is planned, in type that is read from some metres."""

from __future__ import annotations

from itertools import islice

from PySide6.QtGui import QFont, QResizeEvent

from app.controls.layout import PlainLabel, column, label, set_tone
from app.presentation.card_words import model_verdict, operator_verdict
from app.presentation.decision_section import suspicious
from app.theme import styling
from app.theme import tokens as t
from app.theme.states import VERDICT
from app.widgets.panel import Panel
from app.widgets.plan.plan_panel import plan_lines
from core.episode_state import EpisodeState, PlanRow, PlanRowState, QuestionCard

ASKED, PLANNED = 0.055, 0.042  # of the window's height: the type's
AHEAD = 3  # steps after the one that is done now or next
SIGNS = {PlanRowState.DONE: "✓", PlanRowState.FAILED: "✗", PlanRowState.HALTED: "■"}
NOW = (PlanRowState.RUNNING, PlanRowState.NEXT)


class PresentedPanel(Panel):
    """Stands beside the camera while the window is presented; nothing in it can be pressed."""

    def __init__(self) -> None:
        super().__init__("For visitors")
        self._shares: dict[PlainLabel, float] = {}
        self.question, self.answer = self._label(ASKED, "ink"), self._label(ASKED)
        plan = tuple(self._label(PLANNED, tone) for tone in ("muted", "accent", "text"))
        self.before, self.step, self.ahead = plan
        margins = (t.XL, t.L, t.XL, t.L)
        self.set_body(column(self.question, self.answer, 1, *plan, 2, spacing=t.M, margins=margins))

    def _label(self, share: float, tone: str = "text") -> PlainLabel:
        made = label("", "display", tone, wrap=True)
        self._shares[made] = share
        return made

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def _fit(self) -> None:
        for one, share in self._shares.items():
            font = QFont(styling.font("display"))
            font.setPixelSize(max(1, round(share * self.window().height())))
            one.setFont(font)

    def display(self, state: EpisodeState) -> None:
        self._fit()  # a change of the theme sets every font back
        cards = (*state.cards, *state.earlier_cards)
        self._show_question(next((c for c in cards if suspicious(c)), next(iter(cards), None)))
        lines = plan_lines(state, state.offered_change)
        rows = [row for row in lines if row.state is not PlanRowState.DROPPED]
        ahead = [row for row in rows if row.state not in SIGNS]
        now = next((row for row in ahead if row.state in NOW), None)
        done = [row for row in rows if row.state in SIGNS]
        vain = bool(done) and done[-1].state is PlanRowState.DONE and done[-1].turn in state.ineffective_turns
        self.before.setText(self._words(done[-1], "◆" if vain else "") if done else "")
        self.step.setText(self._words(now) if now else "")
        later = islice((row for row in ahead if row is not now), AHEAD)
        self.ahead.setText("\n".join(map(self._words, later)))

    def _words(self, row: PlanRow, sign: str = "") -> str:
        sign = sign or SIGNS.get(row.state, "→" if row.state in NOW else "")
        return f"{sign} {self.vocabulary.describe_step(row.step)}".strip()

    def _show_question(self, card: QuestionCard | None) -> None:
        self.question.setText(card.query.text if card else "Nothing was asked yet")
        said, own = (model_verdict(card), operator_verdict(card, None)) if card else (None, None)
        words = ["The model is asked" if said is None else f"The model says {VERDICT[said].word.lower()}"]
        overruled = own is not None and own is not said
        if overruled and own is not None:
            words.append(f"a person says {VERDICT[own].word.lower()}")
        self.answer.setText(", ".join(words) if card else "")
        doubtful = card is not None and suspicious(card)
        set_tone(self.answer, "accent" if overruled else "doubt" if doubtful else "text")
